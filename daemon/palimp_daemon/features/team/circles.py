"""Circles of links from several replicas: all but the latest hold, everywhere."""

from palimp_daemon.features.team.compared_values import link_of_value
from palimp_daemon.features.team.deciding import Arrow, without_circles
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import memory_links, team_links, team_registers
from palimp_daemon.store.tables.team_links import LinkState


def settle_circles(store: Store, project: int, relation: str) -> None:
    """Let links of *relation* hold by `deciding.without_circles`."""
    if relation == "disagrees":
        return  # which may go in a circle
    values = {
        Arrow(stamp, newer, older): value
        for stamp, newer, older, value in team_registers.link_registers(store, project, relation)
    }
    kept = without_circles(values)
    for arrow in sorted(values, key=lambda arrow: arrow in kept):  # those first that are not to hold
        newer, older = team_links.memory_with_id(store, arrow.newer), team_links.memory_with_id(store, arrow.older)
        if newer is None or older is None:
            continue
        held = team_links.link_holding(store, newer.seq, older.seq, relation)
        link, at = link_of_value(newer.seq, older.seq, relation, values[arrow])
        if held and arrow not in kept:
            memory_links.undo_link(store, held.number, at)
        elif not held and arrow in kept and not memory_links.would_circle(store, link.newer, link.older, link.relation):
            memory_links.set_link(store, link, at)


def is_suppressed(store: Store, project: int, link: LinkState) -> bool:
    """Tell whether only a circle keeps *link* from holding."""
    arrows = [Arrow(*each[:3]) for each in team_registers.link_registers(store, project, link.relation)]
    mine = [arrow for arrow in arrows if (arrow.newer, arrow.older) == (link.newer, link.older)]
    return bool(mine) and mine[0] not in without_circles(arrows)
