// Where the page begins: the part of the address behind # names a table, or the study of games that were played.
import { $ } from "./elements.js";
import { lobby } from "./lobby.js";
import { sit } from "./table.js";
import { STUDY, study } from "./review.js";

window.onhashchange = () => location.reload();
const agents = await (await fetch("agents")).json();
const names = agents.map((agent) => agent.name);
$("adviser").append(...names.toReversed().map((name) => new Option(name)));
const judges = agents.filter((agent) => agent.judges);
$("judges").append(...judges.toReversed().map((agent) => new Option(agent.name)));
$("judging").hidden = !judges.length;
const place = location.hash.slice(1);
if (place === STUDY) study();
else if (place) sit(place);
else lobby(agents);
