"""Tables on a terminal."""

import pytest

from palimp_shim.cli.tables import Column, print_table


def test_columns_without_names_have_no_line_of_names(capsys: pytest.CaptureFixture[str]):
    print_table([Column(""), Column("", is_text=True)], [["h1", "a part"]])
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [["h1", "a", "part"]]
