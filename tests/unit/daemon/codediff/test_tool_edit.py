"""What a tool call would make of a file, or has made."""

import json

from palimp_daemon.codediff.tool_edit import Texts, file_of, preview_edit, reconstruct_edit

TEXT = "one()\ntwo()\ntwo()\n"


def test_an_edit_replaces_the_first_place_or_all():
    given = {"old_string": "two", "new_string": "three"}
    assert preview_edit("Edit", given, TEXT).after == "one()\nthree()\ntwo()\n"
    assert preview_edit("Edit", given | {"replace_all": True}, TEXT).after == "one()\nthree()\nthree()\n"


def test_several_edits_are_made_one_after_the_other():
    edits = [
        {"old_string": "one", "new_string": "two"},
        {"old_string": "two", "new_string": "six", "replace_all": True},
    ]
    assert preview_edit("MultiEdit", {"edits": edits}, TEXT).after == "six()\nsix()\nsix()\n"


def test_an_edit_of_what_is_not_in_the_file_still_proposes_its_text():
    assert "new()" in preview_edit("Edit", {"old_string": "missing", "new_string": "new()"}, TEXT).after


def test_a_write_replaces_the_file():
    assert preview_edit("Write", {"content": "new"}, TEXT) == Texts(TEXT, "new")


def test_a_notebook_edit_is_about_its_cell():
    notebook = json.dumps({"cells": [{"id": "a", "source": ["x = 1\n", "y = 2"]}]})
    given = {"notebook_path": "n.ipynb", "cell_id": "a", "new_source": "x = 3"}
    assert preview_edit("NotebookEdit", given, notebook) == Texts("x = 1\ny = 2", "x = 3")
    assert preview_edit("NotebookEdit", given | {"edit_mode": "insert"}, notebook).before == ""
    assert preview_edit("NotebookEdit", given | {"edit_mode": "delete"}, notebook).after == ""
    assert preview_edit("NotebookEdit", given, "no json").before == ""


def test_what_an_edit_did_is_undone_in_the_text():
    given = {"old_string": "gone()\n", "new_string": "one()\n"}
    assert reconstruct_edit("Edit", given, {}, TEXT) == Texts("gone()\ntwo()\ntwo()\n", TEXT)


def test_the_clients_own_former_text_is_believed_first():
    assert reconstruct_edit("Write", {"content": TEXT}, {"originalFile": "former"}, TEXT) == Texts("former", TEXT)


def test_a_deletion_is_taken_from_the_edit_itself():
    assert reconstruct_edit("Edit", {"old_string": "gone()", "new_string": ""}, {}, TEXT) == Texts("gone()", "")


def test_a_write_over_an_unknown_text_removed_nothing_that_is_known():
    assert reconstruct_edit("Write", {"content": TEXT}, {}, TEXT) == Texts("", "")


def test_the_file_is_found_under_both_names():
    assert file_of({"file_path": "a"}) == "a"
    assert file_of({"notebook_path": "b"}) == "b"
    assert file_of({"file_path": 5}) == ""


def test_a_notebook_with_half_a_character_in_it_is_read():
    text = '{"cells": [{"id": "a", "source": ["x = \\"\\ud83d\\"\\n"]}]}'
    given = {"cell_id": "a", "new_source": "y"}
    assert preview_edit("NotebookEdit", given, text).before == 'x = "\ufffd"\n'
