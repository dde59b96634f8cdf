"""A hunk as it is stored: its lines with a sign before each, compressed.

`-` is a line that is gone, ` ` one that was moved, `+` one that came. So what is stored reads like a diff.
"""

import zlib
from typing import Final, NamedTuple

from palimp_daemon.changes.diff import Hunk

LEVEL: Final = 9

_WORDS: Final = rb"""
-    @pytest.mark.parametrize("name", [
-        raise ValueError(f"
-        raise TypeError(
-    except Exception as error:
-    async def __init__(self, *args, **kwargs) -> None:
-        super().__init__()
-        self.name = name
-        return response.json()
-        if isinstance(value, dict):
-            for key, value in items():
-    assert response.status_code == 200
-    with self.assertRaises(
-        :param
-    return None
-  const result = await this.client.getElementById(`
-  expect(screen.getByText('toBe(undefined)
-    }).toEqual({
-  });
-});
-import { useState } from 'react';
-export default function
-export const
-    type: string;
-    return true;
-    } else {
-describe('should
-  it('should
-    mock.return_value =
-      <div className="</div>
-function () {
-var module.exports =
-	if err != nil {
-		return nil, err
-	}
-	for _, value := range values {
-	t.Fatalf("%s: got %v, want %v", name, got, want)
-func (s *Server) handle(ctx context.Context, request *http.Request) error {
-    pub async fn new(&self, value: Option<String>) -> Result<(), Error> {
-        Ok(())
-        let mut
-#[derive(Debug, Clone)]
-        assert_eq!(
-        .unwrap()
-        .collect::<Vec<_>>();
-        //
-    # The
-     *
"""
"""What code is made of: hunks are small, and this spares each of them saying it anew. Never change it; what is
stored could not be read any more."""


class Body(NamedTuple):
    """The lines of a stored hunk."""

    gone: list[str]
    moved: list[str]
    added: list[str]


def pack(hunk: Hunk) -> bytes:
    """Return the lines of *hunk* in their order, removed ones first."""
    moved = hunk.is_moved or (False,) * len(hunk.removed)
    lines = [(" " if is_moved else "-") + line for line, is_moved in zip(hunk.removed, moved, strict=True)]
    lines += ["+" + line for line in hunk.added]
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=_WORDS)
    return packer.compress("\n".join(lines).encode("utf-8", "replace")) + packer.flush()


def diff_text(packed: bytes) -> str:
    """Return the lines with their signs."""
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, zdict=_WORDS)
    return (unpacker.decompress(packed) + unpacker.flush()).decode("utf-8", "replace")


def unpack(packed: bytes) -> Body:
    """Return the lines by what became of them."""
    body = Body([], [], [])
    into = {"-": body.gone, " ": body.moved, "+": body.added}
    for line in diff_text(packed).split("\n"):
        if line:
            into[line[0]].append(line[1:])
    return body
