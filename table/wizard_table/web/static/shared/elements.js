// The elements that all pages are built from, and the names of agents.
import { t } from "../language.js";

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
// Agents of other options are called by the level of their kind; those of other kinds are guests.
const GUESTS = ["checkpoint", "external", "hf", "variant"];
const NAMELESS = "person"; // the server's name for people who give none; nobody may choose it
const SEAT = /^seat (\d+)$/; // its name for players whom a record does not name

// An agent's level, never its options; the name of a person, or of an agent that this server alone has.
export function levelName(name) {
  if (name === NAMELESS) return t("Guest");
  const seat = SEAT.exec(name);
  if (seat) return t("Seat {number}", { number: seat[1] });
  if (LEVELS[name]) return LEVELS[name];
  const kind = name.split(":")[0];
  if (GUESTS.includes(kind)) return t("Guest");
  const alike = Object.keys(LEVELS).find((one) => one.split(":")[0] === kind);
  return LEVELS[alike] ?? LEVELS[kind.split("+")[0]] ?? name;
}

// The name of the agent that judges decisions, or null if the server has none.
export const judgeOf = (agents) => agents.find(({ judges }) => judges)?.name ?? null;

// The names of the players at a table, for people: its summary says which seats are open.
export const namesOf = ({ names, open }) =>
  names.map((name, seat) => (open.includes(seat) ? t("Open seat") : levelName(name)));

// The marks behind a result: whose it is, and how far help made it easier.
export const marksOf = ({ own, hinted, taken_back }) =>
  [own && t("you"), hinted && t("with hints"), taken_back && t("choices taken back")]
    .filter(Boolean)
    .flatMap((text) => [" ", make("span", { className: "tag" }, text)]);

// "2nd of 4": a place among the players of a table.
export function placeText(place, players) {
  const places = [
    t("1st of {players}", { players }),
    t("2nd of {players}", { players }),
    t("3rd of {players}", { players }),
    t("4th of {players}", { players }),
    t("5th of {players}", { players }),
    t("6th of {players}", { players }),
  ];
  return places[place - 1];
}

// The place of a seat by its score: equal scores share a place.
export const placeOf = (scores, seat) => 1 + scores.filter((score) => score > scores[seat]).length;

export const $ = (name) => document.getElementById(name);

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// A table of these rows, below a row of headings.
export function makeTable(className, headings, rows) {
  return make("table", { className }, make("thead", {}, row("th", headings)), make("tbody", {}, ...rows));
}

// The head of a player's column; a word that is too long for it is cut at its end.
export const nameHeading = (name, ...marks) =>
  make("th", { scope: "col" }, make("span", { title: name }, name), ...marks);

// An empty cell is no heading.
export const row = (tag, cells) => make("tr", {}, ...cells.map((text) => make(text ? tag : "td", {}, text)));

// --- drawings as SVG elements; screen readers pass over them

const SVG = "http://www.w3.org/2000/svg";

export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const drawing = (name, viewBox, ...children) =>
  draw("svg", { class: name, viewBox, "aria-hidden": "true", focusable: "false" }, ...children);

export const path = (d, name = "", transform = "") =>
  draw("path", { d, ...(name && { class: name }), ...(transform && { transform }) });

// --- errors

export function complain(why) {
  $("error").textContent = why;
}

const lobbyLink = () => make("a", { href: "#", textContent: t("Back to the lobby") });

// After an error, if there is nothing else to show.
export const offerLobby = () => $("error").append(" ", lobbyLink());

// Copies a text and says so on the button; otherwise the page says why not.
export async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = t("Copied");
  } catch {
    complain(t("This browser does not let the page copy; mark the link and copy it."));
  }
}
