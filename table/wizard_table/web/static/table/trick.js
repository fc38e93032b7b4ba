// The upcard and the trick on the felt; each card comes from its player and goes to the winner of the trick.

import { card, playsOf, SUITS, suitSymbol } from "../drawings/cards.js";
import { t } from "../language.js";
import { $, make } from "../shared/elements.js";
import { sound } from "../shared/sound.js";
import { onEachVisit } from "../shared/visit.js";
import { placeAt, seatLabel, takenBy } from "./seats.js";

const SWEPT_AFTER = 1300; // milliseconds that a finished trick lies on the felt, unless the next is led before

let drawn; // the view that was drawn last
let sweeping; // the timer of the trick that is taken away next
let swept; // the number of decisions after which the last trick was taken away
onEachVisit(() => {
  clearTimeout(sweeping);
  drawn = sweeping = swept = null;
});

// Plays the sound of what happened since the last view.
function playSound(view) {
  if (drawn === null || view.decisions <= drawn.decisions) return;
  if (view.legal.length && !drawn.legal.length) sound("turn");
  else if (drawn.scene.trick.length && !view.scene.trick.length) sound("trick");
  else if (view.scene.trick.length) sound("card");
}

const isCard = (event) => event?.action.startsWith("play");

// A finished trick lies on the felt until it is swept to its winner. In a review it stays.
export function drawTrick(view) {
  const { scene, last_trick: last } = view;
  clearTimeout(sweeping);
  playSound(view);
  const begun = scene.trick.length > 0;
  const isReview = $("table").hasAttribute("data-review");
  const isNext = !isReview && drawn !== null && view.decisions === drawn.decisions + 1;
  if (isNext && !drawn.scene.trick.length && begun) sweep(view);
  const inRound = scene.phase === "play" && scene.seats.some((seat) => seat.tricks_won);
  const showsLast =
    !begun && last && (inRound || (isReview && isCard(view.events.at(-1)))) && swept !== view.decisions;
  const plays = showsLast ? playsOf(last, view.names.length) : scene.trick;
  const items = plays.map(([seat, name], number) => {
    const item = placeAt(make("li", {}, card(name)), view, seat);
    item.title = seatLabel(view, seat);
    item.append(make("span", { className: "unseen", textContent: seatLabel(view, seat) }));
    if (begun ? number === scene.winning : seat === last.winner) {
      item.dataset.wins = "";
      item.append(make("span", { className: "unseen", textContent: t("is winning") }));
    }
    if (isNext && number === plays.length - 1 && isCard(view.events.at(-1))) {
      item.dataset.comes = "";
    }
    return item;
  });
  const isPast = showsLast && scene.phase !== "play"; // in a review, after a round
  if (isPast) items.unshift(make("li", { className: "note" }, t("Last trick")));
  $("trick").replaceChildren(...items);
  const isWhole = plays.length === view.names.length;
  if (isWhole && !isReview) sweeping = setTimeout(() => sweepAway(view), SWEPT_AFTER);
  drawn = view;
}

function sweepAway(view) {
  swept = view.decisions;
  sweep(view);
  $("trick").replaceChildren();
}

// The cards of the last trick move to its winner and disappear.
function sweep(view) {
  if (!view.last_trick || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const goal = placeAt(make("i"), view, view.last_trick.winner).style;
  for (const old of $("trick").querySelectorAll("li")) {
    const ghost = old.cloneNode(true);
    ghost.className = "ghost";
    ghost.removeAttribute("data-comes");
    ghost.ariaHidden = "true";
    for (const axis of ["--x", "--y"]) ghost.style.setProperty(`${axis}-goal`, goal.getPropertyValue(axis));
    ghost.onanimationend = () => ghost.remove();
    $("felt").append(ghost);
  }
}

// The last trick, a line for each card.
export function describeLastTrick(view) {
  const { last_trick: last, names } = view;
  return playsOf(last, names.length).map(([seat, name]) => {
    const label = seatLabel(view, seat);
    const textContent = seat === last.winner ? takenBy(view, seat) : label;
    return make("p", { className: "play" }, card(name), make("span", { textContent }));
  });
}

// The card turned up, which lies on the felt all through the round and marks the trump suit.
export function drawTrump({ scene }) {
  const { upcard, trump, phase } = scene;
  const parts = upcard ? [card(upcard)] : [];
  const words = make("span", { className: "words" }, make("span", {}, t("Trump")));
  if (trump) {
    const suit = make("span", { className: "suit-word", textContent: SUITS[trump] });
    words.append(
      make("b", { className: `suit-name ${trump}`, title: SUITS[trump] }, suitSymbol(trump), " ", suit),
    );
  } else words.append(make("b", {}, phase === "trump" ? t("not named yet") : t("none")));
  $("trump").replaceChildren(...parts, words);
  $("trump").hidden = phase === "over" || phase === "waiting";
}
