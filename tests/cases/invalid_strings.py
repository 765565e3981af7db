"""A case of text_errors.json."""

from reference import parse_error, strings

from cases.table import details


def error(id, why, string, of="policy"):
    try:
        strings.parse(of, string)
    except parse_error.ParseError as refused:
        return {
            "id": id,
            "why": why,
            "of": of,
            "text": string,
            "error": {"code": refused.code, "at": refused.at, "found": refused.found} | details(refused),
        }
    raise AssertionError(f"{id} is valid")


def budget(id, why, string):
    return error(f"budget-{id}", why, string, of="budget")
