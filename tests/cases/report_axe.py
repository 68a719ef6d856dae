#!/usr/bin/env python3
# axe-core finds no fault in the reports, they fit into 800 pixels, and their first printed page has the timeline.
# tier: browser
# timeout: 200
# needs: root chromium npm gcc python3
import os
import time

from lib import CWD, put, read, run

os.environ["HOME"] = CWD
import browser

MAKE = 'for i in 1 2 3 4 5 6 7 8; do gcc -c m$i.c & done; wait; cat /nonexistent; sh -c "exit 3"'
TABS = ("files", "peers", "processes", "calls", "memory", "flame", "flame&look=a")
VIEWS = {
    "trace.html": ["", "#sel=9", "#a=4000000&b=90000000&within=1", "#q=nothing+is+like+that", *("#tab=" + t for t in TABS)],
    "proc.html": ["", "#tab=events", "#tab=flame"],
    "diff.html": [""],
    "diff_proc.html": [""],
}


def no_faults(b, page, axe):
    for fragment in VIEWS[page]:
        for dark in (False, True):
            b.size(1024, 900, dark)
            b.open(page, fragment)
            time.sleep(.3)
            b.js(axe + ";1")
            bad = b.js("axe.run().then(r => r.violations.map(v => [v.id, v.help, v.nodes[0].html, v.nodes[0].failureSummary]))")
            assert not bad, (page, fragment, dark, bad)


def fits(b, page):
    for width in (1400, 1024, 800):
        for dark in (False, True):
            b.size(width, 900, dark)
            b.open(page)
            time.sleep(.3)
            assert b.js("document.documentElement.scrollWidth") <= width, (page, width)


def prints(b, page):
    """A4 at 96 pixels an inch, with Chromium's margins: the timeline, which is not divided, is on the first page."""
    b.size(718, 1046)
    b.call("Emulation.setEmulatedMedia", media="print")
    b.open(page)
    b.js("dispatchEvent(new Event('beforeprint'))")
    box = b.js("(r => [r.top, r.bottom])(document.querySelector('#time').getBoundingClientRect())")
    assert box[1] <= 1046, (page, box)
    cut = b.js("getComputedStyle(document.querySelector('#cut')).display != 'none' && document.querySelector('#cut').textContent")
    assert page != "trace.html" or "more rows do not fit" in cut, cut
    b.call("Emulation.setEmulatedMedia", media="")


axe = read(browser.from_npm("axe-core@4", "axe.min.js"))
for i in range(1, 9):
    put(f"m{i}.c", f"int f{i}(void) {{ return {i}; }}\n")
run("trace", "-v", "-q", "--report=trace.html", "--", "sh", "-c", MAKE)
run("proc", "--report=proc.html", "-o", "rows", "--", "sh", "-c", MAKE)
for n, command in (("a", MAKE), ("b", "gcc -c m1.c; " + MAKE)):
    run("trace", "-v", "-q", "-w", n + ".kvis", "--", "sh", "-c", command)
    run("proc", "-w", f"p{n}.kvis", "-o", "rows", "--", "sh", "-c", command)
run("diff", "--report=diff.html", "a.kvis", "b.kvis")
run("diff", "--report=diff_proc.html", "pa.kvis", "pb.kvis")
with browser.Browser() as b:
    for page in VIEWS:
        assert os.path.getsize(page), f"no {page}"
        no_faults(b, page, axe)
        fits(b, page)
        if not page.startswith("diff"):
            prints(b, page)
