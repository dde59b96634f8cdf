"""What git would commit, read from its diff: whatever the code and the names look like."""

import pytest

from palimp_shim.cli.removed_code.staged import added_lines


def test_the_added_lines_of_each_file_are_found():
    diff = """\
diff --git a/one.py b/one.py
index 1..2 100644
--- a/one.py
+++ b/one.py
@@ -3,2 +3 @@ def before():
-gone()
-gone()
+new()
@@ -9,0 +9,2 @@
+more()
+
diff --git a/two.py b/two.py
new file mode 100644
--- /dev/null
+++ b/two.py
@@ -0,0 +1 @@
+first()
\\ No newline at end of file
diff --git a/gone.py b/gone.py
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-last()
"""
    assert added_lines(diff) == {"one.py": ["new()", "more()", ""], "two.py": ["first()"]}


def test_code_that_looks_like_a_header_is_code():
    first = "+++ b/a.c\n@@ -1,0 +2,3 @@\n+++ count;\n+++ b/other.c\n+@@ -1 +1 @@\n"
    second = "--- a/b.c\n+++ b/b.c\n@@ -1 +1 @@\n-x\n+y\n"
    assert added_lines(first + second) == {"a.c": ["++ count;", "++ b/other.c", "@@ -1 +1 @@"], "b.c": ["y"]}


def test_lines_end_at_line_feeds_only():
    diff = "+++ b/a.py\n@@ -1,0 +2,2 @@\n+one\x0ctwo\u2028three\r\n+four\n"
    assert added_lines(diff) == {"a.py": ["one\x0ctwo\u2028three", "four"]}


@pytest.mark.parametrize(
    ("header", "path"),
    [
        ("+++ b/with space.py\t", "with space.py"),
        (r'+++ "b/tab\there.py"', "tab\there.py"),
        (r'+++ "b/quote\"é世.py"', 'quote"é世.py'),
        ("+++ b/b/c.py", "b/c.py"),
    ],
)
def test_names_are_those_of_the_files(header: str, path: str):
    assert added_lines(f"{header}\n@@ -0,0 +1 @@\n+new()\n") == {path: ["new()"]}
