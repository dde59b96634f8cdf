"""Plots on the page of health: counts by week; hook times and file sizes by day."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

from palimp_protocol.messages.usage_messages import HOOKS_AT, FileSizes, HookTimes, SavedCount, UsageCount


class WeekOfUsage(NamedTuple):
    """Sums of a week that begins on *monday*."""

    monday: date
    tokens: int = 0
    memories: int = 0
    used: int = 0
    searches: int = 0
    unanswered: int = 0
    prompts: int = 0
    silent: int = 0
    acts: int = 0
    saved: int = 0


PLOTS: Final = {
    "saved": "memories saved",
    "tokens": "tokens given",
    "memories": "memories given",
    "used": "memories that were used",
    "searches": "searches with an answer",
    "unanswered": "searches that found nothing",
    "prompts": "prompts given something",
    "silent": "prompts given nothing",
    "acts": "acts given something",
}
"""Plotted fields of a week, in order, with their titles."""

_COUNTED_AS: Final = {
    "asked": "searches",
    "nothing": "unanswered",
    "prompt": "prompts",
    "silent": "silent",
    "action": "acts",
}


def weeks_of(counts: Sequence[UsageCount], saved: Sequence[SavedCount] = ()) -> list[WeekOfUsage]:
    """Sum by week, newest first, including empty weeks between."""
    known_weeks = {each.week for each in (*counts, *saved)}
    if not known_weeks:
        return []
    first, last = min(known_weeks), max(known_weeks)
    weeks = {week: WeekOfUsage(date(1970, 1, 1) + timedelta(days=week)) for week in range(last, first - 1, -7)}
    for each in counts:
        known = weeks[each.week]
        moment = _COUNTED_AS.get(each.moment)
        weeks[each.week] = known._replace(
            tokens=known.tokens + each.tokens,
            memories=known.memories + each.memories,
            used=known.used + each.used,
            **({moment: getattr(known, moment) + each.times} if moment else {}),
        )
    for each in saved:
        weeks[each.week] = weeks[each.week]._replace(saved=each.count)
    return list(weeks.values())


def plots_of(weeks: Sequence[WeekOfUsage]) -> list[tuple[str, list[int]]]:
    """Return names and values of *weeks*, oldest first, unless always 0."""
    drawn = [(called, [getattr(each, field) for each in reversed(weeks)]) for field, called in PLOTS.items()]
    return [(called, values) for called, values in drawn if any(values)]


class DailyPlot(NamedTuple):
    """Values by day from *begins* on, with smaller ones within."""

    name: str
    begins: date
    values: list[float]
    within: list[float]

    @property
    def last(self) -> tuple[float, float, date]:
        """The last value other than 0, that within it, and its day."""
        at = max((at for at, value in enumerate(self.values) if value), default=len(self.values) - 1)
        return self.values[at], self.within[at], self.begins + timedelta(days=at)


def hook_plots(hooks: Sequence[HookTimes]) -> list[DailyPlot]:
    """Return a plot for each moment of *hooks*: the 95th percentile in ms, within it the median; 0: none ran."""
    if not hooks:
        return []
    days = range(min(each.day for each in hooks), max(each.day for each in hooks) + 1)
    known = {(each.moment, each.day): each for each in hooks}
    plots: list[DailyPlot] = []
    for moment, called in HOOKS_AT.items():
        found = [known.get((moment, day)) for day in days]
        if any(found):
            values = [each.p95_ms if each else 0 for each in found]
            plots.append(DailyPlot(called, _date(days[0]), values, [each.p50_ms if each else 0 for each in found]))
    return plots


def hook_days(hooks: Sequence[HookTimes]) -> list[tuple[date, list[str]]]:
    """Return *hooks* in words by day, newest first."""
    days: dict[date, list[str]] = {}
    for each in sorted(hooks, key=lambda each: (-each.day, list(HOOKS_AT).index(each.moment))):
        said = f"{each.times:,} {HOOKS_AT[each.moment]}, {each.p50_ms:,.1f} and {each.p95_ms:,.1f} ms"
        days.setdefault(_date(each.day), []).append(said)
    return list(days.items())


def size_plot(sizes: Sequence[FileSizes]) -> DailyPlot | None:
    """Return megabytes of both databases, within them the memories'; missing days repeat the last."""
    if not sizes:
        return None
    by_day = {each.day: each for each in sizes}
    values, within, known = list[float](), list[float](), sizes[0]
    for day in range(sizes[0].day, sizes[-1].day + 1):
        known = by_day.get(day, known)
        values.append(_megabytes(known.memories_bytes + known.conversations_bytes))
        within.append(_megabytes(known.memories_bytes))
    return DailyPlot("MB", _date(sizes[0].day), values, within)


def _megabytes(size: int) -> float:
    return round(size / 1_000_000, 1)


def _date(day: int) -> date:
    return date(1970, 1, 1) + timedelta(days=day)
