// The trick on the felt; each card comes from its player and goes to the winner of the trick.
import { t } from "../language.js";
import { $, card, make, playsOf } from "../shared/elements.js";
import { sound } from "../shared/sound.js";
import { onEachVisit } from "../shared/visit.js";
import { placeAt, pointsText, seatLabel } from "./seats.js";

let drawn; // the view that was drawn last
onEachVisit(() => {
  drawn = null;
});

// Plays the sound of what happened since the last view.
function playSound(view) {
  if (drawn === null || view.decisions <= drawn.decisions) return;
  if (view.legal.length && !drawn.legal.length) sound("turn");
  else if (drawn.scene.trick.length && !view.scene.trick.length) sound("trick");
  else if (view.scene.trick.length) sound("card");
}

// Until a card is led, the last trick stays: during the bidding beside the upcard, with the points of its round.
export function drawTrick(view) {
  const { scene, last_trick: last } = view;
  const begun = scene.trick.length > 0;
  const bidding = scene.phase === "bid" || scene.phase === "trump";
  const firstTrick = !scene.seats.some((seat) => seat.tricks_won);
  const showsLast = !begun && last && (bidding || !firstTrick || scene.phase === "over");
  const plays = showsLast ? playsOf(last, view.names.length) : scene.trick;
  playSound(view);
  const isNext = drawn !== null && view.decisions === drawn.decisions + 1;
  if (isNext && !drawn.scene.trick.length && begun) takeAway(view);
  const items = plays.map(([seat, name], number) => {
    const item = placeAt(make("li", {}, card(name)), view, seat);
    item.title = seatLabel(view, seat);
    item.append(make("span", { className: "unseen", textContent: seatLabel(view, seat) }));
    if (begun ? number === scene.winning : seat === last.winner) {
      item.dataset.wins = "";
      item.append(make("span", { className: "unseen", textContent: t("is winning") }));
    }
    if (bidding) item.dataset.past = "";
    if (isNext && number === plays.length - 1 && view.events.at(-1)?.action.startsWith("play")) {
      item.dataset.comes = "";
    }
    return item;
  });
  if (scene.upcard && !begun && (bidding || firstTrick)) {
    const label = make("span", { className: "who", textContent: t("turned up") });
    items.unshift(make("li", { className: "upcard" }, card(scene.upcard), label));
  }
  $("trick").replaceChildren(...items);
  $("outcome").textContent = plays.length && !begun ? outcome(view, bidding) : "";
  drawn = view;
}

// The cards of the last trick move to its winner and disappear.
function takeAway(view) {
  if (!view.last_trick || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const goal = placeAt(make("i"), view, view.last_trick.winner).style;
  for (const old of $("trick").querySelectorAll("li:not(.upcard, [data-past])")) {
    const ghost = old.cloneNode(true);
    ghost.className = "ghost";
    ghost.removeAttribute("data-comes");
    ghost.ariaHidden = "true";
    for (const axis of ["--x", "--y"]) ghost.style.setProperty(`${axis}-goal`, goal.getPropertyValue(axis));
    ghost.onanimationend = () => ghost.remove();
    $("felt").append(ghost);
  }
}

function outcome(view, bidding) {
  const taken = t("{name} took the last trick.", { name: seatLabel(view, view.last_trick.winner) });
  const scored = bidding ? view.scene.pad.at(-1) : undefined;
  if (!scored) return taken;
  const [number, { points }] = scored;
  return `${taken} ${t("Round {number}: {points}.", { number, points: pointsText(view, points) })}`;
}

// The last trick, a line for each card.
export function describeLastTrick(view) {
  const { last_trick: last, names } = view;
  return playsOf(last, names.length).map(([seat, name]) => {
    const label = seatLabel(view, seat);
    const textContent = seat === last.winner ? t("{name} took the trick", { name: label }) : label;
    return make("p", { className: "play" }, card(name), make("span", { textContent }));
  });
}
