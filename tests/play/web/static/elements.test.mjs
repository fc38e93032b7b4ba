import assert from "node:assert";
import test from "node:test";
import { load } from "./browser.mjs";

const { nodes, t, tn } = await load("language.js");
const { actionName, cardName, describe, levelName, playsOf, signed } = await load("shared/elements.js");

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

test("actions and cards have names", () => {
  assert.equal(cardName("TS"), "10 of piques");
  assert.equal(cardName("JE"), "Jester");
  assert.deepEqual(["play QH", "trump S", "bid 3", "bid"].map(actionName), [
    "Queen of hearts",
    "trump piques",
    "bid 3",
    "bid",
  ]);
  assert.equal(describe("Ann", "play WI"), "Ann plays: Wizard.");
  assert.equal(describe("Ann", "bid 2"), "Ann bids 2.");
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

test("the cards of a trick belong to the seats from its leader on", () => {
  assert.deepEqual(playsOf({ leader: 2, cards: ["7H", "WI", "JE"] }, 3), [
    [2, "7H"],
    [0, "WI"],
    [1, "JE"],
  ]);
});
