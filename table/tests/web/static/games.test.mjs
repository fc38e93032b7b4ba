import assert from "node:assert";
import test from "node:test";
import { load } from "./browser.mjs";

const { courseOf, gridOf, keepResult, streakOf, sumUp, sumUpBySize } = await load("pages/games.js");
const { savedGames } = await load("shared/storage.js");
const game = (match) => ({ table: "t", match, place: 1, rounds: [] });
const daily = (...days) => days.map((day) => game(`daily-2026-${day}`));

test("days in a row end today or yesterday", () => {
  const games = [game(null), game("other"), ...daily("02-27", "02-28", "03-01")];
  assert.equal(streakOf(games, "2026-03-01"), 3);
  assert.equal(streakOf(games, "2026-03-02"), 3);
  assert.equal(streakOf(games, "2026-03-03"), 0);
  assert.equal(streakOf(daily("03-01", "03-03"), "2026-03-03"), 1);
  assert.equal(streakOf([], "2026-03-03"), 0);
});

test("a finished game is kept once, with the person's own rounds", () => {
  const view = {
    table: "abc",
    match: null,
    you: 1,
    scene: {
      seats: [{ score: 50 }, { score: 10 }, { score: 20 }],
      pad: [
        [1, { hand_size: 1, bids: [1, 0, 0], tricks_won: [1, 0, 0], points: [30, 20, 20] }],
        [2, { hand_size: 2, bids: [0, 1, 0], tricks_won: [0, 2, 0], points: [20, -10, 20] }],
      ],
    },
  };
  keepResult(view);
  keepResult({ ...view, you: 0 });
  const kept = { table: "abc", match: null, place: 3, rounds: [[1, 0, 0, 20], [2, 1, 2, -10]] };
  assert.deepEqual(savedGames(), [kept]);
  assert.equal(gridOf("abc"), "🟩🟥");
  assert.equal(gridOf("other"), "");
  assert.deepEqual(courseOf([kept]), [5]);
});

test("sums of rounds, and by hand size", () => {
  const rounds = [[2, 0, 1, -10], [1, 0, 0, 20], [2, 1, 1, 30], [2, 2, 0, -20]];
  assert.deepEqual(sumUp(rounds), { rounds: 4, met: 0.5, bias: -0.25 });
  assert.deepEqual(sumUpBySize(rounds), [
    { size: 1, rounds: 1, met: 1, bias: 0 },
    { size: 2, rounds: 3, met: 1 / 3, bias: -1 / 3 },
  ]);
});
