// The elements that all pages are built from, cards, and the names of cards and actions.
import { t } from "../language.js";

export const SYMBOLS = { S: "♠", H: "♥", D: "♦", C: "♣" };
export const SUITS = { S: t("spades"), H: t("hearts"), D: t("diamonds"), C: t("clubs") };
const RANKS = { T: "10", J: t("Jack"), Q: t("Queen"), K: t("King"), A: t("Ace") };
const SPECIAL = { WI: { name: t("Wizard"), symbol: "★" }, JE: { name: t("Jester"), symbol: "☺" } };
// The words for agents that everyone has, by strength.
const LEVELS = {
  random: t("Beginner"),
  rule_based: t("Casual"),
  heuristic: t("Skilled"),
  "search:worlds=64": t("Expert"),
  "champion+search:worlds=32": t("Master"),
  adaptive: t("Adaptive"),
  champion: t("Champion"),
};
// Agents of other options are called by the level of their kind; those of other kinds are guests.
const GUESTS = ["checkpoint", "external", "hf", "human", "variant"];
const NAMELESS = "person"; // the server's name for people who give none; nobody may choose it
const SEAT = /^seat (\d+)$/; // its name for players whom a record does not name

// An agent's level, never its options; the name of a person, or of an agent that this server alone has.
export function levelName(name) {
  if (name === NAMELESS) return t("a person");
  const seat = SEAT.exec(name);
  if (seat) return t("Seat {number}", { number: seat[1] });
  if (LEVELS[name]) return LEVELS[name];
  const kind = name.split(":")[0];
  if (GUESTS.includes(kind)) return t("Guest");
  const alike = Object.keys(LEVELS).find((one) => one.split(":")[0] === kind);
  return LEVELS[alike] ?? LEVELS[kind.split("+")[0]] ?? name;
}

// The names of the players at a table, for people: its summary says which seats are open.
export const namesOf = ({ names, open }) =>
  names.map((name, seat) => (open.includes(seat) ? t("Open seat") : levelName(name)));

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

// A table of these rows, below a row of headings if there are any.
export function makeTable(className, headings, rows, ...others) {
  const head = headings ? [make("thead", {}, row("th", headings))] : [];
  return make("table", { className }, ...others, ...head, make("tbody", {}, ...rows));
}

// An empty cell is no heading.
export const row = (tag, cells) => make("tr", {}, ...cells.map((text) => make(text ? tag : "td", {}, text)));

export function signed(points, digits = 0) {
  const text = points.toFixed(digits);
  if (Number(text) === 0) return text.replace("-", "");
  return points > 0 ? `+${text}` : text;
}

// A small sign, and the words for it.
export const sign = (kind, textContent, title) =>
  make("span", { className: `sign ${kind}`, textContent, title, ariaLabel: title, role: "img" });

export const sleep = (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds));

// --- errors

export function complain(why) {
  $("error").textContent = why;
}

export const lobbyLink = () => make("a", { href: "./", textContent: t("Back to the lobby") });

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

// --- cards

const rank = (name) => (name[0] === "T" ? "10" : name[0]);
export const cardName = (name) =>
  SPECIAL[name]?.name ?? t("{rank} of {suit}", { rank: RANKS[name[0]] ?? name[0], suit: SUITS[name[1]] });

export function card(name, tag = "span") {
  const special = SPECIAL[name];
  const part = (className, ...children) => make("span", { className }, ...children);
  const symbol = special ? special.symbol : SYMBOLS[name[1]];
  const index = special ? [] : [make("span", {}, rank(name))];
  const face = make(tag, { className: `card ${special ? name : name[1]}`, ariaLabel: cardName(name) });
  if (tag === "span") face.role = "img";
  face.append(part("corner", ...index, part("suit", symbol)), part("pip", symbol));
  if (special) face.append(part("title", special.name));
  return face;
}

// A card as small as a word.
export function chip(name) {
  const special = SPECIAL[name];
  const textContent = special ? special.symbol : `${rank(name)}${SYMBOLS[name[1]]}`;
  const className = `chip ${special ? name : name[1]}`;
  return make("span", { className, textContent, ariaLabel: cardName(name), role: "img" });
}

// The seat and the card of each play in a trick, in order, at a table of this many seats.
export const playsOf = ({ leader, cards }, seats) =>
  cards.map((name, number) => [(leader + number) % seats, name]);

// --- actions

// "play 7H" as "7 of hearts", "trump H" as "trump hearts", "bid 3" as "bid 3"; "bid" alone is a hidden one.
export function actionName(action) {
  const [verb, what] = action.split(" ");
  if (verb === "play") return cardName(what);
  if (verb === "trump") return t("trump {suit}", { suit: SUITS[what] });
  return what === undefined ? t("bid") : t("bid {number}", { number: what });
}

// A sentence about the action of a seat.
export function describe(name, action) {
  const [verb, what] = action.split(" ");
  if (verb === "play") return t("{name} plays: {card}.", { name, card: cardName(what) });
  if (verb === "trump") return t("{name} names {suit}.", { name, suit: SUITS[what] });
  return t("{name} bids {bid}.", { name, bid: what });
}
