"""Tests that the modules of each library import each other without a circle."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CRATES = [
    "core",
    "bindings-c",
    "bindings-python",
    "bindings-wasm",
    "bindings-wasm/glue",
    "bindings-rust",
    "bindings-rust/adapters",
    "tools/export",
    "tools/simulator",
    "tools/cli",
    "xtask",
]


def rust_modules(folder):
    """Each module's path and its source without comments and tests."""
    for file in sorted(folder.rglob("*.rs")):
        path = file.relative_to(folder).with_suffix("").parts
        code = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
        code = re.sub(r"#\[cfg\(test\)\]\s*mod \w+ \{.*", "", code, flags=re.DOTALL)
        yield path[:-1] if path[-1] in ("lib", "mod") else path, code


def use_tree(tree):
    """The paths of a `use` declaration, as tuples of names."""
    tree = re.sub(r"\s+as\s+\w+|\s+", "", tree)
    prefix, brace, rest = tree.partition("{")
    prefix = tuple(name for name in prefix.split("::") if name)
    if not brace:
        yield prefix
        return
    for branch in re.findall(r"(?:[^{},]|\{(?:[^{}]|\{[^{}]*\})*\})+", rest[:-1]):
        yield from (prefix + path for path in use_tree(branch))


def rust_graph(folder):
    modules = dict(rust_modules(folder))
    exports, paths = {}, {}
    for module, code in modules.items():

        def absolute(path, module=module):
            while path[0] in ("super", "self", "crate"):
                first, path = path[0], path[1:]
                module = {"super": module[:-1], "self": module, "crate": ()}[first]
                if not path:
                    return module
            return module + path

        children = [child[-1] for child in modules if child[:-1] == module and child]
        first = "|".join(["crate", "self", "super", *children])
        uses = re.findall(r"\b(pub\b[^;{}]*?\s)?use\s+([^;]+);", code)
        rest = re.sub(r"\buse\s+[^;]+;", "", code)
        inline = [tuple(path.split("::")) for path in re.findall(rf"\b(?:{first})(?:::\w+)+", rest)]
        trees = [(public, path) for public, tree in uses for path in use_tree(tree)]
        trees = [(public, path) for public, path in trees if re.fullmatch(first, path[0])]
        exports |= {(*module, path[-1]): absolute(path) for public, path in trees if public}
        paths[module] = [
            *map(absolute, inline),
            *(absolute(path) for public, path in trees if not public),
        ]

    def defined_in(path):
        """The module that defines the item, behind every `pub use`."""
        for end in range(1, len(path) + 1):
            if path[:end] in exports and path[:end] not in modules:
                return defined_in(exports[path[:end]] + path[end:])
        return next(path[:end] for end in range(len(path), -1, -1) if path[:end] in modules)

    return {module: {*map(defined_in, found)} - {module, ()} for module, found in paths.items()}


def python_graph(folder):
    graph = {}
    for file in sorted(folder.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        found = graph[file] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                package = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                names = [package / name.name for name in node.names]
                found |= {
                    p for path in [package, *names] if (p := path.with_suffix(".py")).is_file()
                } - {file}
    return graph


def javascript_graph(folder):
    statement = re.compile(r"^(?:import|export)\b[^;]*?[\"'](\.[^\"']+)[\"']", re.MULTILINE)
    return {
        file: {
            (file.parent / path).resolve()
            for path in statement.findall(file.read_text(encoding="utf-8"))
        }
        for file in sorted(folder.resolve().rglob("*.js"))
    }


def graphs(root):
    yield from ((crate, rust_graph(root / crate / "src")) for crate in CRATES)
    yield "the Python package", python_graph(root / "bindings-python/python")
    yield "the JavaScript package", javascript_graph(root / "bindings-wasm/js")


def layers(crate):
    """The rows of the table of a crate's modules in ARCHITECTURE.md, the lowest first."""
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    pattern = rf"`{crate}/src` [^|]*uses only the modules above it in this table:\n\n((?:\|.*\n)+)"
    (table,) = re.findall(pattern, page)
    rows = [re.findall(r"`([\w/]+)`", row.split("|")[1]) for row in table.splitlines()[2:]]
    return [[tuple(name.strip("/").split("/")) for name in row] for row in rows]


@pytest.mark.parametrize(
    ("crate", "beside"),
    [("core", {"ffi", "serde"}), ("tools/simulator", set()), ("tools/export", set())],
)
def test_a_module_uses_only_the_modules_above_it_in_the_table(crate, beside):
    floors = {name: floor for floor, row in enumerate(layers(crate)) for name in row}

    def floor_of(module):
        return floors[next(module[:end] for end in (2, 1) if module[:end] in floors)]

    graph = {module: uses for module, uses in rust_graph(ROOT / crate / "src").items() if module}
    listed = {module: uses for module, uses in graph.items() if module[0] not in beside}
    assert {module[:1] for module in listed} == {name[:1] for name in floors}
    below = [
        (module, used)
        for module, uses in listed.items()
        for used in uses
        if used[0] in beside or floor_of(used) > floor_of(module)
    ]
    assert below == []


def test_only_the_c_abi_has_unsafe_code():
    roots = {
        crate: [*(ROOT / crate / "src").glob("lib.rs"), *(ROOT / crate / "src").glob("main.rs")]
        for crate in CRATES
    }
    rule = re.compile(r"#!\[(?:forbid|deny)\(unsafe_code\b")
    with_unsafe = [
        crate for crate, (file,) in roots.items() if not rule.search(file.read_text("utf-8"))
    ]
    assert with_unsafe == ["bindings-c"]


@pytest.mark.parametrize(
    ("what", "graph"), [*graphs(ROOT)], ids=lambda value: value if isinstance(value, str) else ""
)
def test_there_is_no_circle(what, graph):
    assert graph, f"{what} has no modules"
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = " -> ".join(
            "::".join(node) if isinstance(node, tuple) else node.name for node in error.args[1]
        )
        pytest.fail(f"{what}: {circle}")
