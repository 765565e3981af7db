"""Writes the reference of Python: the docstrings and signatures of the package as Markdown, a page for each module.

python python.py FOLDER
"""

import inspect
import re
import sys
import textwrap
from pathlib import Path

import griffe

BINDING = Path(__file__).parents[2] / "bindings-python"
PACKAGE = BINDING / "python"
#: A comment of Rust before a class, a method or a function, which becomes its docstring.
COMMENT = re.compile(
    r"((?: *///.*\n)+)(?: *(?:#\[.*|//(?!/).*|    .*|\)\])\n)*? *(?:pub\(crate\) )?(?:struct|fn) (\w+)|"
    r"^impl (\w+) \{|^(\})",
    re.MULTILINE,
)
#: A name and what it is, in columns: "policy     a Policy or a policy string".
ROW = re.compile(r"^(\S+(?:, \S+)*)\s{2,}(\S.*)$")


def native():
    """The docstrings of the extension, which its stub lacks, by class and name."""
    found = {}
    for path in sorted((BINDING / "src").glob("*.rs")):
        within = ""
        for comment, name, kind, end in COMMENT.findall(path.read_text(encoding="utf-8")):
            if kind or end:
                within = f"{kind}." if kind else ""
            else:
                lines = re.sub(r"^ */// ?", "", comment, flags=re.MULTILINE)
                found.setdefault(within + name, lines.strip())
    return found


NATIVE = native()


def text(docstring):
    """A docstring as Markdown: its columns become lists, its indented lines code."""
    shown = []
    for block in re.split(r"\n\n+", inspect.cleandoc(docstring)):
        lines = block.splitlines()
        if all(line.startswith("    ") for line in lines):
            code = textwrap.dedent(block)
            # A program with an empty line in it is one program.
            if shown and shown[-1].startswith("```python") and shown[-1].endswith("```"):
                shown[-1] = f"{shown[-1][:-4]}\n\n{code}\n```"
            else:
                shown.append(f"```python\n{code}\n```")
        elif ROW.match(lines[0]):
            shown.append("\n".join(listed(lines)))
        else:
            shown.append(escaped(block))
    return "\n\n".join(shown) + "\n"


def listed(lines):
    for line in lines:
        if (row := ROW.match(line)) and not line.startswith(" "):
            yield f"- `{row[1]}`: {escaped(row[2])}"
        else:
            yield f"  {escaped(line.strip())}"


def escaped(prose):
    return re.sub(r"([<*_])", r"\\\1", prose)


def signature(function, name):
    parts = []
    kinds = griffe.ParameterKind
    has_star = False
    for parameter in function.parameters:
        if parameter.kind is kinds.keyword_only and not has_star:
            parts.append("*")
            has_star = True
        star = {kinds.var_positional: "*", kinds.var_keyword: "**"}.get(parameter.kind, "")
        has_star = has_star or star == "*"
        part = star + parameter.name
        if parameter.annotation is not None:
            part += f": {parameter.annotation}"
        if parameter.default is not None and not star:
            part += f" = {parameter.default}" if parameter.annotation else f"={parameter.default}"
        if parameter.name not in {"self", "cls"}:
            parts.append(part)
        if parameter.kind is kinds.positional_only:
            following = [other.kind for other in function.parameters]
            last = len(following) - 1 - following[::-1].index(kinds.positional_only)
            if function.parameters[last].name == parameter.name and parts:
                parts.append("/")
    returns = f" -> {function.returns}" if function.returns is not None else ""
    line = f"{name}({', '.join(parts)}){returns}"
    if len(line) > 90 and parts:
        line = f"{name}(\n    " + ",\n    ".join(parts) + f",\n){returns}"
    prefix = "async def " if "async" in function.labels else "def "
    return prefix + line


def code(lines):
    return f"```python\n{lines}\n```\n"


def of_function(function, name, level):
    overloads = getattr(function, "overloads", None) or [function]
    lines = "\n".join(signature(each, function.name) for each in overloads)
    decorators = "@property\n" if "property" in function.labels else ""
    yield f"{level} {name}\n\n{code(decorators + lines)}"
    yield documented(function, name)


def of_attribute(attribute, name, level):
    yield f"{level} {name}\n\n{code(line_of(attribute))}"
    yield documented(attribute, name)


def documented(item, name):
    docstring = item.docstring.value if item.docstring else NATIVE.get(name)
    return text(docstring) if docstring else ""


def of_class(found, name):
    bases = ", ".join(str(base) for base in found.bases)
    shown = [
        (member_name, member)
        for member_name, member in found.members.items()
        if not member.is_alias and (not member_name.startswith("_") or member_name == "__init__")
    ]
    plain = [
        member
        for member_name, member in shown
        if member.is_attribute and not member.docstring and f"{name}.{member_name}" not in NATIVE
    ]
    lines = [f"class {name}({bases}):" if bases else f"class {name}:"]
    lines += [f"    {line_of(member)}" for member in plain]
    yield f"## {name}\n\n{code(chr(10).join(lines) if plain else lines[0][:-1])}"
    yield documented(found, name)
    for member_name, member in shown:
        own = f"{name}.{member_name}"
        if member.is_function:
            yield from of_function(member, own, "###")
        elif member.is_attribute and member not in plain:
            yield from of_attribute(member, own, "###")


def line_of(attribute):
    annotation = f": {attribute.annotation}" if attribute.annotation is not None else ""
    value = f" = {attribute.value}" if attribute.value is not None else ""
    line = f"{attribute.name}{annotation}{value}"
    return line if len(line) < 100 else f"{attribute.name}{annotation}"


def page(module, names):
    yield f"# {module.path}\n\n{code(f'import {module.path}')}"
    if module.docstring:
        yield text(module.docstring.value)
    for name in names:
        found = module.members[name]
        if found.is_alias:
            try:
                found = found.final_target
            except griffe.AliasResolutionError:
                continue
        if found.is_class:
            yield from of_class(found, name)
        elif found.is_function:
            yield from of_function(found, name, "##")
        elif found.is_attribute:
            yield from of_attribute(found, name, "##")


def public(module):
    exports = [str(name) for name in module.exports or []]
    return exports or [
        name
        for name, member in module.members.items()
        if not name.startswith("_") and not member.is_alias
    ]


def main(folder):
    package = griffe.load("backoff_rs", search_paths=[PACKAGE], resolve_aliases=True)
    modules = [package, package.members["testing"]]
    adapters = package.members["adapters"].members
    modules += [adapters[name] for name in sorted(adapters) if not name.startswith("_")]
    folder.mkdir(parents=True, exist_ok=True)
    for module in modules:
        name = module.path.removeprefix("backoff_rs").removeprefix(".") or "backoff_rs"
        content = "\n".join(page(module, public(module)))
        (folder / f"{name.replace('.', '-')}.md").write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
