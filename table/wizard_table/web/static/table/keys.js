// The keyboard at the table: bids by number, cards by arrows, and a letter for each button.
import { $ } from "../shared/elements.js";
import { visitSignal } from "../shared/visit.js";

const BUTTONS = { h: "hint", u: "back", l: "last", p: "pad" };
const TYPING = 1500; // milliseconds between two digits of one bid
let typed = "";
let since = 0;

export function listen() {
  document.addEventListener("keydown", obey, { signal: visitSignal() });
}

function obey(event) {
  if (event.target.closest("input, select, dialog") || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "?") $("rules").showModal();
  else if (event.key in BUTTONS) $(BUTTONS[event.key]).click();
  else if (/^\d$/.test(event.key)) chooseBid(event);
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight") move(event);
  else return;
  event.preventDefault();
}

// Typed digits move the focus to a bid; Enter, as on any button, makes it.
function chooseBid({ key, timeStamp }) {
  const bid = (digits) =>
    document.querySelector(`#choices [data-action="bid ${Number(digits)}"]:not(:disabled)`);
  typed = timeStamp - since < TYPING && bid(typed + key) ? typed + key : key;
  since = timeStamp;
  bid(typed)?.focus();
}

// Moves the focus to the next choice; after the last one to the first.
function move({ key }) {
  const all = [...document.querySelectorAll("#choices button:not(:disabled), #hand button:not(:disabled)")];
  const choices = all.filter((one) => one.checkVisibility());
  const here = choices.indexOf(document.activeElement);
  const next = here < 0 ? 0 : here + (key === "ArrowLeft" ? -1 : 1);
  choices.at(next % choices.length)?.focus();
}
