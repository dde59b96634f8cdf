#!/usr/bin/env bash
# 29 November 2026, hypothesis 6.170.15 (from PyPI), Python 3.11.
#
# A failing state machine prints: "You can reproduce this test case by temporarily adding @reproduce_failure(...) as a
# decorator on your test function". What stands in a test file of a state machine is Machine.TestCase.
# One would guess: there it is heeded, or refused.
# Seen: on Machine.TestCase it is accepted and passed over without a word: the usual examples are generated, and the test
# is green where these do not fail. On the machine itself it is heeded, and an example that does not fail is an error.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "hypothesis==6.170.15"
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import re
import unittest

from hypothesis import Phase, reproduce_failure, settings, strategies
from hypothesis.errors import DidNotReproduce
from hypothesis.stateful import RuleBasedStateMachine, rule

QUIET = settings(phases=[Phase.generate], max_examples=20, database=None, derandomize=True, print_blob=True)


def machine_failing(fails: bool):
    class Machine(RuleBasedStateMachine):
        lives = 0

        def __init__(self):
            super().__init__()
            type(self).lives += 1

        @rule(number=strategies.integers(0, 9))
        def step(self, number):
            assert not (fails and number == 7)

    Machine.TestCase.settings = QUIET
    return Machine


def outcome(case):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return "".join(text for _, text in result.errors + result.failures)


told = outcome(machine_failing(True).TestCase)
version, blob = re.search(r"@reproduce_failure\('([^']+)', (b'[^']+')\)", told).groups()
again = reproduce_failure(version, eval(blob))

on_machine, on_case = machine_failing(False), machine_failing(False)
again(on_machine)
again(on_case.TestCase)
machine_said, case_said = outcome(on_machine.TestCase), outcome(on_case.TestCase)
print(f"on the machine: {machine_said.strip().splitlines()[-1]} (examples: {on_machine.lives})")
print(f"on its TestCase: {case_said or 'passed'} (examples: {on_case.lives})")
assert DidNotReproduce.__name__ in machine_said and on_machine.lives < 5, "this has changed"
assert not case_said and on_case.lives >= 20, "this has changed"
PYTHON
