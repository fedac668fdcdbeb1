// Runs before the first paint, so that a reader of the dark theme sees no white flash. The same
// rules live on in src/lib/theme.svelte.ts, which takes over once the page has started.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("qkv-theme");
  } catch {
    // Storage may be switched off; the system's choice then holds.
  }
  function asks(media) {
    return matchMedia("(" + media + ")").matches;
  }
  var forced = asks("forced-colors: active");
  var own = (chosen === "light" || chosen === "dark") && !forced;
  var data = document.documentElement.dataset;
  data.theme = own ? chosen : asks("prefers-color-scheme: dark") ? "dark" : "light";
  data.contrast =
    chosen === "contrast" || asks("prefers-contrast: more") || forced ? "more" : "usual";
})();
