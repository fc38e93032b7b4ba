// The drills that this browser keeps. Each finished game of the person is kept until its rounds are judged; then
// its costliest decisions are drills, until they are learned. The records stay here: no server keeps them.

import { askQuietly, fetchRecord } from "../shared/connection.js";
import { saveDrills, savedDrills } from "../shared/storage.js";
import { isLearned, move, NEARLY, newDrill } from "./boxes.js";
import { costliest, judgedGame } from "./judgements.js";

const FROM_EACH = 3; // decisions of a game, the costliest first
const MOST_GAMES = 100; // are remembered; the oldest is forgotten

// Called with each view of a seat at a table where the game is over. Each game counts once.
export function keepGame({ table, you, scene }) {
  const games = savedDrills();
  if (games.some((game) => game.table === table)) return;
  games.push({ table, seat: you, rounds: scene.num_rounds, record: null, drills: [] });
  saveDrills(games.slice(-MOST_GAMES));
  collect();
}

// Judges the games that are not judged yet, and reports the progress. The next visit continues with the rest.
export async function collect(report = () => {}) {
  for (const game of savedDrills()) {
    if (game.record !== null) continue;
    const found = await drillsOf(game, report);
    if (found !== null) update(game.table, (kept) => (kept.record === null ? found : {}));
  }
}

// The record and the drills of a game; no drills if the server has forgotten it, null if it fails to answer.
async function drillsOf({ table, seat, rounds }, report) {
  if (!(await askQuietly(`tables/${table}`))) return { record: "" };
  const judged = await judgedGame(table, rounds, ({ length }) => report(length, rounds));
  if (judged === null) return null;
  const losses = costliest(judged, seat, FROM_EACH).filter(({ lost }) => lost > NEARLY);
  const record = losses.length ? await fetchRecord(table) : "";
  const drills = losses.map(({ number, chosen }) => newDrill(number, chosen, Date.now()));
  return record === null ? null : { record, drills };
}

// All drills, each with the name of its table; the first has been due longest.
export const keptDrills = () =>
  savedDrills()
    .flatMap(({ table, drills }) => drills.map((drill) => ({ ...drill, table })))
    .toSorted((one, other) => one.due - other.due);

export const dueDrills = (now) => keptDrills().filter(({ due }) => due <= now);

export const recordOf = (drill) => savedDrills().find(({ table }) => table === drill.table)?.record;

// Moves a drill to another box after an answer, and returns it; it is deleted once it is learned.
export function saveAnswer({ table, ...drill }, right, now) {
  const next = move(drill, right, now);
  update(table, ({ record, drills }) => {
    const left = drills
      .map((one) => (one.decisions === drill.decisions ? next : one))
      .filter((one) => !isLearned(one));
    return { drills: left, record: left.length ? record : "" };
  });
  return { ...next, table };
}

const update = (table, entriesFor) =>
  saveDrills(savedDrills().map((game) => (game.table === table ? { ...game, ...entriesFor(game) } : game)));
