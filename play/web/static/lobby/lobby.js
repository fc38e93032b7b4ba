// Before the table: the form that opens one, and the form for a seat that a link leads to.
import { goTo, REVIEW } from "../shared/address.js";
import { ask } from "../shared/connection.js";
import { $, complain, make } from "../shared/elements.js";
import { savedPerson, savePerson, saveRecords, saveToken } from "../shared/storage.js";

const MOST_SEATS = 6;
const FEWEST_SEATS = 3;
const FIRST_SEATS = 4; // seats in the form when it opens

export function lobby(agents) {
  const rows = $("seats");
  const seats = () => [...rows.querySelectorAll("select")];
  const limit = () => {
    $("more").disabled = seats().length >= MOST_SEATS;
    $("fewer").disabled = seats().length <= FEWEST_SEATS;
  };
  const add = () => {
    const first = !seats().length;
    const select = make("select", {}, new Option(first ? "you" : "another person, by link", ""));
    for (const { name, lead } of agents) {
      select.append(new Option(lead === null ? name : `${name} (${lead > 0 ? "+" : ""}${lead})`, name));
    }
    if (!first) select.value = agents.at(-1).name;
    rows.append(make("label", {}, `Seat ${seats().length + 1}`, select));
    limit();
  };
  for (let seat = 0; seat < FIRST_SEATS; seat++) add();
  $("more").onclick = add;
  $("fewer").onclick = () => {
    rows.lastElementChild.remove();
    limit();
  };
  $("person").value = savedPerson();
  $("lobby").onsubmit = (event) => {
    event.preventDefault();
    const sizes = $("sizes")
      .value.split(/[\s,]+/)
      .filter(Boolean);
    const wrong = sizes.find((size) => !/^\d+$/.test(size));
    if (wrong) return complain(`Hand sizes: ${wrong} is not a whole number; write them like 1,2,3.`);
    enter("tables", $("person").value, {
      seats: seats().map((select) => select.value || null),
      bid_restriction: $("restriction").value,
      bid_reveal: $("reveal").value,
      magic_edition: $("magic").checked,
      hand_sizes: sizes.length ? sizes.map(Number) : null,
    });
  };
  $("file").onchange = async () => {
    const [file] = $("file").files;
    if (file && saveRecords(await file.text())) goTo(REVIEW);
  };
  $("lobby").hidden = false;
}

// Offers an open seat at a table to a person who followed its link.
export function join(table) {
  $("joiner").value = savedPerson();
  $("join").onsubmit = (event) => {
    event.preventDefault();
    enter(`tables/${table}/seats`, $("joiner").value, {});
  };
  $("join").hidden = false;
}

async function enter(address, name, wanted) {
  const person = name.trim();
  savePerson(person);
  const opened = await ask(address, { person: person || null, ...wanted });
  if (!opened) return;
  if (opened.token) saveToken(opened.table, opened.token);
  goTo(opened.table);
}
