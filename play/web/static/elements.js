// What all of the page uses: elements, cards, names, and how the server is asked.
export const SYMBOLS = { S: "♠", H: "♥", D: "♦", C: "♣" };
export const SUITS = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const RANKS = { T: "10", J: "Jack", Q: "Queen", K: "King", A: "Ace" };

export const $ = (name) => document.getElementById(name);

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export const row = (tag, cells) => make("tr", {}, ...cells.map((text) => make(tag, { textContent: text })));
export function signed(points, digits = 0) {
  const text = points.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : points > 0 ? `+${text}` : text;
}
export const isWord = (card) => card === "WI" || card === "JE";
export const cardName = (card) =>
  card === "WI" ? "Wizard" : card === "JE" ? "Jester" : `${RANKS[card[0]] ?? card[0]} of ${SUITS[card[1]]}`;

// "play 7H" as "7 of hearts", "bid 3" as it is, "trump H" as "trump hearts".
export function actionName(action) {
  const [verb, what] = action.split(" ");
  return verb === "play" ? cardName(what) : verb === "trump" ? `trump ${SUITS[what]}` : action;
}

// What a seat did, as in "plays the 7 of hearts"; a hidden bid has no number.
export function deed(action) {
  const [verb, what] = action.split(" ");
  return verb === "play" ? `plays the ${cardName(what)}` : verb === "trump" ? `names ${SUITS[what]}` : `bids ${what ?? ""}`.trim();
}

export function card(name, tag = "span") {
  const face = make(tag, { className: `card ${isWord(name) ? `word ${name}` : name[1]}` });
  face.setAttribute("aria-label", cardName(name));
  if (tag === "span") face.setAttribute("role", "img");
  face.append(make("span", { className: "rank", textContent: isWord(name) ? cardName(name) : name[0] === "T" ? "10" : name[0] }));
  face.append(make("span", { className: "suit", textContent: isWord(name) ? (name === "WI" ? "★" : "☺") : SYMBOLS[name[1]] }));
  return face;
}

// A card as small as a word.
export function chip(name) {
  const text = isWord(name) ? (name === "WI" ? "★" : "☺") : `${name[0] === "T" ? "10" : name[0]}${SYMBOLS[name[1]]}`;
  const face = make("span", { className: `chip ${isWord(name) ? name : name[1]}`, textContent: text });
  face.setAttribute("role", "img");
  face.setAttribute("aria-label", cardName(name));
  return face;
}

export const complain = (why) => { $("error").textContent = why; };

// The answer to a request, or null where there is none or the server refuses; why is shown.
export async function ask(address, body) {
  try {
    const answer = await fetch(address, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
    const told = await answer.json();
    complain(answer.ok ? "" : told.why);
    return answer.ok ? told : null;
  } catch {
    complain("The server does not answer.");
    return null;
  }
}

export const sleep = (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds));
