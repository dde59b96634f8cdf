"""Pack a hunk for storage: its lines with a sign each, compressed.

Signs as in a diff: `-` removed, `+` added, ` ` moved.
"""

import zlib
from typing import Final, NamedTuple

from palimp_daemon.codediff.diff import Hunk

LEVEL: Final = 9

_FIRST_WORDS: Final = rb"""
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
"""Common code, as zlib's dictionary for small hunks. Never change it, nor _WORDS: stored hunks would become unreadable.
Other words need their own mark.
"""

_WORDS: Final = rb"""
-#include <string.h>
-using namespace std::vector<std::string>
-    private static final String
-    @Override public void
-    public int getLength() {
-        throw new IllegalArgumentException("
-typedef struct { unsigned char size_t
-  display: flex; margin: 0 auto; padding: 10px; background-color: #fff; font-size: 14px; width: 100%;
-  <button type="submit" onClick={() => set(false)} disabled={
-  <input value={ placeholder="</span> <a href="https://
-  "version": "1.0.0", "description": "dependencies": {
-      - name: run: uses: with:
-logger.warning("debug(f"info(
-    parser.add_argument("--output", type=str, default=None, help="
-import os, sys, json, logging, asyncio, argparse
-from typing import Any, Optional, Dict, List
-from pathlib import Path
-from datetime import datetime, timedelta
-from dataclasses import dataclass, field
-from unittest.mock import MagicMock, AsyncMock, patch
-    with open(path, "r", encoding="utf-8") as f:
-    while True: try: finally: await asyncio.sleep(1)
-    lambda x: [item for item in range(len(results)) if item is not None]
-    elif isinstance(other, tuple) and not key in config.get("options", {}).keys():
-        raise NotImplementedError("Should be overridden by subclass
-        self.assertEqual(result.status, "expected")
-    @property @staticmethod @classmethod def from_dict(cls, data: dict[str, Any]) -> str:
-    # Return the default value of the given parameter. Args: Returns: Raises:
-  if (typeof options === 'undefined' || options === null) { throw new Error('
-  module.exports = { require('path'); process.env.NODE_ENV
-  return Object.keys(data).map((item) => item.length > 0).filter(Boolean).join(', ');
-  private readonly public static async get(name: string, options?: Record<string, unknown>): Promise<void> {
-  interface Props extends React.Component<string | undefined>
-  this.state = { error: null }; setTimeout(() => { console.log(`
-  beforeEach(() => { jest.fn().mockResolvedValue( expect().toHaveBeenCalledWith(
-	return nil, fmt.Errorf("failed to %w", err)
-	defer func() { ctx.Done() }() make(map[string]interface{}) append(
-    match self { Some(ref value) => value.to_string(), None => String::from("
-    impl<T> From<Error> for where fn default() -> Self { vec![]
-    use std::collections::HashMap; use crate::
""" + _FIRST_WORDS[1:]
"""More of it, the likeliest last, where references are cheapest."""

_MARK: Final = b"\x07"
"""Prefix of hunks packed with _WORDS; its bits are no block type, so no deflated text begins with it."""


class Body(NamedTuple):
    """The lines of a stored hunk."""

    gone: list[str]
    moved: list[str]
    added: list[str]


def pack(hunk: Hunk) -> bytes:
    """Compress the lines of *hunk*, removed ones first."""
    moved = hunk.is_moved or (False,) * len(hunk.removed)
    lines = [(" " if is_moved else "-") + line for line, is_moved in zip(hunk.removed, moved, strict=True)]
    lines += ["+" + line for line in hunk.added]
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=_WORDS)
    return _MARK + packer.compress("\n".join(lines).encode("utf-8", "replace")) + packer.flush()


def diff_text(packed: bytes) -> str:
    """Decompress a packed hunk into signed lines."""
    is_marked = packed.startswith(_MARK)
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, zdict=_WORDS if is_marked else _FIRST_WORDS)
    data = packed.removeprefix(_MARK) if is_marked else packed
    return (unpacker.decompress(data) + unpacker.flush()).decode("utf-8", "replace")


def unpack(packed: bytes) -> Body:
    """Decompress a packed hunk and sort its lines by sign."""
    body = Body([], [], [])
    into = {"-": body.gone, " ": body.moved, "+": body.added}
    for line in diff_text(packed).split("\n"):
        if line:
            into[line[0]].append(line[1:])
    return body
