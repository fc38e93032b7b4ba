import assert from "node:assert";
import test from "node:test";
import { load } from "./browser.mjs";

const { signed, t, tn } = await load("language.js");
const elements = await load("shared/elements.js");
const { levelName, namesOf, placeOf, placeText } = elements;

test("texts are translated, and numbers choose their form", () => {
  assert.equal(t("spades"), "piques");
  assert.equal(t("Round {number}", { number: 3 }), "Round 3");
  assert.equal(tn("{count} trick", "{count} tricks", 1), "1 basa");
  assert.equal(tn("{count} trick", "{count} tricks", 2), "2 bases");
  assert.equal(tn("{count} card", "{count} cards", 2), "2 cards");
  assert.throws(() => t("Round {number}"), /no value for {number}/);
});

test("agents have levels, nameless people and seats have words, and names stay", () => {
  assert.deepEqual(["rule_based", "person", "seat 2", "Ann"].map(levelName), [
    "Easy",
    "Guest",
    "Seat 2",
    "Ann",
  ]);
});

test("no agent is called by its options", () => {
  const kin = ["search:worlds=4", "champion+search:worlds=2,depth=3", "adaptive+search:worlds=8", "adaptive:x=1"];
  assert.deepEqual(kin.map(levelName), ["Hard", "Expert", "Master", "Master"]);
  const guests = ['external:command="python bot.py"', "hf:owner/name", "variant:agent=champion"];
  assert.deepEqual(guests.map(levelName), ["Guest", "Guest", "Guest"]);
});

test("an open seat is called so, and equal scores share a place", () => {
  assert.deepEqual(namesOf({ names: ["Ann", "person", "random"], open: [1] }), ["Ann", "Open seat", "Random"]);
  assert.deepEqual(
    [0, 1, 2, 3].map((seat) => placeOf([10, 30, 30, -20], seat)),
    [3, 1, 1, 4],
  );
  assert.equal(placeText(2, 4), "2nd of 4");
});

test("points have a sign, and zero has none", () => {
  assert.deepEqual([signed(20), signed(-10), signed(0), signed(-0.04, 1), signed(2.25, 1)], [
    "+20",
    "−10",
    "0",
    "0,0",
    "+2,3",
  ]);
});
