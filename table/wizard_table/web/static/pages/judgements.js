// Judged rounds: the sums of luck and skill, and the decisions that lost the most.

import { actionName } from "../drawings/cards.js";
import { decimal, signed, t, tn } from "../language.js";
import { askQuietly } from "../shared/connection.js";
import { levelName, make, makeTable, row } from "../shared/elements.js";
import { sleep } from "../shared/visit.js";

// The judge tries every action in sampled worlds, so what it finds has a standard error.
const ERRORS = 2; // standard errors up to which a difference may be noise
const LEAST = 0.05; // points; less is printed as nothing

// Whether a difference in points is more than noise explains.
export const isClear = (points, error) => points >= LEAST && points > ERRORS * error;

// A loss that noise may explain is not called one.
export const isLoss = ({ chosen, best, lost, error }) => chosen !== best && isClear(lost, error);

// A row of sums: points = par + luck - lost.
const sumRow = (name, { points, par, luck, lost }) =>
  row("td", [name, signed(points), signed(par, 1), signed(luck, 1), signed(lost, 1).replace("+", "")]);

// The sums of a seat in each of these rounds, and in all of them together.
export function addUp(judged, seat) {
  const rounds = judged.map(({ round_number, par, seats }) => ({ round_number, ...seats[seat], par }));
  const add = (name) => rounds.reduce((sum, round) => sum + round[name], 0);
  return { rounds, total: { points: add("points"), par: add("par"), luck: add("luck"), lost: add("lost") } };
}

export function sumsOf(judged, seat) {
  const { rounds, total } = addUp(judged, seat);
  const rows = rounds.map((sums) => sumRow(`${sums.round_number}`, sums));
  const headings = [t("Round"), t("points"), `= ${t("par")}`, `+ ${t("luck")}`, `− ${t("lost")}`];
  const table = makeTable("sums", headings, rows);
  table.append(make("tfoot", {}, sumRow(t("Sum"), total)));
  return table;
}

// Says how many points the cards of a game were worth on average, and how many they brought.
export function worthText(judged, seat) {
  const { points, par } = addUp(judged, seat).total;
  return t("These cards were worth about {worth} points and brought {points}.", {
    worth: decimal(Math.round(par)),
    points: decimal(points),
  });
}

// The decisions of a seat that lost the most, the costliest first.
export const costliest = (judged, seat, most) =>
  judged
    .flatMap(({ decisions }) => decisions)
    .filter((one) => one.seat === seat && isLoss(one))
    .sort((one, other) => other.lost - one.lost)
    .slice(0, most);

export const sentence = ({ round_number, chosen, best, lost }) =>
  tn(
    "Round {number}: {chosen} instead of {better} cost about {count} point",
    "Round {number}: {chosen} instead of {better} cost about {count} points",
    Math.round(lost),
    {
      number: round_number,
      chosen: actionName(chosen),
      better: best.startsWith("bid") ? best.split(" ")[1] : actionName(best),
    },
  );

// The agent that judged, the time it took, and the meaning of the sums.
export function notesOn(judged) {
  const seconds = decimal(
    judged.reduce((sum, one) => sum + one.seconds, 0),
    1,
  );
  const texts = [
    t("Judged by {agent} in {seconds} s, by what the player knew.", {
      agent: levelName(judged[0].analyst),
      seconds,
    }),
    t(
      "Par: what these cards are worth on average. Lost: what better choices would have added. Luck: the rest.",
    ),
    t("Small losses may be chance."),
  ];
  return texts.map((textContent) => make("p", { className: "note", textContent }));
}

// --- asking for judgements, in the background

const AGAIN = 3000; // milliseconds until a round is asked for again that could not be judged
const TRIES = 5;

// The judgements of all rounds of a game that is over, in order, or null if one fails. `report` gets those so far.
export async function judgedGame(table, rounds, report) {
  const judged = [];
  while (judged.length < rounds) {
    report(judged);
    const judgement = await judgedRound(table, judged.length + 1);
    if (judgement === null) return null;
    judged.push(judgement);
  }
  return judged;
}

// The judgement of a round, or null if the server refuses again and again.
async function judgedRound(table, round_number) {
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries) await sleep(AGAIN);
    const judged = await askQuietly(`tables/${table}/judgement`, { round_number });
    if (judged) return { ...judged, round_number };
  }
  return null;
}
