// The elements that all pages are built from, cards, and how cards and actions are named.
import { language, t } from "../language.js";

export const SYMBOLS = { S: "♠", H: "♥", D: "♦", C: "♣" };
export const SUITS = { S: t("spades"), H: t("hearts"), D: t("diamonds"), C: t("clubs") };
const RANKS = { T: "10", J: t("Jack"), Q: t("Queen"), K: t("King"), A: t("Ace") };
const SPECIAL = { WI: { name: t("Wizard"), symbol: "★" }, JE: { name: t("Jester"), symbol: "☺" } };

export const $ = (name) => document.getElementById(name);

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export const row = (tag, cells) => make("tr", {}, ...cells.map((text) => make(tag, { textContent: text })));

// A number as the language writes it; `signed` shows the sign of all but 0.
export const decimal = (number, digits = 0, signDisplay = "auto") =>
  number.toLocaleString(language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay,
    useGrouping: false,
  });
export const signed = (points, digits = 0) => decimal(points, digits, "exceptZero");

// Names in a row, as in "a, b and c".
export const listed = (names) => new Intl.ListFormat(language).format(names);

export const sleep = (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds));

// --- errors

export function complain(why) {
  $("error").textContent = why;
}

// After an error, if there is nothing else to show.
export const offerLobby = () =>
  $("error").append(" ", make("a", { href: "./", textContent: t("Back to the lobby") }));

// --- cards

const rank = (name) => (name[0] === "T" ? "10" : name[0]);
export const cardName = (name) =>
  SPECIAL[name]?.name ?? t("{rank} of {suit}", { rank: RANKS[name[0]] ?? name[0], suit: SUITS[name[1]] });

export function card(name, tag = "span") {
  const special = SPECIAL[name];
  const face = make(tag, { className: `card ${special ? `special ${name}` : name[1]}` });
  face.setAttribute("aria-label", cardName(name));
  if (tag === "span") face.setAttribute("role", "img");
  face.append(make("span", { className: "rank", textContent: special ? special.name : rank(name) }));
  face.append(make("span", { className: "suit", textContent: special ? special.symbol : SYMBOLS[name[1]] }));
  return face;
}

// A card as small as a word.
export function chip(name) {
  const special = SPECIAL[name];
  const textContent = special ? special.symbol : `${rank(name)}${SYMBOLS[name[1]]}`;
  const face = make("span", { className: `chip ${special ? name : name[1]}`, textContent });
  face.setAttribute("role", "img");
  face.setAttribute("aria-label", cardName(name));
  return face;
}

// --- actions

// "play 7H" as "7 of hearts", "trump H" as "trump hearts", "bid 3" as it is, "bid" as "bid hidden".
export function actionName(action) {
  const [verb, what] = action.split(" ");
  if (verb === "play") return cardName(what);
  if (verb === "trump") return t("trump {suit}", { suit: SUITS[what] });
  return what ? t("bid {number}", { number: what }) : t("bid hidden");
}

// What a seat does, as in "anna plays the 7 of hearts.".
export function describe(name, action) {
  const [verb, what] = action.split(" ");
  if (verb === "play") return t("{name} plays the {card}.", { name, card: cardName(what) });
  if (verb === "trump") return t("{name} names {suit}.", { name, suit: SUITS[what] });
  return t("{name} bids {number}.", { name, number: what });
}
