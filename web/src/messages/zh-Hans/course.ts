// 课程的名称：用于页面，也用于应用清单。

export const course = {
  title: "注意力：从每一个数说起",
  description: "从手算一个查询，到整个注意力家族。每个数都在页面中现算。",
};
