"""Bindings of `palimp rules`."""

from collections.abc import Callable
from functools import partial

from palimp_daemon.features.handler import Binding, Bindings, StoreHandler, StoreJobs, StoreWork
from palimp_daemon.features.rules.mend_rule import mend_rule
from palimp_daemon.features.rules.rule_list import list_rules
from palimp_daemon.text.redact import Redactor


def bindings(jobs: StoreJobs, redact: Redactor, on_save: Callable[[], None]) -> Bindings:
    """Bind the operations on rules; *on_save* is called before each save."""
    return {
        "rules": Binding(StoreHandler(jobs, StoreWork(list_rules))),
        "mend_rule": Binding(StoreHandler(jobs, StoreWork(partial(mend_rule, redact=redact)), on_save)),
    }
