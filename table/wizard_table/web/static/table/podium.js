// The end of a game: the places, the course of the score, the costliest decision, and where to go from here.

import { decimal, t } from "../language.js";
import { drawCourse } from "../pages/course.js";
import { costliest, judgedGame, sentence } from "../pages/judgements.js";
import "../pages/style.js";
import { goTo, RESULT, REVIEW } from "../shared/address.js";
import { fetchRecord } from "../shared/connection.js";
import { $, complain, make, placeOf, placeText } from "../shared/elements.js";
import { saveMoment, saveRecord } from "../shared/storage.js";
import { seatLabel } from "./seats.js";

const STEPS = 3; // places that stand on the podium
let costly; // the decisions before the reader's costliest one, once the game is judged

// `judge` is the agent that judges, or null; `playAgain` is called for another game.
export function drawPodium(view, judge, playAgain) {
  if (!$("podium").hidden) return; // drawn already
  $("podium").hidden = false;
  costly = 0;
  const course = make("figure", { className: "course" });
  const cost = make("p", { className: "cost", role: "status" });
  $("podium").replaceChildren(
    make("h2", {}, headline(view)),
    make("ol", { className: "places" }, ...stepsOf(view)),
    course,
    ...(view.you === null ? [] : [cost]),
    make("p", { className: "row" }, ...buttons(view, playAgain)),
  );
  drawCourse(course, view);
  if (view.you !== null && judge !== null) tellCost(view, cost);
}

// Each seat with its score and its place, the best first; equal scores share a place.
function placesOf({ seats }) {
  const scores = seats.map(({ score }) => score);
  const sorted = seats.toSorted((one, other) => other.score - one.score);
  return sorted.map(({ number, score }) => ({
    seat: number,
    score,
    place: placeOf(scores, number),
  }));
}

function headline(view) {
  const places = placesOf(view.scene);
  const own = places.find(({ seat }) => seat === view.you);
  const winners = places.filter(({ place }) => place === 1);
  if (own?.place === 1) return winners.length > 1 ? t("You share the first place!") : t("You won!");
  if (own) return placeText(own.place, places.length);
  return t("Won by {names}", { names: winners.map(({ seat }) => seatLabel(view, seat)).join(", ") });
}

// Equal scores share a step.
function stepsOf(view) {
  const steps = Object.values(Object.groupBy(placesOf(view.scene), ({ place }) => place));
  return steps.map((standing) => {
    const [{ place, score }] = standing;
    const names = standing.map(({ seat }) => {
      const label = seatLabel(view, seat);
      const name = make("span", { className: "who", title: label }, label);
      name.toggleAttribute("data-own", seat === view.you);
      return name;
    });
    const block = make("span", { className: "block" }, make("b", {}, decimal(place)), decimal(score));
    const item = make("li", {}, make("span", { className: "standing" }, ...names), block);
    item.className = place <= STEPS ? `step${place}` : "";
    item.style.setProperty("--standing", standing.length);
    return item;
  });
}

function buttons(view, playAgain) {
  const { table, names, you } = view;
  const review = async () => {
    const record = await fetchRecord(table);
    if (record === null) return complain(t("The server is not responding."));
    saveRecord(record, names, you === null ? null : { table, seat: you });
    saveMoment(costly);
    goTo(REVIEW);
  };
  const found = [make("button", { onclick: review }, t("Review"))];
  if (you !== null) {
    found.unshift(make("button", { className: "main", onclick: playAgain }, t("Play again")));
    found.push(make("a", { className: "button", href: `#${RESULT}${table}/${you}` }, t("Share")));
  }
  return found;
}

async function tellCost(view, paragraph) {
  const total = view.scene.num_rounds;
  const judged = await judgedGame(view.table, total, ({ length }) => {
    paragraph.textContent = t("Rounds checked: {done} of {total} …", { done: length, total });
  });
  const [worst] = judged === null ? [] : costliest(judged, view.you, 1);
  costly = worst?.number ?? 0;
  if (judged === null) paragraph.textContent = "";
  else if (!worst) paragraph.textContent = t("No clear mistakes.");
  else paragraph.textContent = t("Your costliest choice: {choice}.", { choice: sentence(worst) });
}
