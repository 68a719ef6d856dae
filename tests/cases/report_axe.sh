#!/bin/sh
# The reports have no fault that axe-core finds, fit into 800 pixels, and their first printed page has the timeline.
# tier: browser
# timeout: 200
# needs: root chromium npm gcc python3
. "$TESTS/lib/lib.sh"
export HOME="$PWD"
if ! [ -s "$OUT/npm/axe.min.js" ]; then # downloaded once; it needs no installation
    mkdir -p "$OUT/npm"
    npm pack --silent axe-core@4 >/dev/null 2>npm.log && tar xzf axe-core-*.tgz package/axe.min.js ||
        skip "no axe-core from npm: $(tail -n 1 npm.log)"
    mv package/axe.min.js "$OUT/npm/axe.min.js"
fi
for i in 1 2 3 4 5 6 7 8; do echo "int f$i(void) { return $i; }" >m$i.c; done
make='for i in 1 2 3 4 5 6 7 8; do gcc -c m$i.c & done; wait; cat /nonexistent; sh -c "exit 3"'
kv trace -v -q --report=trace.html -- sh -c "$make" >out 2>err
kv proc --report=proc.html -o rows -- sh -c "$make" >out 2>err
for k in a b; do
    kv trace -v -q -w $k.kvis -- sh -c "$make" >out 2>err
    kv proc -w p$k.kvis -o rows -- sh -c "$make" >out 2>err
    make="gcc -c m1.c; $make"
done
kv diff --report=diff.html a.kvis b.kvis >out 2>err
kv diff --report=diff_proc.html pa.kvis pb.kvis >out 2>err
[ -s trace.html ] && [ -s proc.html ] && [ -s diff.html ] && [ -s diff_proc.html ] || fail "no reports"
python3 - "$OUT/npm/axe.min.js" <<'END2' >&9 2>&1 || fail "axe"
import os, sys, time
sys.path.insert(0, os.environ["TESTS"] + "/lib")
from browser import Browser
axe = open(sys.argv[1]).read()
b = Browser()
views = ["", "#sel=9", "#a=4000000&b=90000000&within=1", "#q=nothing+is+like+that", *("#tab=" + t for t in ("files", "peers", "processes", "calls", "memory", "flame", "flame&look=a"))]
for page, fragments in (("trace.html", views), ("diff.html", [""]), ("diff_proc.html", [""]), ("proc.html", ["", "#tab=events", "#tab=flame"])):
    for fragment in fragments:
        for dark in (False, True):
            b.size(1024, 900, dark)
            b.open(page, fragment), time.sleep(.3)
            b.js(axe + ";1")
            bad = b.js("axe.run().then(r => r.violations.map(v => [v.id, v.help, v.nodes[0].html, v.nodes[0].failureSummary]))")
            assert not bad, (page, fragment, dark, bad)
    for width in (1400, 1024, 800):
        for dark in (False, True):
            b.size(width, 900, dark)
            b.open(page), time.sleep(.3)
            assert b.js("document.documentElement.scrollWidth") <= width, (page, width)
            b.shot(f"{page[:-5]}_{width}_{'dark' if dark else 'light'}.png")
    if page.startswith("diff"):
        continue
    # A4 at 96 pixels an inch, with Chromium's margins: the timeline, which is not divided, is on the first page
    b.size(718, 1046)
    b.call("Emulation.setEmulatedMedia", media="print")
    b.open(page)
    b.js("dispatchEvent(new Event('beforeprint'))")
    box = b.js("(r => [r.top, r.bottom])(document.querySelector('#time').getBoundingClientRect())")
    assert box[1] <= 1046, (page, box)
    rows = b.js("getComputedStyle(document.querySelector('#cut')).display != 'none' && document.querySelector('#cut').textContent")
    assert page != "trace.html" or "more rows do not fit" in rows, rows
    b.call("Emulation.setEmulatedMedia", media="")
assert not b.bad, b.bad
b.close()
END2
