#!/usr/bin/env python3
"""Used by the case report_view.
report_view.py DIR NAME...: the reports NAME.html in DIR are opened in Chromium; what they say of a part of the run is
compared with NAME.json."""
import json
import os
import re
import sys
import time

sys.path.insert(0, os.environ["TESTS"] + "/lib")
from browser import Browser, check  # noqa: E402


def lines_of(path):
    lines = [json.loads(x) for x in open(path)]
    return lines[-1], lines[1:-1]


def contrast(one, other):
    """WCAG 2.2, contrast ratio of two colours (each: three numbers up to 255)."""
    def luminance(rgb):
        a, b, c = (v / 3294.6 if v <= 10.31 else ((v / 255 + .055) / 1.055) ** 2.4 for v in rgb)
        return .2126 * a + .7152 * b + .0722 * c
    x, y = sorted((luminance(one), luminance(other)))
    return (y + .05) / (x + .05)


def rgb(b, colour):
    """What the browser draws for a CSS color."""
    return b.js(f"(g => {{ g.fillStyle = {json.dumps(colour)}; g.fillRect(0, 0, 1, 1); return [...g.getImageData(0, 0, 1, 1).data].slice(0, 3); }})"
                "(document.createElement('canvas').getContext('2d'))")


def names(b, d, name, events):
    """Bars that are wide enough have their name and what they are about, in a colour that can be read."""
    calls = {(e["ts_ns"], e["tid"]): e for e in events if e["type"] == "syscall"}
    run = next(e for e in events if e["type"] == "exec" and "python3" in e["argv"][0])
    some = [e for e in events if e["type"] == "syscall" and e["name"] in ("openat", "read") and e["pid"] == run["pid"] and e["ts_ns"] > run["ts_ns"]][:2]
    begin, end = some[0]["ts_ns"] - 9999, some[-1]["ts_ns"] + some[-1]["duration_ns"]
    for dark in (False, True):
        b.size(1400, 1400, dark)
        b.open(f"{d}/{name}.html", f"#from={begin}&to={end}"), time.sleep(.6)
        seen = b.js("[...document.querySelectorAll('#named li')].map(e => ({ text: e.textContent, ...e.dataset }))")
        mine = [(s, calls[int(float(s["ts"])), int(s["tid"])]) for s in seen if (int(float(s["ts"])), int(s["tid"])) in calls]
        check(len(mine) > 1, "names", len(mine), seen[:3])
        whole = 0
        for s, e in mine:
            first, _, rest = s["text"].partition(" ")
            check(first == e["name"] or (first.endswith("…") and e["name"].startswith(first[:-1])), "name", s, e)
            about = "".join(e["args"]) + str(e["error"])
            what = rest.removeprefix("…")
            what = re.sub(r" ?(\d+ B|[\d.]+ [KMG]B|E[A-Z0-9]+)$", "", what)
            check(what in about, "what it is about", s, e)
            whole += bool(what)
            at = contrast(rgb(b, s["fill"]), rgb(b, s["ink"]))
            check(at >= 4.5, "contrast", at, s)
            x, y, w = (int(float(s[k])) for k in "xyw")
            near = b.js(f"[...document.querySelector('#line').getContext('2d').getImageData({x}, {y}, {min(w, 40)}, 12).data]")
            ink = rgb(b, s["ink"])
            check(any(max(abs(near[k + c] - ink[c]) for c in range(3)) < 60 for k in range(0, len(near), 4)), "nothing is written", s)
        check(whole > 0, "no bar says what it is about", [s["text"] for s in seen])
        for part in ("on CPU", "run queue", "disk", "blocked"):
            c = b.js(f"[...document.querySelectorAll('#legend span')].find(e => e.textContent === '{part}')?.firstChild.style.background")
            check(not c or contrast(rgb(b, c), (0, 0, 0)) >= 4.5, "contrast of " + part, c)
        b.shot(f"{d}/{name}_names_{'dark' if dark else 'light'}.png")


def main():
    b, d = Browser(), sys.argv[1]
    try:
        for name in sys.argv[2:]:
            summary, events = lines_of(f"{d}/{name}.json")
            names(b, d, name, events)
        check(not b.bad, "errors in the page", b.bad)
    finally:
        b.close()


main()
