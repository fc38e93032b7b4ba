// The elements that all pages are built from, and the names of agents.
import { t } from "../language.js";
import { signed } from "./numbers.js";

export { signed };

// The words for the agents of a server, by strength.
const LEVELS = {
  random: t("Random"),
  rule_based: t("Easy"),
  heuristic: t("Medium"),
  "search:worlds=64": t("Hard"),
  champion: t("Champion"),
  "champion+search:worlds=32": t("Expert"),
  adaptive: t("Master"),
};
const NAMELESS = "person"; // the server's name for people who give none; nobody may choose it
const SEAT = /^seat (\d+)$/; // its name for players whom a record does not name

// An agent's level, or its name if it has none; a person's name.
export function levelName(name) {
  if (name === NAMELESS) return t("a person");
  const seat = SEAT.exec(name);
  return seat ? t("Seat {number}", { number: seat[1] }) : (LEVELS[name] ?? name);
}

export const $ = (name) => document.getElementById(name);

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// A table of these rows, below a row of headings if there are any.
export function makeTable(className, headings, rows, ...others) {
  const head = headings ? [make("thead", {}, row("th", headings))] : [];
  return make("table", { className }, ...others, ...head, make("tbody", {}, ...rows));
}

// An empty cell is no heading.
export const row = (tag, cells) => make("tr", {}, ...cells.map((text) => make(text ? tag : "td", {}, text)));

// --- errors

export function complain(why) {
  $("error").textContent = why;
}

export const lobbyLink = () => make("a", { href: "#", textContent: t("Back to the lobby") });

// After an error, if there is nothing else to show.
export const offerLobby = () => $("error").append(" ", lobbyLink());

// Copies a text and says so on the button. Returns whether it was copied; otherwise the page says why not.
export async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = t("Copied");
    return true;
  } catch {
    complain(t("This browser does not let the page copy; mark the link and copy it."));
    return false;
  }
}
