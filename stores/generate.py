"""What the stores of shared budgets send to their servers, in each language: generate.py FOLDER writes it there."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
GENERATED = "Generated from {} by `cargo xtask generate`. Do not edit."


def statements(name):
    """The sections of a file. Each begins with a comment: its name, and what it does."""
    content = (HERE / name).read_text(encoding="utf-8")
    return [
        (*head.split(": ", 1), text.rstrip())
        for head, text in re.findall(r"^-- (\w+: .*)\n((?:(?!-- ).*\n)*)", content, re.MULTILINE)
    ]


def rust(source, found):
    constants = (
        f'\n/// {about}.\npub(super) const {name.upper()}: &str = "\\\n{text}";\n'
        for name, about, text in found
    )
    return f"//! {GENERATED.format(source)}\n" + "".join(constants)


def go(engine, source, found):
    def camel(name):
        return re.sub("_(.)", lambda initial: initial[1].upper(), name)

    constants = (
        f"\n// {camel(name)}Text: {about}.\nconst {camel(name)}Text = `{text}`\n"
        for name, about, text in found
    )
    head = f"// Code generated from {source} by cargo xtask generate. DO NOT EDIT."
    return f"{head}\n\npackage backoff{engine}\n" + "".join(constants)


def main():
    files, sources, python, js = {}, [], "", ""
    for engine, name in (("redis", "redis.lua"), ("postgres", "postgres.sql")):
        source, found = f"stores/{name}", statements(name)
        sources.append(source)
        files[f"bindings-rust/adapters/src/{engine}/statements.rs"] = rust(source, found)
        files[f"bindings-go/adapters/{engine}/statements.go"] = go(engine, source, found)
        for name, about, text in found:
            constant = f"{engine}_{name}".upper()
            python += f'\n#: {about}\n{constant}: str = """\\\n{text}\\\n"""\n'
            js += f"\n/** {about}. */\nexport const {constant} = `{text}`;\n"
    head = GENERATED.format(" and ".join(sources))
    path = "bindings-python/python/backoff_rs/adapters/_statements.py"
    files[path] = f'"""{head}"""\n{python}'
    files["bindings-wasm/js/adapters/statements.js"] = f"// {head}\n{js}"
    for path, content in files.items():
        file = Path(sys.argv[1]) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
