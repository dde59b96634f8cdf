"""A patch for `apply_patch` is read as edits of files."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.hooks.event import FILES_MAX
from palimp_clients.hooks.patches import edits_of

PATCH = """\
*** Begin Patch
*** Add File: neu/größe.py
+GRÖSSE = 3
+
*** Delete File: alt.py
*** Update File: /srv/shop/保存.py
*** Move to: 保存2.py
@@ def save():
 def save():
-    retry(3)
+    once()
@@
-# מחק
 tail
*** End of File
*** End Patch
"""


def test_each_file_of_a_patch_is_a_call():
    added, deleted, changed = edits_of(PATCH, "/home/ann/shop")
    assert added == {
        "tool_name": "Write",
        "tool_input": {"file_path": "/home/ann/shop/neu/größe.py", "content": "GRÖSSE = 3\n\n"},
    }
    assert deleted == {"tool_name": "Delete", "tool_input": {"file_path": "/home/ann/shop/alt.py"}}
    assert changed["tool_name"] == "MultiEdit"
    assert changed["tool_input"]["file_path"] == "/home/ann/shop/保存2.py"
    assert changed["tool_input"]["edits"] == [
        {"old_string": "def save():\n    retry(3)", "new_string": "def save():\n    once()"},
        {"old_string": "# מחק\ntail", "new_string": "tail"},
    ]


def test_a_patch_that_is_cut_anywhere_is_read_as_far_as_it_goes():
    for end in range(len(PATCH)):
        for call in edits_of(PATCH[:end], "/p"):
            assert call["tool_input"]["file_path"]


def test_files_of_a_patch_are_bounded():
    assert len(edits_of("*** Delete File: a\n" * (FILES_MAX + 9), "")) == FILES_MAX


@given(st.text(alphabet=st.sampled_from("*+- @\nEndAFileUp:x🐨\r\x0b")), st.text(max_size=5))
def test_any_text_is_read(text: str, folder: str):
    edits_of("*** Update File: a\n" + text, folder)


def test_only_a_line_feed_ends_a_line():
    [call] = edits_of("*** Add File: a\n+eins\u2028zwei\x0bdrei", "")
    assert call["tool_input"]["content"] == "eins\u2028zwei\x0bdrei\n"
