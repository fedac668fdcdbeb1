// Colour for numbers. One scale per figure, from 0 to `most` or from -most to most.

export interface Scale {
  readonly kind: "magnitude" | "signed";
  /** The number at the end of the scale. */
  readonly most: number;
}

export const WEIGHTS: Scale = { kind: "magnitude", most: 1 };

export const signed = (most: number): Scale => ({ kind: "signed", most: most > 0 ? most : 1 });

const share = (value: number, { most }: Scale) => Math.min(Math.abs(value) / most, 1);

/**
 * Background of a cell that also shows its number: pale enough for the text in every theme. The
 * mixing is left to CSS, so a change of theme needs no redrawing.
 */
export function shade(value: number, scale: Scale): string {
  const end = scale.kind === "magnitude" ? "heat" : value < 0 ? "negative-pale" : "positive-pale";
  const percent = (share(value, scale) * 100).toFixed(1);
  return `color-mix(in oklab, var(--${end}) ${percent}%, var(--cell))`;
}

type Rgb = readonly [number, number, number];

function parse(text: string): Rgb {
  // The build writes #ffffff as #fff.
  const long = text.trim().replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
  const hex = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(long);
  if (!hex) throw new Error(`A colour of the scale is not #rrggbb: "${text}"`);
  return [Number.parseInt(hex[1]!, 16), Number.parseInt(hex[2]!, 16), Number.parseInt(hex[3]!, 16)];
}

const STEPS = 128;

/** Colours of a picture without text, ready for pixels: 2·STEPS + 1, with zero in the middle. */
export function palette(element: Element): Uint8ClampedArray {
  const style = getComputedStyle(element);
  const colour = (name: string) => parse(style.getPropertyValue(name));
  const negative = [colour("--negative"), colour("--negative-pale"), colour("--zero")] as const;
  const positive = [colour("--zero"), colour("--positive-pale"), colour("--positive")] as const;
  const pixels = new Uint8ClampedArray((2 * STEPS + 1) * 4);
  for (let step = -STEPS; step <= STEPS; step += 1) {
    const [start, middle, end] = step < 0 ? negative : positive;
    const along = step < 0 ? 1 + step / STEPS : step / STEPS;
    const [from, to, part] =
      along < 0.5 ? [start, middle, along * 2] : [middle, end, along * 2 - 1];
    const offset = (step + STEPS) * 4;
    for (let c = 0; c < 3; c += 1) pixels[offset + c] = from[c]! + (to[c]! - from[c]!) * part;
    pixels[offset + 3] = 255;
  }
  return pixels;
}

/** One pixel per number. */
export function paint(
  data: Float32Array,
  columns: number,
  scale: Scale,
  colours: Uint8ClampedArray,
) {
  const image = new ImageData(columns, data.length / columns);
  data.forEach((value, index) => {
    const step = Number.isNaN(value)
      ? 0
      : Math.round(Math.max(-1, Math.min(1, value / scale.most)) * STEPS);
    const from = (step + STEPS) * 4;
    image.data.set(colours.subarray(from, from + 4), index * 4);
  });
  return image;
}
