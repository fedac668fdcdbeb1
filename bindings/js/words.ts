/** A text in a stream of the core: UTF-16 code units, one word each. */
export function readText(words: Float64Array, start: number, length: number): string {
  let result = "";
  for (let index = 0; index < length; ++index) result += String.fromCharCode(words[start + index]);
  return result;
}
