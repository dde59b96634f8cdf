#!/usr/bin/env bash
# 30 November 2026, pymdown-extensions 13.1.2 with Markdown 3.11.3 (from PyPI), Python 3.11.
#
# One would guess: a note of pymdownx.blocks.admonition that is indented in a definition of def_list ends at its "///",
# as one in a list item or a footnote does.
# Seen: it does where no line of it is empty. After an empty line its text is taken for code and its end is not found:
# the "///" is printed, and the note takes in what follows, the paragraphs after the definition list as well. With the
# "!!!" of the admonition extension of Markdown there all is well.
#
# Fails when that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "pymdown-extensions==13.1.2" "Markdown==3.11.3"
"$folder/venv/bin/python" - <<'PYTHON'
from textwrap import indent

from markdown import markdown

EXTENSIONS = ["def_list", "footnotes", "admonition", "pymdownx.blocks.admonition"]
CONTAINERS = {
    "a list item": "- item\n\n",
    "a footnote": "see[^1]\n\n[^1]:\n    foot\n\n",
    "a definition": "Term\n\n:   meaning\n\n",
}
CLOSE = "/// note | Title\ninside\n///"
WIDE = "/// note | Title\n\ninside\n\n///"
MARKED = '!!! note "Title"\n\n    inside'


def rendered(container, note):
    return markdown(f"{CONTAINERS[container]}{indent(note, '    ')}\n\nafterwards", extensions=EXTENSIONS)


def is_whole(html):
    note = html.partition('<div class="admonition note">')[2].partition("</div>")[0]
    return "<p>inside</p>" in note and "afterwards" not in note and "///" not in html


for container in CONTAINERS:
    assert is_whole(rendered(container, CLOSE)) and is_whole(rendered(container, MARKED)), "the others have changed"
    print(f"a note with empty lines in {container} is whole: {is_whole(rendered(container, WIDE))}")
assert is_whole(rendered("a list item", WIDE)) and is_whole(rendered("a footnote", WIDE)), "the others have changed"

seen = rendered("a definition", WIDE)
print(seen)
assert "<pre><code>inside\n\n///\n</code></pre>\n<p>afterwards</p>\n</div>" in seen, "this has changed"
PYTHON
