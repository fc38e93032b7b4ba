// The events of the game, as a list and for screen readers.

import { actionName } from "../drawings/cards.js";
import { t } from "../language.js";
import { $, make } from "../shared/elements.js";
import { onEachVisit } from "../shared/visit.js";
import { pointsText, seatLabel, takenBy } from "./seats.js";

const ANNOUNCED = 6; // at most this many of the latest events are read out to a screen reader
let drawn; // the number of decisions in the view that was drawn last
onEachVisit(() => {
  drawn = null;
});

export function drawEvents(view) {
  const sentence = (event) => eventText(view, event);
  const before = drawn ?? view.decisions;
  drawn = view.decisions;
  $("events").replaceChildren(...view.events.toReversed().map((event) => make("li", {}, sentence(event))));
  const latest = view.events.slice(view.events.length - Math.min(view.decisions - before, ANNOUNCED));
  if (view.decisions > before) $("news").textContent = latest.map(sentence).join(". ");
  if (view.decisions < before) $("news").textContent = t("taken back");
}

function eventText(view, event) {
  const parts = [`${seatLabel(view, event.seat)}: ${actionName(event.action)}`];
  if (event.winner !== null) parts.push(takenBy(view, event.winner));
  if (event.points) {
    const values = { number: event.round_number, points: pointsText(view, event.points) };
    parts.push(t("round {number} is over: {points}", values));
  }
  return parts.join("; ");
}
