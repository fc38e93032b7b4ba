// The puzzles that the server ships: decisions with one clearly best choice, and the figures of every choice. This
// browser keeps the box of each one that was answered; those that are learned stay in the last.
import { ask } from "../shared/connection.js";
import { savedPuzzles, savePuzzles } from "../shared/storage.js";
import { isLearned, move } from "./boxes.js";

let puzzles = null; // all of them, once they are here

// Returns none if the server refuses.
export async function fetchPuzzles() {
  puzzles ??= (await ask("puzzles"))?.puzzles ?? null;
  return puzzles ?? [];
}

// Each puzzle with its number, its box, and the time at which it is due: at once for those never answered.
function placed(now) {
  const saved = savedPuzzles();
  return (puzzles ?? []).map((one, index) => ({
    ...one,
    ...(saved[one.name] ?? { box: 1, due: now }),
    number: index + 1,
  }));
}

// The puzzles to solve now, those first that come again.
export const duePuzzles = (now) =>
  placed(now)
    .filter((one) => !isLearned(one) && one.due <= now)
    .toSorted((one, other) => one.due - other.due);

// The puzzles that rest until another day, the first that comes again first.
export const restingPuzzles = (now) =>
  placed(now)
    .filter((one) => !isLearned(one) && one.due > now)
    .toSorted((one, other) => one.due - other.due);

// Moves a puzzle to another box after an answer, and returns it.
export function savePuzzle(puzzle, right, now) {
  const { box, due } = move(puzzle, right, now);
  savePuzzles({ ...savedPuzzles(), [puzzle.name]: { box, due } });
  return { ...puzzle, box, due };
}
