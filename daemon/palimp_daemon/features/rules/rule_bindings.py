"""Rules: what answers `palimp rules`."""

from palimp_daemon.features.handler import Binding, Bindings, StoreHandler, StoreJobs, StoreWork
from palimp_daemon.features.rules.rule_list import list_rules


def bindings(jobs: StoreJobs) -> Bindings:
    """Return what answers the operation on rules."""
    return {"rules": Binding(StoreHandler(jobs, StoreWork(list_rules)))}
