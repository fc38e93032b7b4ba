"""One stylesheet and one script, made of the page's sources, for two requests instead of forty."""

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Set
from graphlib import TopologicalSorter

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) ([\w$]+))", re.MULTILINE)
_EXPORTS = re.compile(r"^export \{([^}]*)\};\n", re.MULTILINE)
_LATER_IMPORT = re.compile(r'\bimport\("(\.[^"]+)"\)')
_OTHER = re.compile(r"^(?:import|export)\b.*|\bimport\(.*", re.MULTILINE)
_STYLE_COMMENT = re.compile(r"^\s*/\*.*?\*/", re.MULTILINE | re.DOTALL)
"""A comment that begins a line: such text cannot stand within a string."""
_INDENTATION = re.compile(r"\n\s+")
_SPACE = re.compile(r"^([\w-]+): ", re.MULTILINE)
"""The space after the name of a property."""
_FIRST = """const modules = {};
const loadBundle = async (address) => (await import(address)).load(modules);
"""
_MODULE = """modules["{name}"] = await (async () => {{
{body}return {{ {exported} }};
}})();
"""
_LATER = """let loaded = null;
export const load = (modules) => {{
loaded ??= (async () => {{
{functions}return modules["{name}"];
}})();
return loaded;
}};
"""


def bundle_scripts(sources: Mapping[str, str], start: str, add: Callable[[str], str]) -> str:
    """Return one module that does what the module `start` does with all that it imports.

    Each source becomes the body of a function, which returns what the source exports. Imports and exports
    must name what they move, as Biome formats them. A module that `start` imports by `import("...")` becomes
    a bundle of its own, with what it needs besides.

    Args:
        sources: the text of each module by its path.
        start: the path of the first module.
        add: called with each other bundle; returns its address.

    Raises ValueError for other imports and exports.
    """
    sources = {name: _without_comments(source) for name, source in sources.items()}
    imports = {name: _imports(name, source) for name, source in sources.items()}
    first = _behind(start, imports)

    def load_later(found: re.Match[str]) -> str:
        name = _path(start, found[1])
        functions = _functions(sources, imports, _behind(name, imports) - first)
        return f'loadBundle("./{add(_LATER.format(functions=functions, name=name))}")'

    sources[start] = _LATER_IMPORT.sub(load_later, sources[start])
    return _FIRST + _functions(sources, imports, first)


def bundle_styles(sources: Iterable[str]) -> str:
    """Return the stylesheets one after the other, without comments and indentation."""
    return _SPACE.sub(r"\1:", _INDENTATION.sub("\n", _STYLE_COMMENT.sub("", "".join(sources))))


def _functions(sources: Mapping[str, str], imports: Mapping[str, list[str]], names: Set[str]) -> str:
    """Return the functions of modules, each after those that it needs."""
    needed = {name: [one for one in imports[name] if one in names] for name in sorted(names)}
    return "".join(_as_function(name, sources[name]) for name in TopologicalSorter(needed).static_order())


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
    """Leave out the lines that are comments, and indentation, but nothing within a template string."""
    lines, in_template = [], False
    for line in source.splitlines(keepends=True):
        text = line if in_template else line.lstrip()
        if in_template or (text and not text.startswith("//")):
            in_template ^= line.count("`") % 2 == 1
            lines.append(text)
    return "".join(lines)
