from pathlib import Path

from palimp_daemon.features.rules.acts_told import act_of


def test_reads_only_lines_that_an_edit_adds(tmp_path: Path):
    given = {"file_path": f"{tmp_path}/src/a.py", "old_string": "print(a)", "new_string": "print(a)\nb = 1"}
    (edit,) = act_of("Edit", given, [str(tmp_path)]).edits
    assert (edit.parts, edit.added, edit.is_new) == (("src", "a.py"), "b = 1", False)


def test_knows_a_file_that_is_written_anew_from_one_that_is_there(tmp_path: Path):
    (tmp_path / "a.md").write_text("x")
    new = act_of("Write", {"file_path": f"{tmp_path}/b.md", "content": "x"}, [str(tmp_path)])
    old = act_of("Write", {"file_path": f"{tmp_path}/a.md", "content": "x"}, [str(tmp_path)])
    assert (new.edits[0].is_new, old.edits[0].is_new) == (True, False)


def test_does_not_look_at_files_outside_the_project_nor_at_other_tools():
    assert act_of("Edit", {"file_path": "/etc/hosts", "new_string": "x"}, ["/work/shop"]).edits == ()
    assert act_of("Read", {"file_path": "/work/shop/a"}, ["/work/shop"]) == act_of("Glob", {}, [])
