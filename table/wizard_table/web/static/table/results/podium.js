// The end of a game: the places, the course of the score, the costliest decision, and where to go from here.
import { wholeGame } from "../../judging/live.js";
import { costliest, sentence } from "../../judging/sheet.js";
import { t } from "../../language.js";
import { takeSeat } from "../../lobby/seat.js";
import { goTo, RESULT, REVIEW } from "../../shared/address.js";
import { fetchRecord, recordAddress } from "../../shared/connection.js";
import { $, make, placeOf, placeText } from "../../shared/elements.js";
import { decimal } from "../../shared/numbers.js";
import { savedPerson, saveRecords } from "../../shared/storage.js";
import { onEachVisit } from "../../shared/visit.js";
import { drawCourse } from "../../study/course.js";
import { seatLabel } from "../seats.js";

const STEPS = 3; // places that stand on the podium
let drawn; // the table whose podium is drawn
onEachVisit(() => {
  drawn = null;
});

export function drawPodium(view) {
  const over = view.scene.phase === "over";
  $("podium").hidden = !over;
  if (!over) drawn = null;
  else if (drawn !== view.table) draw(view);
}

function draw(view) {
  drawn = view.table;
  const course = make("figure", { className: "course" });
  const cost = make("p", { className: "cost", role: "status" });
  $("podium").replaceChildren(
    make("h2", {}, headline(view)),
    make("ol", { className: "places" }, ...placesOf(view.scene).map((one) => step(view, one))),
    course,
    ...(view.you === null ? [] : [cost]),
    make("p", { className: "row" }, ...buttons(view)),
  );
  drawCourse(course, view);
  if (view.you !== null) tellCost(view, cost);
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

function step(view, { seat, score, place }) {
  const item = make(
    "li",
    { className: place <= STEPS ? `step${place}` : "" },
    make("span", { className: "who" }, seatLabel(view, seat)),
    make("span", { className: "block" }, make("b", {}, decimal(place)), make("span", {}, decimal(score))),
  );
  if (seat === view.you) item.dataset.own = "";
  return item;
}

function buttons(view) {
  const { table, names, you } = view;
  const review = async () => {
    if (saveRecords((await fetchRecord(table)) ?? "", names)) goTo(REVIEW);
  };
  const found = [make("button", { onclick: review }, t("Review"))];
  if (you !== null) {
    found.unshift(make("button", { className: "main", onclick: () => playAgain(view) }, t("Play again")));
    found.push(make("a", { className: "button", href: `#${RESULT}${table}/${you}` }, t("Share")));
  }
  return [...found, make("a", { className: "button", href: recordAddress(table) }, t("Save the record"))];
}

// A table with the same players and rules; people take their seats anew.
async function playAgain(view) {
  const { num_players, ...rules } = view.scene.rules;
  const seats = view.names.map((name, seat) => (view.presence[seat] === "agent" ? name : null));
  const opened = await takeSeat($("podium"), "tables", savedPerson(), { seats, ...rules });
  if (opened) goTo(opened.table);
}

async function tellCost(view, paragraph) {
  const total = view.scene.num_rounds;
  const judged = await wholeGame((done) => {
    paragraph.textContent = t("Judged {done} of {total} rounds …", { done, total });
  });
  const [worst] = judged === null ? [] : costliest(judged, view.you, 1);
  if (judged === null) paragraph.textContent = "";
  else if (!worst) paragraph.textContent = t("No choice of yours cost points.");
  else paragraph.textContent = t("Your costliest choice: {choice}.", { choice: sentence(worst) });
}
