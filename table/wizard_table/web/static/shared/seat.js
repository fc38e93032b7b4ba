// Taking a seat under the name that a person has typed.
import { t } from "../language.js";
import { ask } from "./connection.js";
import { savePerson, saveToken } from "./storage.js";

// Asks for a seat, saves its token and returns the answer. Meanwhile the form's button is disabled and says so.
export async function takeSeat(form, address, name, others = {}) {
  const button = form.querySelector("button.main");
  if (button.disabled) return null;
  button.disabled = true;
  const label = [...button.childNodes];
  button.textContent = t("One moment …");
  const person = name.trim();
  savePerson(person);
  const opened = await ask(address, { person: person || null, ...others });
  button.disabled = false;
  button.replaceChildren(...label);
  if (opened?.token) saveToken(opened.table, opened.token);
  return opened;
}
