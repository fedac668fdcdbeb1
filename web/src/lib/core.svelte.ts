// The core's arrival: loading, ready, or failed with the reason.
import { load, QkvError } from "qkv";
import { announcer } from "./announcer.svelte";

export type Core = Awaited<ReturnType<typeof load>>;

export type CoreStatus =
  | { readonly kind: "loading" }
  | { readonly kind: "ready"; readonly core: Core; readonly milliseconds: number }
  | { readonly kind: "failed"; readonly reason: string };

class CoreLoader {
  status = $state.raw<CoreStatus>({ kind: "loading" });

  async start(): Promise<void> {
    const begin = performance.now();
    try {
      const core = await load();
      this.status = { kind: "ready", core, milliseconds: performance.now() - begin };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.status = { kind: "failed", reason };
      announcer.say(reason);
      if (!(error instanceof QkvError)) throw error; // a mistake of the page itself: let it be seen
    }
  }
}

export const coreLoader = new CoreLoader();

/** Size of the module as it arrived, from the browser's own record; null where that is not kept. */
export function moduleBytes(): number | null {
  const entries = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  const module = entries.find((entry) => /\.wasm(\?|$)/.test(entry.name));
  return module && module.decodedBodySize > 0 ? module.decodedBodySize : null;
}
