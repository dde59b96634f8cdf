"""Documents on the page: nothing of them is hidden, and nothing leads elsewhere."""

from datetime import date

import pytest

from palimp_daemon.web.page_library import WeekOfUsage, document_html, plots_of, weeks_of
from palimp_protocol.messages.usage_messages import SavedCount, UsageCount


@pytest.mark.parametrize(
    "text",
    [
        "[docs](https://elsewhere.example)",
        "![docs](https://elsewhere.example)",
        "<https://elsewhere.example>",
        "See [docs].\n\n[docs]: https://elsewhere.example",
    ],
)
def test_what_leads_elsewhere_is_shown_as_it_is_written(text: str):
    html = document_html(text)
    assert "elsewhere.example" in html
    assert "href" not in html
    assert "src" not in html


def test_html_of_a_document_is_text():
    assert "<script>" not in document_html("<script>alert(1)</script>")


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
