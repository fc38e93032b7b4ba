import assert from "node:assert";
import test from "node:test";
import { load } from "./browser.mjs";

const { nodes, t, tn } = await load("language.js");
const { levelName } = await load("shared/elements.js");
const { signed } = await load("shared/numbers.js");

test("texts are translated, and numbers choose their form", () => {
  assert.equal(t("spades"), "piques");
  assert.equal(t("Round {number}", { number: 3 }), "Round 3");
  assert.equal(tn("{count} trick", "{count} tricks", 1), "1 basa");
  assert.equal(tn("{count} trick", "{count} tricks", 2), "2 bases");
  assert.equal(tn("{count} card", "{count} cards", 2), "2 cards");
  assert.throws(() => t("Round {number}"), /no value for {number}/);
  const part = {};
  assert.deepEqual(nodes("led {suit}", { suit: part }), ["led ", part, ""]);
});

test("agents have levels, nameless people and seats have words, and names stay", () => {
  assert.deepEqual(["rule_based", "person", "seat 2", "Ann"].map(levelName), [
    "Easy",
    "a person",
    "Seat 2",
    "Ann",
  ]);
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
