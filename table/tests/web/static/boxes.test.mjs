import assert from "node:assert";
import test from "node:test";
import { load } from "./browser.mjs";

const { BOXES, daysAfter, isLearned, isRight, move, NEARLY, newDrill, worthOf } = await load("pages/boxes.js");
const DAY = 24 * 3600 * 1000;
const CHOICES = [
  { action: "bid 0", points: 7.5, error: 0 },
  { action: "bid 1", points: 7.5 - NEARLY, error: 0 },
  { action: "bid 2", points: 7.4 - NEARLY, error: 0 },
];

test("right answers wait twice as long each time, and the last one ends the drill", () => {
  let drill = newDrill(12, "bid 2", 1000);
  assert.deepEqual(drill, { decisions: 12, chosen: "bid 2", box: 1, due: 1000 });
  const waits = [];
  for (let box = 1; box <= BOXES; box++) {
    assert.equal(isLearned(drill), false);
    drill = move(drill, true, 0);
    waits.push(drill.due / DAY);
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16]);
  assert.equal(isLearned(drill), true);
  assert.equal(daysAfter(3), 4);
});

test("a wrong answer in between begins again", () => {
  let [drill, now] = [newDrill(7, "bid 2", 1000), 1000];
  const course = [];
  for (const right of [true, true, false, true, true, true, true, true]) {
    now = drill.due;
    drill = move(drill, right, now);
    course.push([drill.box, (drill.due - now) / DAY, isLearned(drill)]);
  }
  assert.deepEqual(
    course,
    [2, 3, 1, 2, 3, 4, 5, 6].map((box, index) => [box, [1, 2, 0, 1, 2, 4, 8, 16][index], box > BOXES]),
  );
});

test("a wrong answer goes back to the first box and is due at once", () => {
  const drill = { ...newDrill(12, "bid 2", 0), box: 4, due: 99 };
  assert.deepEqual(move(drill, false, 5000), { decisions: 12, chosen: "bid 2", box: 1, due: 5000 });
  assert.equal(drill.box, 4);
});

test("an answer is right if it expects nearly as much as the best", () => {
  assert.deepEqual(
    CHOICES.map(({ action }) => isRight(CHOICES, action)),
    [true, true, false],
  );
  assert.equal(worthOf(CHOICES, "bid 0"), 7.5);
  const noisy = CHOICES.map((one) => ({ ...one, error: 1 }));
  assert.equal(isRight(noisy, "bid 2"), true);
});
