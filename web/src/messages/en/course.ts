// The course by its name: in the page, and in the manifest of the app.

export const course = {
  title: "Attention, number by number",
  description:
    "Attention, from one query by hand to the whole family. Every number is computed live in the page.",
};
