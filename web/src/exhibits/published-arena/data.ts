// Long Range Arena as published: Tay et al. 2021, arXiv:2011.04006, tables 1 and 2. Scores are
// percent right; steps are of 32 examples of byte-level text on 4 × 4 TPU v3, memory is of one of
// these. Sparse Transformer and Longformer were not timed by the authors.

export const TASK_NAMES = ["listops", "text", "retrieval", "image", "pathfinder"] as const;
export type TaskName = (typeof TASK_NAMES)[number];
export const LENGTHS = ["1", "2", "3", "4"] as const;
/** Examples of a step. */
export const BATCH = 32;

export interface Model {
  readonly name: string;
  /** In the order of TASK_NAMES. */
  readonly scores: readonly [number, number, number, number, number];
  /** Steps a second and gigabytes, in the order of LENGTHS; null where not timed. */
  readonly speed: readonly [number, number, number, number] | null;
  readonly memory: readonly [number, number, number, number] | null;
}

const model = (
  name: string,
  scores: Model["scores"],
  speed: Model["speed"],
  memory: Model["memory"],
): Model => ({ name, scores, speed, memory });

export const MODELS: readonly Model[] = [
  model("Transformer", [36.37, 64.27, 57.46, 42.44, 71.4], [8.1, 4.9, 2.3, 1.4], [0.85, 2.65, 5.51, 9.48]),
  model("Local Attention", [15.82, 52.98, 53.39, 41.46, 66.63], [9.2, 8.4, 7.4, 7.4], [0.42, 0.76, 1.06, 1.37]),
  model("Sparse Transformer", [17.07, 63.58, 59.59, 44.24, 71.71], null, null),
  model("Longformer", [35.63, 62.85, 56.89, 42.22, 69.71], null, null),
  model("Linformer", [35.7, 53.94, 52.27, 38.56, 76.34], [9.3, 9.1, 8.5, 7.7], [0.37, 0.55, 0.99, 0.99]),
  model("Reformer", [37.27, 56.1, 53.4, 38.07, 68.5], [4.4, 2.2, 1.5, 1.1], [0.48, 0.99, 1.53, 2.28]),
  model("Sinkhorn Transformer", [33.67, 61.2, 53.83, 41.23, 67.45], [9.1, 7.9, 6.6, 5.3], [0.47, 0.83, 1.13, 1.48]),
  model("Synthesizer", [36.99, 61.68, 54.67, 41.61, 69.45], [8.7, 5.7, 6.6, 1.9], [0.65, 1.98, 4.09, 6.99]),
  model("BigBird", [36.05, 64.02, 59.29, 40.83, 74.87], [7.4, 3.9, 2.7, 1.5], [0.77, 1.49, 2.18, 2.88]),
  model("Linear Transformer", [16.13, 65.9, 53.09, 42.34, 75.3], [9.1, 9.3, 8.6, 7.8], [0.37, 0.57, 0.8, 1.03]),
  model("Performer", [18.01, 65.4, 53.82, 42.77, 77.05], [9.5, 9.4, 8.7, 8.0], [0.37, 0.59, 0.82, 1.06]),
];

/** What ListOps gives away, in percent, about: the commonest answer, and the first operator alone. */
export const LISTOPS = { majority: 17, root: 36 } as const;
