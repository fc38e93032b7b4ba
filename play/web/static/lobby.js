// Before the table: who sits there, which rules, and seats that links lead to.
import { $, ask, complain, make } from "./elements.js";
import { look } from "./review.js";

const MOST = 6;
const LEAST = 3;
const NAME = "wizard name";

export function lobby(agents) {
  const rows = $("seats");
  const seats = () => [...rows.querySelectorAll("select")];
  const count = () => {
    $("more").disabled = seats().length >= MOST;
    $("fewer").disabled = seats().length <= LEAST;
  };
  const add = () => {
    const first = !seats().length;
    const select = make("select", {}, new Option(first ? "you" : "another person, by link", ""));
    for (const { name, lead } of agents) {
      select.append(new Option(lead === null ? name : `${name} (${lead > 0 ? "+" : ""}${lead})`, name));
    }
    if (!first) select.value = agents.at(-1).name;
    rows.append(make("label", {}, `Seat ${seats().length + 1}`, select));
    count();
  };
  for (let seat = 0; seat < 4; seat++) add();
  $("more").onclick = add;
  $("fewer").onclick = () => { rows.lastElementChild.remove(); count(); };
  $("person").value = localStorage.getItem(NAME) ?? "";
  $("lobby").onsubmit = (event) => {
    event.preventDefault();
    const sizes = $("sizes").value.split(/[\s,]+/).filter(Boolean);
    const wrong = sizes.find((size) => !/^\d+$/.test(size));
    if (wrong) return complain(`Hand sizes: ${wrong} is no whole number; they are written as in 1,2,3.`);
    enter("tables", $("person").value, {
      seats: seats().map((select) => select.value || null),
      bid_restriction: $("restriction").value, bid_reveal: $("reveal").value, magic_edition: $("magic").checked,
      hand_sizes: sizes.length ? sizes.map(Number) : null,
    });
  };
  $("file").onchange = async () => {
    const [file] = $("file").files;
    if (file) look(await file.text());
  };
  $("lobby").hidden = false;
}

// A seat that is open at a table, for whoever came by its link.
export function join(table) {
  $("joiner").value = localStorage.getItem(NAME) ?? "";
  $("join").onsubmit = (event) => {
    event.preventDefault();
    enter(`tables/${table}/seats`, $("joiner").value, {});
  };
  $("join").hidden = false;
}

async function enter(address, person, wanted) {
  localStorage.setItem(NAME, person.trim());
  const opened = await ask(address, { person: person.trim() || null, ...wanted });
  if (!opened) return;
  complain("");
  if (opened.token) localStorage.setItem(`wizard ${opened.table}`, opened.token);
  if (location.hash.slice(1) === opened.table) location.reload();
  else location.hash = opened.table;
}
