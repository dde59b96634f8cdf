"""What is drawn over time goes from the oldest to the newest, and says what was not."""

from datetime import date

from palimp_daemon.web.plots_over_time import (
    DailyPlot,
    WeekOfUsage,
    hook_days,
    hook_plots,
    plots_of,
    size_plot,
    weeks_of,
)
from palimp_protocol.messages.usage_messages import FileSizes, HookTimes, SavedCount, UsageCount


def test_the_counts_of_a_week_are_one_row_of_the_plot_newest_first():
    counts = [
        UsageCount(20_416, "codex", "start", 2, 4_000, 3, 1),
        UsageCount(20_402, "codex", "prompt", 1, 400, 1, 0),
        UsageCount(20_416, "qwen", "asked", 1, 400, 2, 2),
    ]
    assert weeks_of(counts) == [
        WeekOfUsage(date(2025, 11, 24), 1_100, 5, 3, searches=1),
        WeekOfUsage(date(2025, 11, 17)),
        WeekOfUsage(date(2025, 11, 10), 100, 1, 0, prompts=1),
    ]
    assert weeks_of([]) == []


def test_a_week_in_which_memories_were_only_saved_is_one_too():
    """Beside what was found and what was not."""
    counts = [UsageCount(20_416, "codex", "nothing", 3, 90, 0, 0), UsageCount(20_416, "codex", "silent", 4, 0, 0, 0)]
    assert weeks_of(counts, [SavedCount(20_409, 7)]) == [
        WeekOfUsage(date(2025, 11, 24), 22, unanswered=3, silent=4),
        WeekOfUsage(date(2025, 11, 17), saved=7),
    ]


def test_what_is_drawn_goes_from_the_oldest_week_to_the_newest_and_leaves_out_what_never_was():
    counts = [
        UsageCount(20_416, "codex", "start", 2, 4_000, 3, 0),
        UsageCount(20_409, "codex", "prompt", 1, 400, 1, 0),
    ]
    assert plots_of(weeks_of(counts)) == [
        ("tokens given", [100, 1_000]),
        ("memories given", [1, 3]),
        ("prompts given something", [1, 0]),
    ]


def test_each_moment_of_hooks_is_drawn_from_the_first_day_to_the_last_also_where_none_ran():
    hooks = [
        HookTimes(20_000, "prompt", 4, 10.0, 20.0),
        HookTimes(20_000, "start", 1, 5.0, 5.0),
        HookTimes(20_002, "prompt", 2, 11.0, 12.5),
    ]
    start, prompt = hook_plots(hooks)
    assert start == DailyPlot("at a session's start", date(2024, 10, 4), [5.0, 0, 0], [5.0, 0, 0])
    assert prompt == DailyPlot("with a prompt", date(2024, 10, 4), [20.0, 0, 12.5], [10.0, 0, 11.0])
    assert start.last == (5.0, 5.0, date(2024, 10, 4))
    assert hook_days(hooks) == [
        (date(2024, 10, 6), ["2 with a prompt, 11.0 and 12.5 ms"]),
        (date(2024, 10, 4), ["1 at a session's start, 5.0 and 5.0 ms", "4 with a prompt, 10.0 and 20.0 ms"]),
    ]
    assert hook_plots([]) == []


def test_files_are_as_large_as_the_day_before_where_no_daemon_looked():
    drawn = size_plot([FileSizes(20_000, 1_000_000, 500_000), FileSizes(20_002, 3_000_000, 0)])
    assert drawn == DailyPlot("MB", date(2024, 10, 4), [1.5, 1.5, 3.0], [1.0, 1.0, 3.0])
    assert size_plot([]) is None
