// A made-up recording, and attention over all of it or over a window.
import { mask } from "qkv";
import type { Calculator } from "../../lib/calculator";
import { filled, matrix, rowOf, type Matrix } from "../../lib/matrix";

export const BANDS = 16;

// A tone that glides up and down, once in so many frames, and an overtone: how strong each band is.
const PERIOD = 160;
const GAIN = 3;

/** The input is made here; everything after it is the core's. */
export function recording(frames: number): Matrix {
  const sound = filled(frames, BANDS, 0);
  for (let frame = 0; frame < frames; frame += 1) {
    const pitch = 5 + 4 * Math.sin((2 * Math.PI * frame) / PERIOD);
    for (let band = 0; band < BANDS; band += 1) {
      const tone = Math.exp(-((band - pitch) ** 2) / 2);
      const overtone = Math.exp(-((band - pitch - 5) ** 2) / 2) / 2;
      sound.data[frame * BANDS + band] = GAIN * (tone + overtone);
    }
  }
  return sound;
}

/** Pairs that listen to each other: all, or those within so many frames. */
export function pairs(calculator: Calculator, frames: number, radius: number | null): number {
  const seen = radius === null ? mask.window({}) : window(radius);
  const stats = calculator.use((core) =>
    core.maskStats(seen, { queryLength: frames, keyLength: frames }),
  );
  return stats.pairs;
}

export function attend(calculator: Calculator, sound: Matrix, radius: number | null): Matrix {
  const tensor = { data: sound.data, shape: [sound.rows, BANDS] };
  const options = radius === null ? {} : { mask: window(radius) };
  const { output } = calculator.use((core) => core.attention(tensor, tensor, tensor, options));
  return matrix(sound.rows, BANDS, output.data);
}

const window = (radius: number) => mask.window({ left: radius, right: radius });

/** The weights of one frame: over all frames in the first row, over its window in the second. */
export function weightsOf(
  calculator: Calculator,
  sound: Matrix,
  frame: number,
  radius: number,
): Matrix {
  const strips = filled(2, sound.rows, 0);
  const query = matrix(1, BANDS, rowOf(sound, frame));
  const look = (from: number, to: number, row: number) => {
    const heard = matrix(to - from, BANDS, sound.data.subarray(from * BANDS, to * BANDS));
    const { weights } = calculator.attention(query, heard, heard, true);
    strips.data.set(weights.data, row * sound.rows + from);
  };
  look(0, sound.rows, 0);
  look(Math.max(0, frame - radius), Math.min(sound.rows, frame + radius + 1), 1);
  return strips;
}
