// The decision: bids and suits to choose from, and the hand.

import { actionName, card, SUITS, suitSymbol } from "../drawings/cards.js";
import { percent, signed, t } from "../language.js";
import { $, make } from "../shared/elements.js";
import { onEachVisit } from "../shared/visit.js";

const ONE_ROW = 10; // cards; a larger hand lies in two rows on an upright phone
const FULL_FAN = 12; // cards; a smaller hand is bent less
const FEW_BIDS = 8; // on a phone more are chosen with a stepper

let stepped = 0; // the bid that the stepper shows
let round; // and its round
let drawStepper = () => {}; // if there is one
let dealt; // the round whose hand was dealt last
let dealtAt; // and when, in milliseconds
onEachVisit(() => {
  round = dealt = null;
});

export function drawChoices(view, choose) {
  const pick = (element, action) => makePickable(view, choose, element, action);
  const tag = choose ? "button" : "span";
  const suits = view.legal.filter((action) => action.startsWith("trump"));
  const bids = view.scene.phase === "bid" && view.legal.length ? bidsOf(view) : [];
  const choiceOf = (action) => {
    const what = action.split(" ")[1];
    const isSuit = what in SUITS;
    const choice = make(tag, { className: `choice ${isSuit ? what : ""}` });
    choice.append(...(isSuit ? [suitSymbol(what), SUITS[what]] : [what]));
    if (choose) choice.ariaLabel = actionName(action);
    if (!view.legal.includes(action)) choice.title = forbidden(view, action);
    return pick(choice, action);
  };
  // Suits go in pairs, so that four stand in one row, or two above two.
  const pairs = [suits.slice(0, 2), suits.slice(2)].filter((pair) => pair.length);
  const buttons = pairs.map((pair) => make("span", { className: "pair" }, ...pair.map(choiceOf)));
  buttons.push(...bids.map(choiceOf));
  $("choices").replaceChildren(...(buttons.length ? [make("div", { className: "all" }, ...buttons)] : []));
  drawStepper = () => {};
  $("choices").toggleAttribute("data-many", choose !== null && bids.length > FEW_BIDS);
  if (choose && bids.length > FEW_BIDS) $("choices").append(stepper(view, choose));
  const illegal = bids.find((action) => !view.legal.includes(action));
  if (illegal) $("choices").append(make("p", { className: "note", textContent: forbidden(view, illegal) }));
  drawHand(view, choose, pick, tag);
  if (choose) focusFirstChoice();
}

// A hint's figures on bids, suits and cards: the chance of meeting the bid, and the points expected.
// The best choices are marked. No choices: no figures.
export function drawFigures(choices) {
  for (const old of document.querySelectorAll("#choices small, #hand small")) old.remove();
  for (const old of document.querySelectorAll("[data-best]")) delete old.dataset.best;
  for (const { action, met, points, as_good } of choices) {
    // Cards that are alike have one action.
    for (const choice of document.querySelectorAll(
      `#choices .choice[data-action="${action}"], #hand [data-action="${action}"]`,
    )) {
      choice.append(figures(percent(met), signed(points)));
      if (as_good) choice.dataset.best = "";
    }
  }
  drawStepper();
}

// The stepper goes to the bid that a hint advises.
export function suggest(best) {
  const [verb, bid] = best.split(" ");
  if (verb === "bid") stepped = Number(bid);
  drawStepper();
}

// Screen readers find them in the table of the hint.
const figures = (...texts) =>
  make("small", { ariaHidden: "true" }, ...texts.map((textContent) => make("span", { textContent })));

// Every bid of the round; the rules may forbid one.
const bidsOf = ({ scene }) => Array.from({ length: scene.hand_size + 1 }, (_, bid) => `bid ${bid}`);

const forbidden = ({ scene }, action) =>
  t("Not {bid}: the bids must not add up to {count}.", {
    bid: action.split(" ")[1],
    count: scene.hand_size,
  });

function makePickable(view, choose, element, action) {
  const legal = view.legal.includes(action);
  element.dataset.action = action;
  element.dataset.legal = legal;
  if (choose) {
    element.disabled = !legal;
    element.onclick = () => {
      element.dataset.chosen = "";
      choose(action);
    };
  } else if (action === view.chosen) element.dataset.chosen = "";
  return element;
}

function stepper(view, choose) {
  if (round !== view.scene.round_number) stepped = Math.round(view.scene.hand_size / view.names.length);
  round = view.scene.round_number;
  const go = make("button", { className: "go" });
  const step = (by) => () => {
    stepped = Math.max(0, Math.min(stepped + by, view.scene.hand_size));
    show();
  };
  const fewer = make("button", { onclick: step(-1), ariaLabel: t("one trick fewer") }, "−");
  const more = make("button", { onclick: step(1), ariaLabel: t("one trick more") }, "+");
  go.onclick = () => {
    go.dataset.chosen = "";
    choose(`bid ${stepped}`);
  };
  const show = () => {
    const hint = document.querySelector(`#choices .choice[data-action="bid ${stepped}"] small`);
    go.toggleAttribute("data-best", hint?.parentElement.dataset.best === "");
    go.replaceChildren(t("Bid {number}", { number: stepped }), ...(hint ? [hint.cloneNode(true)] : []));
    go.disabled = !view.legal.includes(`bid ${stepped}`);
    fewer.disabled = stepped === 0;
    more.disabled = stepped === view.scene.hand_size;
  };
  show();
  drawStepper = show;
  return make("div", { className: "stepper" }, fewer, go, more);
}

function drawHand(view, choose, pick, tag) {
  const { scene } = view;
  const acting = scene.seats.find((seat) => seat.acts);
  const holder = view.you ?? (choose ? null : (acting?.number ?? null));
  const hand = (holder === null ? null : scene.seats[holder].hand) ?? [];
  const middle = (hand.length - 1) / 2;
  const slots = hand.map((name, number) => {
    const slot = make("span", { className: "slot" }, pick(card(name, tag), `play ${name}`));
    const bend = ((number - middle) / (middle || 1)) * Math.min(1, hand.length / FULL_FAN);
    slot.style.setProperty("--bend", bend.toFixed(3));
    slot.style.setProperty("--number", number);
    return slot;
  });
  // A view that arrives meanwhile does not deal the cards again.
  if (dealt !== scene.round_number) dealtAt = performance.now();
  dealt = scene.round_number;
  $("hand").style.setProperty("--since", `${performance.now() - dealtAt}ms`);
  const half = scene.hand_size > ONE_ROW ? Math.ceil(slots.length / 2) : slots.length;
  const rows = [slots.slice(0, half), slots.slice(half)].filter((row) => row.length);
  $("hand").replaceChildren(...rows.map((row) => make("div", { className: "cards" }, ...row)));
  $("hand").toggleAttribute("data-turn", scene.phase === "play" && view.legal.length > 0);
  $("table").toggleAttribute("data-large", scene.hand_size > ONE_ROW);
}

// Focuses the first choice for the keyboard, unless something else has the focus.
function focusFirstChoice() {
  const choices = [...document.querySelectorAll(".go, #choices .choice, #hand button")];
  const first = choices.find((one) => !one.disabled && one.checkVisibility());
  const focused = document.activeElement;
  if (first && (!focused || focused === document.body)) first.focus({ preventScroll: true });
}
