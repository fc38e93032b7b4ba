// The settings of this browser: colours, language, sounds and emotes; and the panel of rules and keys.
import { chooseLanguage, language, languages } from "../language.js";
import { $ } from "./elements.js";
import { savedSetting, saveSetting } from "./storage.js";

export function offerSettings() {
  for (const name of ["rules", "settings"]) {
    for (const button of document.querySelectorAll(`button.${name}`))
      button.onclick = () => $(name).showModal();
  }
  $("theme").value = savedSetting("theme");
  $("theme").onchange = () => {
    saveSetting("theme", $("theme").value);
    showTheme();
  };
  showTheme();
  $("language").append(...Object.entries(languages).map(([code, name]) => new Option(name, code)));
  $("language").value = language;
  $("language").onchange = () => chooseLanguage($("language").value);
  $("sounds").checked = savedSetting("sounds") === "on";
  $("sounds").onchange = () => saveSetting("sounds", $("sounds").checked ? "on" : "");
  $("emoting").checked = savedSetting("emotes") !== "off";
  $("emoting").onchange = () => saveSetting("emotes", $("emoting").checked ? "" : "off");
}

function showTheme() {
  document.documentElement.dataset.theme = savedSetting("theme");
}
