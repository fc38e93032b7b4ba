// Explains the first game: a sentence at each kind of decision, until the person turns it off.
import { t } from "../language.js";
import { $ } from "../shared/elements.js";
import { savedSetting, saveSetting } from "../shared/storage.js";

const TAUGHT = "taught";
const LESSONS = {
  bid: t(
    "Look at your hand and guess how many tricks it wins. Exactly right: 20 points and 10 for each trick; otherwise 10 points lost for each trick too many or too few.",
  ),
  play: t(
    "Framed cards may be played: follow the led suit if you can. Wizards win, Jesters lose, and trumps beat other suits.",
  ),
  trump: t("You deal and a Wizard was turned up: name the suit that you have most of."),
  wait: t("The others act in turn. Each plate shows tricks won / bid; the pad keeps the score."),
  over: t("That was your first game. Review it to see where points were lost."),
};

export function offerLessons() {
  $("teaching").checked = savedSetting(TAUGHT) === "";
  $("teaching").onchange = () => {
    saveSetting(TAUGHT, $("teaching").checked ? "" : "yes");
    $("coach").hidden = !$("teaching").checked;
  };
  $("coach").querySelector("button").onclick = () => {
    $("teaching").checked = false;
    $("teaching").onchange();
  };
}

export function teach(view) {
  $("coach").hidden = !$("teaching").checked || view.you === null;
  const { phase } = view.scene;
  const lesson = phase === "over" || view.legal.length ? phase : "wait";
  $("coach").firstElementChild.textContent = LESSONS[lesson];
}
