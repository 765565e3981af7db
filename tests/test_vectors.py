"""Tests the vector files against their schema, and that they cover every error code."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
import write_vectors
from reference import errors

HERE = Path(__file__).parent
LAYERS = sorted(path.stem for path in (HERE / "vectors").glob("*.json"))


def test_every_layer_is_written_and_no_other():
    assert sorted(write_vectors.LAYERS) == LAYERS


@pytest.fixture(scope="module")
def schema():
    schema = json.loads((HERE / "schema.json").read_text())
    jsonschema_rs.meta.validate(schema)
    return schema


def of_layer(schema, layer):
    """The schema for one layer, whose errors name the place that is wrong. Those of all name the whole file."""

    def is_of_layer(branch):
        names = branch["properties"]["layer"]
        return layer in names.get("enum", [names.get("const")])

    [branch] = filter(is_of_layer, schema["oneOf"])
    return schema | {"oneOf": [branch]}


@pytest.mark.parametrize("layer", LAYERS)
def test_vectors_fit_their_schema(layer, schema):
    content = json.loads((HERE / "vectors" / f"{layer}.json").read_text())
    validator = jsonschema_rs.validator_for(of_layer(schema, layer))
    validator.validate(content)
    assert content["count"] == len(content["cases"])
    first = content["cases"][0]
    assert validator.is_valid(content | {"cases": [first]})
    assert not validator.is_valid(content | {"cases": [first], "unknown": 1})
    assert not validator.is_valid(content | {"cases": [first | {"unknown": 1}]})


def cases(layer):
    return json.loads((HERE / "vectors" / f"{layer}.json").read_text())["cases"]


def test_every_code_of_the_specification_has_a_vector():
    layers = ["errors", "text_errors", "fits"]
    assert {
        case["error"]["code"] for layer in layers for case in cases(layer) if "error" in case
    } >= set(errors.CODES)


def test_every_vector_is_asked_by_verify_or_counted():
    rows = [json.loads(row) for row in (HERE / "vectors/requests.jsonl").read_text().splitlines()]
    asked = [row["id"].split("/", 1) for row in rows if "asked" in row]
    counted = {row["what"]: 0 for row in rows if "what" in row}
    for row in rows:
        if "what" in row:
            counted[row["what"]] += row["count"]
    # What a whole vector is called where it is counted.
    names = {
        "streams": "streams",
        "decisions": "operations",
        "resumptions": "resumptions",
        "retry_after": "values of Retry-After",
        "http_responses": "header fields",
        "http_methods": "methods of HTTP",
        "http_requests": "requests of HTTP clients",
        "budget_states": "steps of budgets",
        "exchanges": "exchanges of shared budgets",
        "loops": "loops",
        "defaults": "defaults of programs",
        "previews": "previews",
        "fits": "fits",
        "ratios": "floats",
        "stats": "stats",
        "stats_labels": "labels of stats",
        "budget_levels": "levels of budgets",
    }
    for layer in LAYERS:
        ids = {case["id"] for case in cases(layer)}
        found = {name for of, name in asked if of == layer}
        assert found <= ids
        assert len(ids - found) == counted.get(names.get(layer), 0), layer


def test_every_clause_is_one_of_the_specification():
    spec = (HERE.parent / "SPEC.md").read_text().splitlines()
    rows = [json.loads(row) for row in (HERE / "vectors/requests.jsonl").read_text().splitlines()]
    clauses = {row["clause"] for row in rows} - {"protocol"}
    for clause in clauses:
        assert any(line.startswith(f"{clause} ") for line in spec), clause
    # Each chapter has a clause, but that of extremes, which follows from others.
    assert {int(clause.split(".")[0]) for clause in clauses} == {*range(2, 20)} - {10}
