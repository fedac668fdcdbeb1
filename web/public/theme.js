// Runs before the first paint, so that a reader of the dark theme sees no white flash. The same
// rule lives on in src/lib/theme.svelte.ts, which takes over once the page has started.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("qkv-theme");
  } catch {
    // Storage may be switched off; the system's choice then holds.
  }
  var dark =
    chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
