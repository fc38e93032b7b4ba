"""One stylesheet and one script, made of the page's sources, for two requests instead of forty."""

import posixpath
import re
from collections.abc import Mapping
from graphlib import TopologicalSorter

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) ([\w$]+))", re.MULTILINE)
_EXPORTS = re.compile(r"^export \{([^}]*)\};\n", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*|\bimport\(.*", re.MULTILINE)
_MODULE = """// --- {name}
modules["{name}"] = await (async () => {{
{body}return {{ {exported} }};
}})();
"""


def bundle_scripts(sources: Mapping[str, str], start: str) -> str:
    """Return one module that does what the module `start` does with all that it imports.

    Each source becomes the body of a function, which returns what the source exports. Imports and exports
    must name what they move, as Biome formats them.

    sources: the text of each module by its path. Raises ValueError for other imports and exports.
    """
    imports = {name: _imports(name, source) for name, source in sources.items()}
    needed = _behind(start, imports)
    ordered = TopologicalSorter({name: imports[name] for name in sorted(needed)}).static_order()
    return "const modules = {};\n" + "".join(
        _as_function(name, _without_comments(sources[name])) for name in ordered
    )


def _imports(name: str, source: str) -> list[str]:
    return [_path(name, imported) for _, imported in _IMPORT.findall(source)]


def _path(name: str, imported: str) -> str:
    """Return the path of a module that the module `name` imports."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))


def _behind(start: str, imports: Mapping[str, list[str]]) -> set[str]:
    """Return a module and all that it imports, directly or through others."""
    found, waiting = {start}, [start]
    while waiting:
        new = set(imports[waiting.pop()]) - found
        found |= new
        waiting += new
    return found


def _as_function(name: str, source: str) -> str:
    def take(found: re.Match[str]) -> str:
        names = re.sub(r"\s+as\s+", ": ", found[1])
        return f'const {{{names}}} = modules["{_path(name, found[2])}"];\n'

    exported = _EXPORT.findall(source)
    for names in _EXPORTS.findall(source):
        exported += [one.strip() for one in names.split(",") if one.strip()]
    body = _EXPORTS.sub("", _EXPORT.sub("", _IMPORT.sub(take, source)))
    if (other := _OTHER.search(body)) is not None:
        raise ValueError(f"{name}: {other[0]!r} cannot be bundled")
    return _MODULE.format(name=name, body=body, exported=", ".join(exported))


def _without_comments(source: str) -> str:
    """Leave out the lines that are comments, but none within a template string."""
    lines, in_template = [], False
    for line in source.splitlines(keepends=True):
        if in_template or not line.lstrip().startswith("//"):
            in_template ^= line.count("`") % 2 == 1
            lines.append(line)
    return "".join(lines)
