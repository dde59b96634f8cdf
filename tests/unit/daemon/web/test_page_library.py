"""Documents on the page: nothing of them is hidden, and nothing leads elsewhere."""

import pytest

from palimp_daemon.web.page_library import document_html


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
