"""The script that is made of the page's scripts."""

import shutil
import subprocess
from pathlib import Path

import pytest
from wizard_table.web.bundle import bundle_scripts

START = """import { first as one, two } from "./parts/numbers.js";
import {
  sum,
} from "./parts/sum.js";

const later = await Promise.all([import("./later.js"), import("./later.js")]);
console.log(sum(one, two()), `
// not a comment
`.length, later[0].product(4, 5), later[0] === later[1]);
"""
LATER = """import { two } from "./parts/numbers.js";
import { times } from "./parts/times.js";

export const product = (a, b) => times(a, b) - two();
"""
TIMES = "export const times = (a, b) => a * b;\n"
NUMBERS = """// Two numbers.
const first = await Promise.resolve(1);
export { first };
export const two = () => sum - 1;
const sum = 3; // another than the function
"""
SUM = """import { two } from "./numbers.js";

export function sum(a, b) {
  return a + b + two();
}
"""
SOURCES = {"main.js": START, "parts/numbers.js": NUMBERS, "parts/sum.js": SUM, "unused.js": "no script"}
SOURCES |= {"later.js": LATER, "parts/times.js": TIMES}


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_a_bundle_does_what_its_modules_do(tmp_path: Path) -> None:
    """Names may be the same in several; one may wait; imports may be renamed; one is loaded later, once."""
    others: list[str] = []

    def add(other: str) -> str:
        others.append(other)
        (tmp_path / "other.mjs").write_text(other)
        return "other.mjs"

    (tmp_path / "bundle.mjs").write_text(bundle_scripts(SOURCES, "main.js", add))
    done = subprocess.run(
        ["node", str(tmp_path / "bundle.mjs")], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "5 18 18 true\n"
    assert "times = " in others[0]
    assert "two = " not in others[0]


def test_only_what_is_needed_is_bundled_and_comments_are_left_out() -> None:
    bundle = bundle_scripts(SOURCES, "main.js", str)
    assert "no script" not in bundle
    assert "Two numbers" not in bundle
    assert "\n// not a comment\n" in bundle


@pytest.mark.parametrize(
    "line",
    [
        'import all from "./parts/sum.js";',
        'import * as all from "./parts/sum.js";',
        'import "./parts/sum.js";',
        "export default 3;",
        'export { sum } from "./parts/sum.js";',
        "export let changing = 3;",
        "const later = await import(name);",
    ],
)
def test_other_imports_and_exports_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"main\.js: .* cannot be bundled"):
        bundle_scripts(SOURCES | {"main.js": line + "\n"}, "main.js", str)
