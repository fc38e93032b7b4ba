import assert from "node:assert";
import test from "node:test";
import { load } from "./browser.mjs";

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
  assert.deepEqual(storage.savedDrills(), []);
  storage.saveDrills([{ table: "x" }]);
  assert.deepEqual(storage.savedDrills(), [{ table: "x" }]);
});

test("another record begins at its first decision", () => {
  assert.equal(storage.savedRecord(), null);
  storage.saveRecord("{}\n", ["Ann", "Ben", "Cleo"]);
  assert.deepEqual(storage.savedRecord(), ["{}", ["Ann", "Ben", "Cleo"], null]);
  storage.saveRecord("{}", null, { table: "t", seat: 2 });
  assert.deepEqual(storage.savedRecord(), ["{}", null, { table: "t", seat: 2 }]);
  storage.saveMoment(31);
  assert.equal(storage.savedMoment(), 31);
  storage.saveRecord("{}\n");
  assert.deepEqual(storage.savedRecord(), ["{}", null, null]);
  assert.equal(storage.savedMoment(), 0);
});

test("what the browser has no room for is kept until the document is closed", () => {
  const large = "x".repeat(2000);
  storage.saveRecord(large);
  assert.deepEqual(storage.savedRecord(), [large, null, null]);
  storage.savePerson("Ann");
  storage.savePerson(large);
  assert.equal(storage.savedPerson(), large);
  assert.equal(localStorage.getItem("wizard name"), null);
  storage.savePerson("Ben");
  assert.equal(storage.savedPerson(), "Ben");
  storage.saveToken("large-table", large);
  assert.equal(storage.savedTokens()["large-table"], large);
  storage.forgetToken("large-table");
  assert.equal(storage.savedToken("large-table"), null);
});

test("a browser that forbids storage loses nothing until the document is closed", () => {
  const kept = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    get() {
      throw new Error("SecurityError");
    },
  });
  try {
    assert.equal(storage.savedPerson(), "");
    assert.deepEqual(storage.savedTokens(), {});
    storage.saveSetting("theme", "light");
    assert.equal(storage.savedSetting("theme"), "light");
  } finally {
    Object.defineProperty(globalThis, "localStorage", kept);
  }
});
