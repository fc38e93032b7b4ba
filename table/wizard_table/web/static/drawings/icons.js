// The icons, drawn on a grid of 24 with strokes of 2 in the colour of the text. Solid ones are filled.

import { drawing, make, path } from "../shared/elements.js";

const FACE = "M12 3A9 9 0 1 1 12 21A9 9 0 1 1 12 3Z";
const SHAPES = {
  home: "M4 11.5L12 4L20 11.5M6 10V20H18V10M10 20V14.5H14V20",
  hint: "M9 18H15M10.5 21.5H13.5M9 18C9 15 6 14 6 9.4A6 6 0 0 1 18 9.4C18 14 15 15 15 18",
  undo: "M8 4.5L3.5 9L8 13.5M3.5 9H14.5A5.5 5.5 0 0 1 14.5 20H8",
  past: "M6.3 6.3A8 8 0 1 1 4 12M4.5 3V7.5H9M12 8V12.5L15 14",
  last: "M8 6V4.5A1.5 1.5 0 0 1 9.5 3H18.5A1.5 1.5 0 0 1 20 4.5V16.5A1.5 1.5 0 0 1 18.5 18H16M5.5 6H14.5A1.5 1.5 0 0 1 16 7.5V19.5A1.5 1.5 0 0 1 14.5 21H5.5A1.5 1.5 0 0 1 4 19.5V7.5A1.5 1.5 0 0 1 5.5 6ZM9.6 10.6L7 13.5L9.6 16.4M7 13.5H13",
  pad: "M6 3H18A2 2 0 0 1 20 5V19A2 2 0 0 1 18 21H6A2 2 0 0 1 4 19V5A2 2 0 0 1 6 3ZM4 9H20M10 9V21M4 15H20",
  rules:
    "M12 3A9 9 0 1 1 12 21A9 9 0 1 1 12 3ZM9.2 9.6A2.8 2.8 0 1 1 13.4 12C12.4 12.6 12 13 12 14M12 17.2V17.3",
  settings:
    "M10.1 5L10.3 2.2H13.7L13.9 5L15.6 5.6L17.7 3.9L20.1 6.3L18.4 8.4L19 10.1L21.8 10.3V13.7L19 13.9L18.4 15.6L20.1 17.7L17.7 20.1L15.6 18.4L13.9 19L13.7 21.8H10.3L10.1 19L8.4 18.4L6.3 20.1L3.9 17.7L5.6 15.6L5 13.9L2.2 13.7V10.3L5 10.1L5.6 8.4L3.9 6.3L6.3 3.9L8.4 5.6ZM12 9A3 3 0 1 1 12 15A3 3 0 1 1 12 9Z",
  review: "M10.5 3.5A7 7 0 1 1 10.5 17.5A7 7 0 1 1 10.5 3.5ZM15.6 15.6L21 21",
  daily:
    "M6 5H18A2 2 0 0 1 20 7V19A2 2 0 0 1 18 21H6A2 2 0 0 1 4 19V7A2 2 0 0 1 6 5ZM4 10H20M8.5 2.5V6M15.5 2.5V6",
  drills: "M12 3A9 9 0 1 1 12 21A9 9 0 1 1 12 3ZM12 8A4 4 0 1 1 12 16A4 4 0 1 1 12 8ZM12 12V12.1",
  people:
    "M9 4A3.5 3.5 0 1 1 9 11A3.5 3.5 0 1 1 9 4ZM2.5 20C2.5 12.6 15.5 12.6 15.5 20M15.5 4.4A3.5 3.5 0 0 1 15.5 10.6M17.5 14.4C20 15.2 21.5 17 21.5 20",
  earlier: "M18 5L11 12L18 19M11 5L4 12L11 19",
  before: "M15 5L8 12L15 19",
  after: "M9 5L16 12L9 19",
  later: "M6 5L13 12L6 19M13 5L20 12L13 19",
  chosen: "M4.5 12.5L10 18L19.5 7",
  absent: "M8.5 5V19M15.5 5V19",
  smile: `${FACE}M9 9.4V10.2M15 9.4V10.2M8 14A5 5 0 0 0 16 14`,
  laugh: `${FACE}M7.8 10.2Q9.1 8.2 10.4 10.2M13.6 10.2Q14.9 8.2 16.2 10.2M7.6 13.4H16.4A4.4 4.4 0 0 1 7.6 13.4Z`,
  wow: `${FACE}M9 8.8V9.6M15 8.8V9.6M12 12.8A2 2.3 0 1 1 12 17.4A2 2.3 0 1 1 12 12.8Z`,
  sad: `${FACE}M9 9.4V10.2M15 9.4V10.2M8.4 16.6A4.6 4.6 0 0 1 15.6 16.6`,
  wink: `${FACE}M9 9.4V10.2M13.8 10H16.4M8 14A5 5 0 0 0 16 14`,
  thumb:
    "M4 11H7V20H4ZM7 11L11 3.6A2 2 0 0 1 13.4 6L12.6 10H18A2 2 0 0 1 20 12.4L18.7 18.4A2 2 0 0 1 16.8 20H7",
};
const SOLID = {
  play: "M8 4.5L19 12L8 19.5Z",
  turn: "M8 4.5L19 12L8 19.5Z",
  winner: "M4.6 18.5L2.6 8L8 11.6L12 4L16 11.6L21.4 8L19.4 18.5Z",
  leads: "M5.5 21.5V3M5.5 4H19L15.4 8.5L19 13H5.5Z",
  deals: "M2.6 8L5.6 6.6V16.4ZM9.2 4H14.8V17.6H9.2ZM18.4 6.6L21.4 8L18.4 16.4Z",
};

export function icon(name) {
  const shape = SOLID[name] ?? SHAPES[name];
  if (!shape) throw new Error(`no icon is named ${name}`);
  return drawing(name in SOLID ? "glyph solid" : "glyph", "0 0 24 24", path(shape));
}

// A small sign on a round ground, and the words for it.
export const sign = (kind, title) =>
  make("span", { className: `sign ${kind}`, title, ariaLabel: title, role: "img" }, icon(kind));

// The elements of the page that name an icon in data-icon get it before their text.
export function drawIcons() {
  for (const element of document.querySelectorAll("[data-icon]")) element.prepend(icon(element.dataset.icon));
}
