import { untrack } from "svelte";
import { address } from "./address.svelte";
import type { ExhibitState } from "./exhibit-state.svelte";

/** Called while an exhibit starts: keeps its state and the address in step from then on. */
export function followAddress<T>(state: ExhibitState<T>): void {
  let seen = address.travelled;
  $effect(() => {
    const travelled = address.travelled;
    untrack(() => {
      if (travelled !== seen) state.readAddress();
      else if (!state.addressRefused) state.writeAddress();
      seen = travelled;
    });
  });
}
