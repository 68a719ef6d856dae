#!/usr/bin/env python3
"""Used by vm/vm.sh.
boot_page.py PAGE JSON: the report of a boot opened in Chromium has all of its commands, as the JSON has them."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.environ["TESTS"] + "/lib")
from browser import Browser  # noqa: E402

if not shutil.which("chromium"):
    sys.exit("no chromium")
rows = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
want = {}
for e in rows:  # of each process the last command
    if e["type"] == "command" and not e["at_start"]:
        want[e["pid"]] = (e["argv"], e["signal"] or str(e["exit_code"]) if e["end"] in ("exit", "signal") else None)
b = Browser()
try:
    b.size(1500, 900)
    b.open(sys.argv[1])
    b.until("document.querySelectorAll('#table .row').length > 1")
    got = {}
    for pid, (argv, how) in want.items():
        words = " ".join(argv)
        b.fill("#find", words[:40])
        b.drawn()
        got[pid] = b.js("[...document.querySelectorAll('#table .row:not(.head)')].map(r => [...r.children].map(c => c.textContent))")
        mine = [r for r in got[pid] if r[1] == str(pid)]
        assert len(mine) == 1 and words[:20] in mine[0][0], (pid, words, mine)
        assert how is None or how in mine[0], (how, mine)
    assert len(want) > 20 and not b.bad, (len(want), b.bad)
    print(len(want), "processes")
finally:
    b.close()
