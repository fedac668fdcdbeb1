import { language } from "./language.svelte";
import { CELL_LIMIT, readTyped } from "./numbers";

/** What was typed into a cell: its number, or the sentence that says why there is none. */
export function readCell(
  text: string,
):
  | { readonly value: number; readonly problem: null }
  | { readonly value?: undefined; readonly problem: string } {
  const typed = readTyped(text);
  if ("value" in typed) return { value: typed.value, problem: null };
  const say = language.messages.grid;
  return {
    problem: typed.problem === "not-a-number" ? say.notANumber(text) : say.outOfRange(CELL_LIMIT),
  };
}
