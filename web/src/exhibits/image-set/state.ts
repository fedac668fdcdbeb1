// What the reader can set about the picture, and how it is written into the address.
import { BadEntry, type Codec } from "../../lib/codec";
import { BRIGHTEST, FIRST, imageOf, readDigit, writeDigit, type Written } from "../../lib/digits";
import { number, oneOf, writeNumber } from "../../lib/entries";

export const SIDE = 8;
export const LIMITS = {
  alike: { least: 0, most: 8, step: 0.5 },
  near: { least: 0, most: 8, step: 0.5 },
  pixel: { least: 0, most: SIDE * SIDE - 1 },
} as const;

/** Drawn by the reader, or a real one. */
export const PICTURES = ["drawn", "written"] as const;

export interface ImageState extends Written {
  readonly picture: (typeof PICTURES)[number];
  /** Of the drawn picture: one bit for each pixel, row by row. */
  readonly pixels: string;
  readonly alike: number;
  readonly near: number;
  /** The pixel that asks. */
  readonly pixel: number;
}

const DIGIT = [
  "00111100",
  "01100110",
  "00000110",
  "00001100",
  "00011000",
  "00110000",
  "01111110",
  "00000000",
].join("");

const initial: ImageState = {
  picture: "drawn",
  pixels: DIGIT,
  ...FIRST,
  alike: 3,
  near: 2,
  pixel: 28,
};

/** How bright each pixel is, from 0 to 1. */
export const lightOf = (state: ImageState): Float32Array =>
  state.picture === "drawn"
    ? Float32Array.from(state.pixels, Number)
    : imageOf(state).data.map((pixel) => pixel / BRIGHTEST);

export function toggled(pixels: string, at: number): string {
  return pixels.slice(0, at) + (pixels[at] === "1" ? "0" : "1") + pixels.slice(at + 1);
}

function readPixels(text: string): string {
  if (!/^[01]{64}$/.test(text)) throw new BadEntry();
  return text;
}

export const codec: Codec<ImageState> = {
  initial,
  write: ({ picture, pixels, alike, near, pixel, ...written }) => ({
    picture: picture === initial.picture ? null : picture,
    ...writeDigit(written),
    pixels: pixels === initial.pixels ? null : pixels,
    alike: writeNumber(alike, initial.alike),
    near: writeNumber(near, initial.near),
    pixel: writeNumber(pixel, initial.pixel),
  }),
  read(entry) {
    const pixels = entry("pixels");
    return {
      picture: oneOf(entry("picture"), PICTURES, initial.picture),
      ...readDigit(entry),
      pixels: pixels === null ? initial.pixels : readPixels(pixels),
      alike: number(entry("alike"), LIMITS.alike, initial.alike),
      near: number(entry("near"), LIMITS.near, initial.near),
      pixel: number(entry("pixel"), LIMITS.pixel, initial.pixel),
    };
  },
};
