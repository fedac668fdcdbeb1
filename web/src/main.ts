import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/math.css";
import "./styles/matrix.css";
import "./styles/print.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { coreLoader } from "./lib/core.svelte";
import { language } from "./lib/language.svelte";

// The core and the sentences load side by side; the text does not wait for the numbers.
void coreLoader.start();
await language.start();
mount(App, { target: document.getElementById("app")! });
