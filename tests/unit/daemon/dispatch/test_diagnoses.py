"""What the doctor found is kept; one that cannot be run is said, and what it found before stays."""

import sys
from typing import Any

from palimp_daemon.dispatch.diagnoses import Diagnoses
from palimp_daemon.features.handler import Invocation
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon_messages import Diagnose, DoctorFinding
from palimp_protocol.operations import OPERATIONS

FOUND = [DoctorFinding(check="disk", state="warning", text="Little is free.", hint="Free some.")]


async def answer(diagnoses: Diagnoses, **asked: Any):
    return await diagnoses.answer(Invocation(OPERATIONS["diagnose"], Diagnose(**asked), Caller(), b""))


async def test_findings_are_kept_with_their_time():
    diagnoses = Diagnoses(lambda: 7)
    assert (await answer(diagnoses)).at == 0
    await answer(diagnoses, found=FOUND)
    kept = await answer(diagnoses)
    assert (kept.at, kept.findings, kept.problem) == (7, FOUND, "")


async def test_a_doctor_that_cannot_be_run_is_said_beside_what_was_found_before():
    diagnoses = Diagnoses(lambda: 7, [sys.executable, "-c", "raise SystemExit(3)"])
    await answer(diagnoses, found=FOUND)
    looked = await answer(diagnoses, look=True)
    assert looked.findings == FOUND
    assert looked.problem == "`palimp doctor`: it exited with 3."
