// Explains the first game in short bubbles, each of which points at one thing.
import { t } from "../language.js";
import { $ } from "../shared/elements.js";
import { savedSetting, saveSetting } from "../shared/storage.js";
import { visitSignal } from "../shared/visit.js";

const TAUGHT = "taught"; // "yes" once the person wants no more, else the lessons that were read
const GAP = 10; // pixels between a bubble and its thing

// In order: the moment at which a lesson is told, and the thing it points at.
const LESSONS = [
  {
    at: "bid",
    to: "#trump",
    text: t(
      "This card shows the trump suit, which beats the others. After a Wizard the dealer names it, after a Jester there is none.",
    ),
  },
  {
    at: "bid",
    to: "#hand",
    text: t(
      "Your cards. In a trick everyone plays one, and the best wins it: a Wizard always, a Jester never. Each round has one card more.",
    ),
  },
  {
    at: "bid",
    to: "#choices",
    text: t(
      "How many tricks will you win? Exactly right: 20 points, and 10 for each trick. Wrong: 10 lost for each trick too many or too few.",
    ),
  },
  {
    at: "play",
    to: "#hand",
    text: t("Play a framed card. If you can, you must play the suit of the first card."),
  },
  {
    at: "play",
    to: "#players li[data-own]",
    text: t(
      "Your points; below them your tricks so far, and your bid. Each dot is a trick to win; win no more than that.",
    ),
  },
  {
    at: "bid",
    to: "#hint",
    text: t(
      "Not sure? A hint shows the chance of meeting your bid with each choice, and the points to expect.",
    ),
  },
];

export function offerLessons() {
  $("teaching").checked = savedSetting(TAUGHT) !== "yes";
  $("teaching").onchange = () => {
    saveSetting(TAUGHT, $("teaching").checked ? "" : "yes");
    $("coach").hidden = true;
  };
  $("no-more").onclick = () => {
    saveSetting(TAUGHT, "yes");
    $("teaching").checked = false;
    $("coach").hidden = true;
  };
  window.addEventListener("resize", place, { signal: visitSignal() });
}

let shown = null; // the lesson in the bubble

// Shows the next lesson for this moment on a thing that is there, unless a hint is shown: two voices at once say nothing.
export function teach(view, hasHint) {
  const read = lessonsRead();
  const isThere = (thing) => document.querySelector(thing)?.checkVisibility();
  const isDue = ({ at, to }, number) => !read.includes(number) && at === view.scene.phase && isThere(to);
  const number = LESSONS.findIndex(isDue);
  const quiet = hasHint || view.you === null || !view.legal.length || view.waiting;
  $("coach").hidden = quiet || number < 0 || !$("teaching").checked;
  if ($("coach").hidden) return;
  shown = LESSONS[number];
  $("coach").firstElementChild.textContent = shown.text;
  $("onward").onclick = () => {
    saveSetting(TAUGHT, [...read, number].join());
    teach(view, hasHint);
  };
  place();
}

function lessonsRead() {
  const saved = savedSetting(TAUGHT);
  return saved === "yes" ? LESSONS.map((_, number) => number) : saved.split(",").filter(Boolean).map(Number);
}

// Lays the bubble above its thing; where there is no room, below it, and else to its left.
function place() {
  const bubble = $("coach");
  const thing = document.querySelector(shown?.to ?? "none");
  if (bubble.hidden || !thing) return;
  const { left, right, top, bottom } = thing.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = bubble;
  const side = top > height + GAP ? "above" : bottom + height + GAP < innerHeight ? "below" : "left";
  const x = side === "left" ? left - width - GAP : (left + right - width) / 2;
  const y = { above: top - height - GAP, below: bottom + GAP, left: (top + bottom - height) / 2 }[side];
  const within = (value, size, room) => Math.max(GAP, Math.min(value, room - size - GAP));
  const [atX, atY] = [within(x, width, innerWidth), within(y, height, innerHeight)];
  bubble.dataset.side = side;
  bubble.style.left = `${atX}px`;
  bubble.style.top = `${atY}px`;
  const point = side === "left" ? (top + bottom) / 2 - atY : (left + right) / 2 - atX;
  bubble.style.setProperty("--point", `${within(point, 0, side === "left" ? height : width)}px`);
}
