"""Random requests, valid and broken, to which the evaluators of all languages must give the answers of the reference. Pytest does
not collect this file unless its name is an argument: the tests need the programs that `cargo xtask test shared` builds."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "integrations"))

import programs
from reference import errors, operations

HERE = Path(__file__).parent
SEED = 20261121
EVALUATORS = programs.of("evaluators")
#: How many requests of each form the reference answers.
COUNTS = {"field": 1000, "string": 10000, "decision": 6000, "member": 1500}
#: The reference is slow: of these, Rust answers the others, which the other languages must answer alike.
FIELDS = 13000
#: What the answers must contain, and at least how often, so that the test stays large.
HELD = {
    "string": [
        (1500, ['"canonical":']),
        # Only a fit has `does_not_fit`.
        (5, [f'{{"error":"{code}",' for code in errors.CODES if code != "does_not_fit"]),
        (5, ['{"error":"not_a_request",']),
    ],
    "decision": [
        (5000, ['{"wait":']),
        (1500, ['"answers":[{']),
        (750, [f'{{"stop":"{reason}",' for reason in operations.REASONS]),
        (400, ['{"error":"not_a_request","at":0}']),
        (500, ['{"limit":"', '{"limit":null,']),
        (350, ['{"retry_after":"']),
        (300, ['"of":"budget"}']),
        (250, ['{"rows":[[']),
        (150, ['"budget":null,"answers":[{', '"budget":"quota', '"budget":"throttle']),
        (150, ['"budget":"ratio', '"budget":"rate', '"budget":"ttl', '"budget":"concurrent']),
        (125, ['{"retry_after":null}']),
        (50, ['{"rows":[]}']),
        (25, ['"field":"max_attempts",', '"field":"base",', '"field":"cap",']),
        (1, [f'{{"error":"{code}",' for code in errors.CODES]),
    ],
    "member": [
        (1500, ['"local":true', '{"answer":"waits",']),
        (1250, ['"changed":true,']),
        (750, ['{"granted":[']),
        (400, ['{"granted":true,']),
        (350, ['{"granted":false,', '{"wait":"']),
        (250, ['{"error":"not_now"}']),
        (150, ['{"wait":null,', '"answer":"granted","held":"0","local":false']),
        (100, ['{"outcome":"throttled","retry_after":"', ',"retry_after":null}']),
        (75, ['{"error":"not_a_request","at":0}']),
        (50, ['"changed":false,"steps":[{', '{"after":null,']),
        (25, ['{"error":"not_a_state","at":0,"of":"text"}']),
        (15, ['"of":"budget"}']),
        (5, ['"of":"local"}', '{"error":"not_shared",']),
    ],
}


def requests(form, count):
    command = [sys.executable, HERE / f"{form}_requests.py", str(SEED), str(count)]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def assert_same(asked, expected, answers):
    lines = [text.split(b"\n") for text in (asked, expected, answers)]
    for request, right, answer in zip(*lines, strict=False):
        if answer != right:
            shown = f"request   {request}\nexpected  {right}\nanswered  {answer}"
            pytest.fail(shown, pytrace=False)
    assert len(lines[2]) == len(lines[1])


@pytest.fixture(scope="module", params=COUNTS)
def asked(request):
    form = request.param
    questions = requests(form, COUNTS[form])
    command = [sys.executable, HERE.parent / "evaluate.py"]
    answers = subprocess.run(command, input=questions, stdout=subprocess.PIPE, check=True).stdout
    return form, questions, answers


def test_the_answers_are_of_every_kind(asked):
    form, _, answers = asked
    for least, texts in HELD.get(form, ()):
        for text in texts:
            assert answers.count(text.encode()) >= least, text
    if form == "decision":
        fits = re.findall(rb'^\{"canonical":.*"\}$', answers, re.MULTILINE)
        assert len(fits) >= 200


@pytest.mark.parametrize("language", EVALUATORS)
def test_a_language_answers_as_the_reference(asked, language):
    _, questions, expected = asked
    assert_same(questions, expected, programs.answers(EVALUATORS[language], questions))


@pytest.fixture(scope="module")
def fields():
    questions = requests("field", FIELDS)
    answers = programs.answers(EVALUATORS["rust"], questions)
    return questions, answers


def test_the_delays_are_many(fields):
    lines = fields[1].split(b"\n")
    assert sum(line.startswith(b'{"error":') for line in lines) >= 500
    # Each delay is the only text in quotes but the name of the member.
    delays = [line for line in lines if line.startswith(b'{"delays":[')]
    assert sum(line.count(b'"') // 2 - 1 for line in delays) >= 1_000_000


@pytest.mark.parametrize("language", [name for name in EVALUATORS if name != "rust"])
def test_a_language_computes_the_delays_of_rust(fields, language):
    assert_same(*fields, programs.answers(EVALUATORS[language], fields[0]))
