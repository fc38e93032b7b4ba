// Emotes: what people at a table show each other, at their seats and for some seconds.
import { icon } from "../drawings/icons.js";
import { t } from "../language.js";
import { $, make } from "../shared/elements.js";
import { onEachVisit } from "../shared/visit.js";
import { seatLabel } from "./seats.js";

const SHOWN = 4000; // milliseconds
const PAUSE = 2000; // milliseconds until the next one, as on the server
const EMOTES = {
  smile: t("smile"),
  laugh: t("laugh"),
  wow: t("surprise"),
  sad: t("sad face"),
  wink: t("wink"),
  thumb: t("thumbs up"),
};

const shown = new Map(); // the emote of each seat that shows one
let timers = [];
onEachVisit(() => {
  timers.forEach(clearTimeout);
  timers = [];
  shown.clear();
});

export function offerEmotes(send) {
  const buttons = Object.entries(EMOTES).map(([emote, title]) => {
    const onclick = () => {
      send({ kind: "emote", emote });
      $("emotes").hidePopover();
      $("emote").disabled = true;
      timers.push(setTimeout(() => Object.assign($("emote"), { disabled: false }), PAUSE));
    };
    return make("button", { type: "button", title, ariaLabel: title, onclick }, icon(emote));
  });
  $("emotes").replaceChildren(...buttons);
}

export function drawEmotes({ you, presence, scene }) {
  const others = presence.some((one, seat) => seat !== you && one === "here");
  $("emote").hidden = you === null || !others || scene.phase === "over";
  for (const old of document.querySelectorAll(".emote")) old.remove();
  for (const [seat, { emote }] of shown)
    $("players").children[seat].append(make("span", { className: "emote", ariaHidden: "true" }, icon(emote)));
}

// `redraw` is called when it comes, and when it goes.
export function showEmote(view, message, redraw) {
  if (!$("emoting").checked) return;
  const { seat, emote } = message;
  shown.set(seat, message);
  $("news").textContent = `${seatLabel(view, seat)}: ${EMOTES[emote]}`;
  redraw();
  const hide = () => {
    if (shown.get(seat) === message) shown.delete(seat);
    redraw();
  };
  timers.push(setTimeout(hide, SHOWN));
}
