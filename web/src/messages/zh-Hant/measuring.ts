import type { Messages } from "../en";

export const measuring: Messages["measuring"] = {
  measure: "在您的裝置上測量",
  stop: "停止",
  progress: "正在測量",
  starting: "正在開始……",
  about: (seconds) => `大約需要 ${seconds} 秒。`,
  doing: (percent, what) => `${percent} %：${what}`,
  finished: "測量完成。",
  stopped: "已停止。停止之前測得的都已顯示。",
  stoppedEarly: "已停止，還沒有任何結果。",
  failed: "無法測量，原因如下：",
  refused: "其中一部分無法測量，原因如下：",
  none: "未測量",
  milliseconds: (value) => `${value} ms`,
  time: "一次呼叫的用時",
  chartHint: "左右方向鍵沿大小移動，上下方向鍵換一條曲線，Esc 離開。",
};
