// The elements that all pages are built from, cards, and how cards and actions are named.
export const SYMBOLS = { S: "♠", H: "♥", D: "♦", C: "♣" };
export const SUITS = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const RANKS = { T: "10", J: "Jack", Q: "Queen", K: "King", A: "Ace" };
const SPECIAL = { WI: { name: "Wizard", symbol: "★" }, JE: { name: "Jester", symbol: "☺" } };

export const $ = (name) => document.getElementById(name);

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export const row = (tag, cells) => make("tr", {}, ...cells.map((text) => make(tag, { textContent: text })));

export function signed(points, digits = 0) {
  const text = points.toFixed(digits);
  if (Number(text) === 0) return text.replace("-", "");
  return points > 0 ? `+${text}` : text;
}

export const sleep = (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds));

// --- errors

export function complain(why) {
  $("error").textContent = why;
}

// After an error, if there is nothing else to show.
export const offerLobby = () =>
  $("error").append(" ", make("a", { href: "./", textContent: "Back to the lobby" }));

// --- cards

const rank = (name) => (name[0] === "T" ? "10" : name[0]);
export const cardName = (name) => SPECIAL[name]?.name ?? `${RANKS[name[0]] ?? name[0]} of ${SUITS[name[1]]}`;

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

// "play 7H" as "7 of hearts", "trump H" as "trump hearts"; "bid 3", and "bid" for a hidden one, unchanged.
export function actionName(action) {
  const [verb, what] = action.split(" ");
  if (verb === "play") return cardName(what);
  return verb === "trump" ? `trump ${SUITS[what]}` : action;
}

// What a seat does, as in "plays the 7 of hearts".
export function describe(action) {
  const [verb, what] = action.split(" ");
  if (verb === "play") return `plays the ${cardName(what)}`;
  return verb === "trump" ? `names ${SUITS[what]}` : `bids ${what}`;
}
