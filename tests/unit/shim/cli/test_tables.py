"""Tables on a terminal."""

import pytest

from palimp_shim.cli.output import print_rows
from palimp_shim.cli.tables import Column, print_table


def test_columns_without_names_have_no_line_of_names(capsys: pytest.CaptureFixture[str]):
    print_table([Column(""), Column("", is_text=True)], [["h1", "a part"]])
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [["h1", "a", "part"]]


def test_a_count_in_a_pipe_says_of_what(capsys: pytest.CaptureFixture[str]):
    columns = [Column("rule"), Column("kept", is_number=True), Column("broken", is_number=True)]
    print_rows(columns, [["m1", "3", ""]], of_counts=True)
    assert capsys.readouterr().out == "m1\t3 kept\t\n"
