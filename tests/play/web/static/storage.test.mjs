import assert from "node:assert";
import test from "node:test";
import { elements, load } from "./browser.mjs";

const storage = await load("shared/storage.js");

test("tokens are found again, and only tokens", () => {
  storage.savePerson("Ann");
  storage.saveSetting("theme", "dark");
  storage.saveSeats(["", "champion"]);
  storage.saveMatch("daily", "aBcDeFgHiJkL");
  assert.deepEqual(storage.savedTokens(), {});
  storage.saveToken("aBcDeFgHiJkL", "secret");
  storage.saveToken("mNoPq_-tUvWx", "other");
  assert.deepEqual(storage.savedTokens(), { aBcDeFgHiJkL: "secret", "mNoPq_-tUvWx": "other" });
  storage.forgetToken("mNoPq_-tUvWx");
  assert.equal(storage.savedToken("mNoPq_-tUvWx"), null);
  assert.equal(storage.savedToken("aBcDeFgHiJkL"), "secret");
});

test("no more tokens are sent than the server accepts", () => {
  for (let number = 100; number < 300; number++) storage.saveToken(`table-${number}`, "token");
  assert.equal(Object.keys(storage.savedTokens()).length, 100);
});

test("what was saved is kept", () => {
  assert.equal(storage.savedPerson(), "Ann");
  assert.equal(storage.savedSetting("theme"), "dark");
  assert.equal(storage.savedSetting("sounds"), "");
  assert.deepEqual(storage.savedSeats(), ["", "champion"]);
  assert.equal(storage.savedMatch("daily"), "aBcDeFgHiJkL");
  assert.equal(storage.savedMatch("another"), null);
  assert.equal(storage.keepsLuckOpen(), true);
  storage.saveLuckOpen(false);
  assert.equal(storage.keepsLuckOpen(), false);
  assert.deepEqual(storage.savedDrills(), []);
  storage.saveDrills([{ table: "x" }]);
  assert.deepEqual(storage.savedDrills(), [{ table: "x" }]);
});

test("other records begin at their first decision", () => {
  assert.equal(storage.savedRecords(), null);
  assert.equal(storage.saveRecords("{}\n", ["Ann", "Ben", "Cleo"]), true);
  assert.deepEqual(storage.savedRecords(), ["{}\n", ["Ann", "Ben", "Cleo"]]);
  storage.saveMoment(2, 31);
  assert.deepEqual(storage.savedMoment(), [2, 31]);
  storage.saveRecords("{}\n");
  assert.deepEqual(storage.savedRecords(), ["{}\n", null]);
  assert.deepEqual(storage.savedMoment(), [0, 0]);
});

test("records that cannot be kept are refused with a reason", () => {
  assert.equal(storage.saveRecords(" \n"), false);
  assert.equal(elements.error.textContent, "This file is empty.");
  assert.equal(storage.saveRecords("x".repeat(2000)), false);
  assert.equal(elements.error.textContent, "This file is too large for the browser to keep.");
});
