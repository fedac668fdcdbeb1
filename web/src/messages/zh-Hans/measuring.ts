import type { Messages } from "../en";

export const measuring: Messages["measuring"] = {
  measure: "在您的设备上测量",
  stop: "停止",
  progress: "正在测量",
  starting: "正在开始……",
  about: (seconds) => `大约需要 ${seconds} 秒。`,
  doing: (percent, what) => `${percent} %：${what}`,
  finished: "测量完成。",
  stopped: "已停止。停止之前测得的都已显示。",
  stoppedEarly: "已停止，还没有任何结果。",
  failed: "无法测量，原因如下：",
  refused: "其中一部分无法测量，原因如下：",
  none: "未测量",
  milliseconds: (value) => `${value} ms`,
  time: "一次调用的用时",
  chartHint: "左右方向键沿大小移动，上下方向键换一条曲线，Esc 离开。",
};
