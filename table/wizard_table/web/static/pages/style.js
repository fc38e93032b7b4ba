// The styles of pages that a first visit does without.

import { make } from "../shared/elements.js";

const style = make("link", { rel: "stylesheet", href: new URL("later.css", import.meta.url) });
const styled = new Promise((resolve, reject) => Object.assign(style, { onload: resolve, onerror: reject }));
document.head.append(style);
await styled;
