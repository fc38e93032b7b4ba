// Cards: their names, their faces, and their backs.
import { t, tn } from "../language.js";
import { draw, drawing, make, path } from "../shared/elements.js";
import { COURTS, FIGURES, PIPS, RANK_SHAPES, SIGN_SHAPES, STAR, SUIT_SHAPES } from "./faces.js";

export const SUITS = { S: t("spades"), H: t("hearts"), D: t("diamonds"), C: t("clubs") };
const RANKS = { T: "10", J: t("Jack"), Q: t("Queen"), K: t("King"), A: t("Ace") };
const SPECIAL = { WI: t("Wizard"), JE: t("Jester") };
const TURNED = "rotate(180 50 71)";
const MIDDLE = 71; // of a card, from its top
const STAR_HEIGHTS = { S: 74, H: 67, D: 71, C: 71 }; // of the star on an ace, where the suit is widest

export const cardName = (name) =>
  SPECIAL[name] ?? t("{rank} of {suit}", { rank: RANKS[name[0]] ?? name[0], suit: SUITS[name[1]] });

// --- faces

export function card(name, tag = "span") {
  const special = SPECIAL[name];
  const face = make(tag, { className: `card ${special ? name : name[1]}`, ariaLabel: cardName(name) });
  if (tag === "span") face.role = "img";
  face.append(drawing("face", "0 0 100 142", ...(special ? specialArt(name) : suitArt(name))));
  if (special) face.append(make("span", { className: "title", textContent: special, ariaHidden: "true" }));
  return face;
}

function suitArt([rank, suit]) {
  const art = COURTS[rank] ? courtArt(rank, suit) : pipArt(rank, suit);
  const corner = () => [
    path(RANK_SHAPES[rank], "rank", "translate(3.6 6) scale(1.2)"),
    sized(SUIT_SHAPES[suit], 4.2, 34, 15.6),
  ];
  return [
    ...art,
    draw("g", { class: "great" }, sized(SUIT_SHAPES[suit], 36, 78, 58)),
    draw("g", { class: "corner" }, ...corner()),
    draw("g", { class: "turned", transform: TURNED }, ...corner()),
  ];
}

// A shape from the square of 20, with its left upper corner here.
const sized = (shape, x, y, size, turn = "") =>
  path(shape, "ink", `translate(${x} ${y}) scale(${size / 20})${turn}`);

// An ace has one great pip. In the Magic Edition, a 2 has a hat: it may win a trick as a Wizard does.
function pipArt(rank, suit) {
  if (rank === "A") {
    const star = path(STAR, "gold", `translate(50 ${STAR_HEIGHTS[suit]})`);
    return [draw("g", { class: "pips" }, sized(SUIT_SHAPES[suit], 23, 44, 54), star)];
  }
  const size = 19;
  const pips = PIPS[rank].map(([x, y]) =>
    sized(SUIT_SHAPES[suit], x - size / 2, y - size / 2, size, y > MIDDLE ? " rotate(180 10 10)" : ""),
  );
  const hat = path(SIGN_SHAPES.WI, "hat", "translate(33 53) scale(1.7)");
  const star = path(STAR, "gold", "translate(52 68) scale(.6)");
  const magic = rank === "2" ? [draw("g", { class: "magic" }, hat, star)] : [];
  return [draw("g", { class: "pips" }, ...pips), ...magic];
}

function courtArt(rank, suit) {
  const half = () => [...shapes(COURTS[rank]), sized(SUIT_SHAPES[suit], 26, 11.6, 12)];
  return [
    path("M27 8H73Q77 8 77 12V130Q77 134 73 134H27Q23 134 23 130V12Q23 8 27 8Z", "panel"),
    draw("g", { class: "bust" }, ...half()),
    draw("g", { class: "turned", transform: TURNED }, ...half()),
    path("M23 79.1L77 62.9", "sash turned"),
  ];
}

const shapes = (figure) => figure.map(([colour, shape]) => path(shape, colour));

const specialArt = (name) => [
  draw("g", {}, ...shapes(FIGURES[name])),
  draw("g", { class: "corner" }, sized(SIGN_SHAPES[name], 3.6, 5, 20)),
];

// --- signs as small as a word

// Beside the name of the suit.
export const suitSymbol = (suit) => drawing("suit", "0 0 20 20", path(SUIT_SHAPES[suit]));

// In its place.
export const suitSign = (suit) =>
  make(
    "span",
    { className: suit, title: SUITS[suit], ariaLabel: SUITS[suit], role: "img" },
    suitSymbol(suit),
  );

export function chip(name) {
  const special = name in SPECIAL;
  const parts = special
    ? [drawing("suit", "0 0 20 20", path(SIGN_SHAPES[name]))]
    : [drawing("letter", "0 0 14 20", path(RANK_SHAPES[name[0]], "rank")), suitSymbol(name[1])];
  const className = `chip ${special ? name : name[1]}`;
  return make("span", { className, ariaLabel: cardName(name), role: "img" }, ...parts);
}

// --- backs

// As many cards as another seat holds, as a small fan.
export function backs(count) {
  const ariaLabel = tn("{count} card", "{count} cards", count);
  const middle = (count - 1) / 2;
  const cards = Array.from({ length: count }, (_, number) => {
    const back = make("i");
    back.style.setProperty("--bend", ((number - middle) / (middle || 1)).toFixed(2));
    return back;
  });
  return make("span", { className: "backs", role: "img", ariaLabel }, ...cards);
}

// The seat and the card of each play in a trick, in order, at a table of this many seats.
export const playsOf = ({ leader, cards }, seats) =>
  cards.map((name, number) => [(leader + number) % seats, name]);

// --- actions

// "play 7H" as "7 of hearts", "trump H" as "hearts as trump", "bid 3" as "bid 3"; "bid" alone is a hidden one.
export function actionName(action) {
  const [verb, what] = action.split(" ");
  if (verb === "play") return cardName(what);
  if (verb === "trump") return t("{suit} as trump", { suit: SUITS[what] });
  return what === undefined ? t("bid") : t("bid {number}", { number: what });
}

// A sentence about the action of a seat.
export function describe(name, action) {
  const [verb, what] = action.split(" ");
  if (verb === "play") return t("{name} plays: {card}.", { name, card: cardName(what) });
  if (verb === "trump") return t("{name} names {suit}.", { name, suit: SUITS[what] });
  return t("{name} bids {bid}.", { name, bid: what });
}
