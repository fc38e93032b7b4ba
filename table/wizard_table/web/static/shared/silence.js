// The line that says so while the server does not answer. It is in the page, so it needs no texts from the server.
import { duringVisit, onEachVisit } from "./visit.js";

const WORD_AFTER = 3000; // milliseconds
const GIVE_UP_AFTER = 10000;
export const FIRST_RETRY = 500; // doubled after each failure
export const LAST_RETRY = 10000;
const silent = new Set(); // answers that are overdue
onEachVisit(() => silent.clear());

const draw = () => {
  document.getElementById("connection").firstElementChild.hidden = !silent.size;
};

// Shows the line until the function that it returns is called.
export function noteSilence() {
  const overdue = {};
  silent.add(overdue);
  draw();
  return () => {
    silent.delete(overdue);
    draw();
  };
}

// Expects an answer from now on: shows the line if it takes long, and calls `giveUp` if none comes.
// The function that it returns is called when the answer is there, or is awaited no longer.
export function expectAnswer(giveUp) {
  let heard = () => {};
  const word = setTimeout(() => {
    heard = noteSilence();
  }, WORD_AFTER);
  const end = setTimeout(giveUp, GIVE_UP_AFTER);
  return () => {
    clearTimeout(word);
    clearTimeout(end);
    heard();
  };
}

// Calls back when the computer has a network again, and when the person comes back to the page.
export function onReturn(back, signal) {
  addEventListener("online", back, { signal });
  document.addEventListener("visibilitychange", () => document.hidden || back(), { signal });
}

// Waits before another attempt; less if there is reason to hope.
export function pause(milliseconds) {
  const returned = new AbortController();
  const waited = new Promise((wake) => {
    setTimeout(wake, milliseconds);
    onReturn(wake, returned.signal);
  });
  return duringVisit(waited.finally(() => returned.abort()));
}
