"""Every program of the README and of `docs/` is run, and prints what the block after it shows."""

import inspect
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import backoff_rs
import pytest

FOLDER = Path(__file__).parents[1]
PAGES = {
    str(page.relative_to(FOLDER)): page.read_text("utf-8")
    for page in [FOLDER / "README.md", *sorted((FOLDER / "docs").glob("*.md"))]
}


def blocks(text):
    """The blocks of a page, without commands."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for block in found if block[0] != "sh"]


PAIRS = [
    pytest.param(code, printed, id=f"{name}-{at}")
    for name, text in PAGES.items()
    for at, ((_, code), (_, printed)) in enumerate(
        zip(blocks(text)[::2], blocks(text)[1::2], strict=True)
    )
]

FIELDS = [
    name
    for name, field in vars(backoff_rs.Policy).items()
    if inspect.isdatadescriptor(field) and not name.startswith("_")
]
KINDS = ["quota", "throttle", "ratio", "rate", "ttl", "concurrent"]
PRESETS = [
    "aws-sdk-standard",
    "aws-sdk-2026",
    "grpc-retry",
    "sre",
    "sre-process",
    "finagle",
    "envoy",
]


def test_every_snippet_shows_what_it_prints():
    for name, text in PAGES.items():
        languages = [language for language, _ in blocks(text)]
        assert languages == ["python", "text"] * (len(languages) // 2), name
    assert len(PAIRS) >= 14


@pytest.mark.parametrize(("code", "printed"), PAIRS)
def test_snippet(code, printed, capsys, tmp_path):
    if "import pytest" in code:
        (tmp_path / "test_page.py").write_text(code, "utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_page.py"]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert printed.rstrip() in run.stdout
        return
    exec(compile(code, "page", "exec"), {})
    assert capsys.readouterr().out == printed


def test_links_work_on_the_package_index():
    """Those of the README are within it, or absolute. `tests/test_links.py` checks where they lead."""
    links = re.findall(r"\]\(([^)]*)\)", PAGES["README.md"])
    repository = "https://github.com/backoff-rs/backoff"
    assert [link for link in links if not link.startswith(("#", repository))] == []
    assert f"{repository}/blob/main/SPEC.md" in links


def test_the_readme_links_every_page():
    assert [name for name in PAGES if f"/bindings-python/{name}" not in PAGES["README.md"]] == [
        "README.md"
    ]


def test_help_shows_no_ellipsis():
    for thing in [backoff_rs.Policy, *vars(backoff_rs.Policy).values()]:
        if callable(thing):
            assert "Ellipsis" not in str(inspect.signature(thing))
    for field in FIELDS:
        assert field in inspect.getdoc(backoff_rs.Policy).lower()


def test_every_field_and_kind_of_budget_is_on_its_page():
    for name in FIELDS:
        assert f"`{name}`" in PAGES["docs/policies.md"]
    for name in [*KINDS, *PRESETS]:
        assert f"`{name}`" in PAGES["docs/budgets.md"]
    for name in [*KINDS, *PRESETS]:
        assert backoff_rs.Budget.parse(name)


def public_names():
    for name in backoff_rs.__all__:
        thing = getattr(backoff_rs, name)
        if inspect.isclass(thing):
            yield name, thing
            for method, value in vars(thing).items():
                if not method.startswith("_") and value is not None:
                    yield f"{name}.{method}", value


@pytest.mark.parametrize("thing", [pytest.param(thing, id=name) for name, thing in public_names()])
def test_everything_public_is_documented(thing):
    assert inspect.getdoc(thing)


def test_docs_of_a_seed_warn_about_a_missing_key():
    warning = "Everyone with the same seed and no key waits the same"
    for documented in [backoff_rs.RandomStream, backoff_rs.Retrying]:
        assert warning in " ".join(inspect.getdoc(documented).split())
    assert warning in " ".join(PAGES["docs/without-a-loop.md"].split())


def test_the_clauses_that_docstrings_name_are_in_the_specification():
    """The docstring of the package says where that is."""
    (url,) = re.findall(r"https://\S+/SPEC.md", inspect.getdoc(backoff_rs))
    assert f"Specification, {url}" in metadata.metadata("backoff-rs").get_all("Project-URL")
    text = (FOLDER.parent / "SPEC.md").read_text("utf-8")
    clauses = set(re.findall(r"^(?:## )?(\d+(?:\.\d+)?)\.? ", text, re.MULTILINE))
    named = set()
    for public in [getattr(backoff_rs, name) for name in backoff_rs.__all__]:
        for documented in (
            [public, *vars(public).values()] if isinstance(public, type) else [public]
        ):
            for numbers in re.findall(
                r"SPEC\s+([\d., or]+)", getattr(documented, "__doc__", "") or ""
            ):
                named.update(re.findall(r"\d+(?:\.\d+)?", numbers))
    assert len(named) >= 15
    assert named <= clauses
