// The events of the game, for screen readers.

import { actionName } from "../drawings/cards.js";
import { t } from "../language.js";
import { $ } from "../shared/elements.js";
import { onEachVisit } from "../shared/visit.js";
import { pointsText, seatLabel, takenBy } from "./seats.js";

let drawn; // the number of decisions in the view that was drawn last
onEachVisit(() => {
  drawn = null;
});

export function announce(view) {
  const before = drawn ?? view.decisions;
  drawn = view.decisions;
  if (view.decisions < before) $("news").textContent = t("taken back");
  if (view.decisions <= before) return;
  const latest = view.events.slice(before - view.decisions);
  $("news").textContent = latest.map((event) => eventText(view, event)).join(". ");
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
