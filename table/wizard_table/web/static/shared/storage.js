// What this browser keeps: names, tokens, settings, games and drills; for one tab, the game under review.

// A storage of the browser. What it forbids to keep, or has no room for, is kept until the document is closed.
class Storage {
  constructor(name) {
    this.name = name;
    this.unsaved = new Map();
  }

  get(key) {
    return this.unsaved.get(key) ?? this.tried((storage) => storage.getItem(key)) ?? null;
  }

  set(key, value) {
    this.remove(key);
    const saved = this.tried((storage) => {
      storage.setItem(key, value);
      return true;
    });
    if (!saved) this.unsaved.set(key, value);
  }

  remove(key) {
    this.unsaved.delete(key);
    this.tried((storage) => storage.removeItem(key));
  }

  keys() {
    return [...this.unsaved.keys(), ...(this.tried((storage) => Object.keys(storage)) ?? [])];
  }

  tried(use) {
    try {
      return use(globalThis[this.name]);
    } catch {
      return undefined;
    }
  }
}

const browser = new Storage("localStorage");
const tab = new Storage("sessionStorage");

const PERSON = "wizard name";
const tokenKey = (table) => `wizard ${table}`;
const MOST_TOKENS = 100;
const RECORD = "wizard review";
const MOMENT = "wizard review, decision";

export const savedPerson = () => browser.get(PERSON) ?? "";
export const savePerson = (name) => browser.set(PERSON, name);

// "" unless it was set.
export const savedSetting = (name) => browser.get(`wizard, ${name}`) ?? "";
export const saveSetting = (name, value) => browser.set(`wizard, ${name}`, value);

// The agents in the seats of the table that was opened last, "" for people; empty if there was none.
const SEATS = "wizard seats";
export const savedSeats = () => JSON.parse(browser.get(SEATS)) ?? [];
export const saveSeats = (names) => browser.set(SEATS, JSON.stringify(names));

export const savedToken = (table) => browser.get(tokenKey(table));
export const saveToken = (table, token) => browser.set(tokenKey(table), token);
export const forgetToken = (table) => browser.remove(tokenKey(table));

// The tokens of all seats that this browser has taken, by table; at most as many as the server accepts at once.
export function savedTokens() {
  const names = browser.keys().filter((key) => /^wizard [\w-]{8,}$/.test(key));
  return Object.fromEntries(
    names.slice(0, MOST_TOKENS).map((key) => [key.slice("wizard ".length), browser.get(key)]),
  );
}

// The table at which this browser plays a match, or null: the same deals are played once.
const matchKey = (match) => `wizard match ${match}`;
export const savedMatch = (match) => browser.get(matchKey(match));
export const saveMatch = (match, table) => browser.set(matchKey(match), table);

// The record of a game; the names of its players, and the table and the reader's seat there, each or null. Null
// if nothing is kept.
export const savedRecord = () => JSON.parse(tab.get(RECORD));

export function saveRecord(text, names = null, played = null) {
  tab.remove(MOMENT);
  tab.set(RECORD, JSON.stringify([text.trim(), names, played]));
}

// The number of decisions made so far.
export const savedMoment = () => JSON.parse(tab.get(MOMENT)) ?? 0;
export const saveMoment = (decisions) => tab.set(MOMENT, JSON.stringify(decisions));

// The games that drills come from, and the drills, see pages/collection.js.
const DRILLS = "wizard drills";
export const savedDrills = () => JSON.parse(browser.get(DRILLS)) ?? [];
export const saveDrills = (games) => browser.set(DRILLS, JSON.stringify(games));

// The puzzles that were answered: by name, the box of each and the time at which it is due; see pages/puzzles.js.
const PUZZLES = "wizard puzzles";
export const savedPuzzles = () => JSON.parse(browser.get(PUZZLES)) ?? {};
export const savePuzzles = (boxes) => browser.set(PUZZLES, JSON.stringify(boxes));

// The finished games of this browser, see pages/games.js.
const GAMES = "wizard games";
export const savedGames = () => JSON.parse(browser.get(GAMES)) ?? [];
export const saveGames = (games) => browser.set(GAMES, JSON.stringify(games));
export const forgetGames = () => browser.remove(GAMES);

// The score sheet of a game with real cards, or null; see pages/scoring.js.
const SHEET = "wizard sheet";
export const savedSheet = () => JSON.parse(browser.get(SHEET));
export const saveSheet = (sheet) => browser.set(SHEET, JSON.stringify(sheet));
