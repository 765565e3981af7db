"""Tests the vector files against their schema, and that they cover every error code."""

import json
from pathlib import Path

import jsonschema
import pytest
import write_vectors
from reference import errors

HERE = Path(__file__).parent
LAYERS = sorted(path.stem for path in (HERE / "vectors").glob("*.json"))


def test_every_layer_is_written_and_no_other():
    assert sorted(write_vectors.LAYERS) == LAYERS


@pytest.fixture(scope="module")
def validator():
    schema = json.loads((HERE / "schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("layer", LAYERS)
def test_vectors_fit_their_schema(layer, validator):
    content = json.loads((HERE / "vectors" / f"{layer}.json").read_text())
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
