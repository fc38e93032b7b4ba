// The drills that this browser keeps. Each game of its own that ends is kept until its rounds are judged; then
// its dearest decisions are drills, until they are learned. The records stay here: no server keeps any of it.
import { judgedRound } from "../judging/rounds.js";
import { dearest } from "../judging/sheet.js";
import { askQuietly, fetchRecord } from "../shared/connection.js";
import { saveDrills, savedDrills } from "../shared/storage.js";
import { isLearned, moved, NEARLY, newDrill } from "./boxes.js";

const FROM_EACH = 3; // decisions of a game, the dearest first
const MOST_GAMES = 100; // that are remembered; the oldest is forgotten

// Called with each view of a seat at a table where the game is over. Each game counts once.
export function keepGame({ table, you, scene }, agent) {
  const games = savedDrills();
  if (games.some((game) => game.table === table)) return;
  games.push({ table, seat: you, rounds: scene.num_rounds, record: null, drills: [] });
  saveDrills(games.slice(-MOST_GAMES));
  collect(agent);
}

// Judges the games that are not judged yet, and tells how far it is. The next visit continues what is left.
export async function collect(agent, tell = () => {}) {
  for (const game of savedDrills()) {
    if (game.record !== null) continue;
    const found = await drillsOf(game, agent, tell);
    if (found !== null) change(game.table, (kept) => (kept.record === null ? found : {}));
  }
}

// The record and the drills of a game; none if the server has forgotten it, null if it cannot say.
async function drillsOf({ table, seat, rounds }, agent, tell) {
  if (!(await askQuietly(`tables/${table}`))) return { record: "" };
  const judged = [];
  for (let round = 1; round <= rounds; round++) {
    tell(judged.length, rounds);
    const judgement = await judgedRound(table, round, agent);
    if (judgement === null) return null;
    judged.push(judgement);
  }
  const costs = dearest(judged, seat, FROM_EACH).filter(({ lost }) => lost > NEARLY);
  const record = costs.length ? await fetchRecord(table) : "";
  const drills = costs.map(({ number, chosen }) => newDrill(number, chosen, Date.now()));
  return record === null ? null : { record, drills };
}

// All drills, each with the name of its table; those that are due longest come first.
export const keptDrills = () =>
  savedDrills()
    .flatMap(({ table, drills }) => drills.map((drill) => ({ ...drill, table })))
    .toSorted((one, other) => one.due - other.due);

export const dueDrills = (now) => keptDrills().filter(({ due }) => due <= now);

export const recordOf = (drill) => savedDrills().find(({ table }) => table === drill.table)?.record;

// Moves a drill after an answer, and returns it as it is then; one that is learned is kept no longer.
export function answer({ table, ...drill }, right, now) {
  const next = moved(drill, right, now);
  change(table, ({ record, drills }) => {
    const left = drills
      .map((one) => (one.decisions === drill.decisions ? next : one))
      .filter((one) => !isLearned(one));
    return { drills: left, record: left.length ? record : "" };
  });
  return { ...next, table };
}

const change = (table, changed) =>
  saveDrills(savedDrills().map((game) => (game.table === table ? { ...game, ...changed(game) } : game)));
