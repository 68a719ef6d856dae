#!/usr/bin/env python3
"""report.py DIR: reports in DIR (small, empty, hostile, large .html, with .json lines of small) are opened in
Chromium, every control is used, and what it shows is compared. Screenshots are left in DIR."""
import json
import os
import sys
import time

sys.path.insert(0, os.environ["TESTS"])
from browser import Browser  # noqa: E402


def check(ok, what, *more):
    if not ok:
        sys.exit(f"report: {what}: {more}")


def rows(b):
    """Rows that the table has, once filters have come to rest."""
    last = None
    for _ in range(200):
        time.sleep(0.1)
        now = b.js("document.querySelector('#count').textContent + document.body.dataset.rows")
        if now == last:
            break
        last = now
    return int(b.js("document.body.dataset.rows"))


def cards(b):
    pairs = b.js("[...document.querySelectorAll('.card')].flatMap(c => [...c.querySelectorAll('dt')].map("
                 "t => [c.querySelector('h2').textContent + ' ' + t.textContent, t.nextSibling.textContent]))")
    return {k: v.replace("\u202f", "") for k, v in pairs}


def small(b, d):
    lines = [json.loads(x) for x in open(d + "/small.json")]
    s, events = lines[-1], lines[1:-1]
    b.size(1400, 900)
    b.open(d + "/small.html")
    b.shot(d + "/small_light.png")
    c = cards(b)
    for key, name in (("trace calls", "syscalls"), ("processes processes", "processes"), ("processes threads", "threads"),
                      ("files read", "files_read"), ("memory regions", "mmap_regions"), ("trace lost", "lost")):
        check(c.get(key) == str(s[name]), key, c.get(key), s[name])
    # filters: rows as the JSON has them
    b.click("#noise")
    check(rows(b) == len(events), "all rows", rows(b), len(events))
    b.click("#failed")
    check(rows(b) == sum(bool(e.get("error")) for e in events), "failed only", rows(b))
    b.click("#failed")
    b.fill("#type", "call:openat")
    want = sum(e.get("name") == "openat" for e in events if e["type"] == "syscall")
    check(rows(b) == want, "type", rows(b), want)
    b.fill("#type", "")
    b.fill("#q", "libc.so")
    found = rows(b)
    check(0 < found < len(events), "search", found)
    check(b.js("[...document.querySelectorAll('.row:not(.head)')].every(r => r.textContent.includes('libc'))"), "rows of a search")
    b.click("#re"), b.fill("#q", "^/(etc|usr)/.*(hosts|libc)")
    check(0 < rows(b) <= len(events), "regex")
    b.fill("#q", "("), rows(b)
    check("xpression" in b.js("document.querySelector('#count').textContent"), "a bad regex is told")
    b.click("#re"), b.fill("#q", ""), b.fill("#path", "/etc/")
    check(0 < rows(b) < len(events), "path", rows(b))
    b.fill("#path", "")
    b.fill("#proc", "1")
    check(0 < rows(b) < len(events), "process", rows(b))
    b.fill("#proc", "")
    b.click("[data-cat=call]")
    check(rows(b) == sum(e["type"] != "syscall" for e in events), "category", rows(b))
    # the fragment carries the view
    b.fill("#q", "etc"), rows(b)
    time.sleep(0.3)
    fragment, seen = b.js("location.hash"), rows(b)
    check("q=etc" in fragment and "noise=1" in fragment, "fragment", fragment)
    b.open(d + "/small.html", fragment)
    check(rows(b) == seen and b.js("document.querySelector('#q').value") == "etc", "fragment round trip")
    check(b.js("document.querySelector('[data-cat=call]').getAttribute('aria-pressed')") == "false", "chip from fragment")
    # sorting
    b.open(d + "/small.html", "#noise=1&sort=duration&down=1")
    first = b.js("document.querySelectorAll('#table .row:not(.head) .n')[1].textContent")
    check(first.endswith("s") and first, "longest first", first)
    # timeline: lanes, keys, wheel, drag, click
    pids = {e["pid"] for e in events if e["pid"]}
    lanes = int(b.js("document.body.dataset.lanes"))
    check(len(pids) <= lanes <= len(pids) + s["threads"] + 2, "lanes", lanes, len(pids))
    text = lambda: b.js("document.querySelector('#range').textContent")  # noqa: E731
    b.open(d + "/small.html")
    rows(b)
    whole = text()
    b.key("+", "#line"), time.sleep(0.2)
    check(text() != whole, "zoom by key")
    b.key("0", "#line"), time.sleep(0.2)
    check(text() == whole, "fit by key", text(), whole)
    box = b.js("(r => [r.left, r.top, r.width, r.height])(document.querySelector('#line').getBoundingClientRect())")
    x, y = box[0] + box[2] / 2, box[1] + 50
    b.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300, modifiers=2), time.sleep(0.2)
    check(text() != whole, "zoom by wheel")
    b.click("#fit"), time.sleep(0.2)
    check(text() == whole, "fit")
    b.mouse("mousePressed", x, y), b.mouse("mouseMoved", x + 120, y, buttons=1), b.mouse("mouseReleased", x + 120, y)
    time.sleep(0.2)
    check(text() != whole, "drag selects")
    b.click("#fit"), time.sleep(0.2)
    hit = False
    for k in range(200, int(box[2]) - 2, 7):
        b.mouse("mouseMoved", box[0] + k, y, button="none", clickCount=0)
        if not b.js("document.querySelector('#tip').hidden"):
            b.mouse("mousePressed", box[0] + k, y), b.mouse("mouseReleased", box[0] + k, y)
            hit = True
            break
    check(hit, "nothing under the pointer")
    time.sleep(0.3)
    check(not b.js("document.querySelector('#detail').hidden"), "a click shows the event")
    check(b.js("document.querySelectorAll('#table .row.on').length") == 1, "a click selects its row")
    check("sel=" in b.js("location.hash"), "the selection is in the fragment")
    b.key("Escape", "#line")
    check(b.js("document.querySelector('#detail').hidden"), "Escape")
    # tabs
    for name, want in (("files", len(s["files"])), ("peers", len(s["peers"])), ("processes", len(pids)),
                       ("calls", len({e["name"] for e in events if e["type"] == "syscall"}))):
        b.click(f"[data-tab={name}]")
        got = b.js("Math.round(document.querySelector('#table .grid > div:nth-child(2)').offsetHeight / 22)")
        check(got == want, "rows of " + name, got, want)
        b.shot(f"{d}/small_{name}.png")
    b.click("[data-tab=memory]")
    b.shot(d + "/small_memory.png")
    b.size(1000, 800, True)
    b.open(d + "/small.html", "#tab=processes")
    b.shot(d + "/small_dark_1000.png")


def hostile(b, d):
    b.size(1400, 900)
    b.open(d + "/hostile.html", "#noise=1&q=" + "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    check(rows(b) > 0, "the hostile name is found")
    check(b.js("document.images.length") == 0 and not b.js("!!window.owned"), "markup of a name became a part of the page")
    check("onerror=alert" in b.js("document.querySelector('#table').textContent"), "the name is shown")
    check("\x1b" not in b.js("document.body.textContent"), "ESC is shown")
    for tab in ("files", "processes", "calls", "peers", "memory"):
        b.click(f"[data-tab={tab}]")
    check(b.js("document.images.length") == 0, "tabs")
    b.shot(d + "/hostile.png")


def large(b, d):
    size = os.path.getsize(d + "/large.html")
    b.size(1400, 900)
    secs = b.open(d + "/large.html", "#noise=1")
    paint = b.js("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000
    n = rows(b)
    frames = b.js("""new Promise(done => {
        const c = document.querySelector('#line'), t0 = performance.now();
        let k = 0;
        const step = () => {
            c.dispatchEvent(new KeyboardEvent('keydown', { key: k < 20 ? '+' : k < 40 ? 'ArrowRight' : '-', bubbles: true }));
            document.querySelector('#table .grid').scrollTop += 70000;
            if (++k < 60) requestAnimationFrame(step);
            else requestAnimationFrame(() => done((performance.now() - t0) / 60));
        };
        requestAnimationFrame(step);
    })""")
    print(f"{n} events: {size / 1e6:.1f} MB, first paint {paint:.2f} s, complete {secs:.2f} s, {frames:.1f} ms a frame")
    check(n > 900000 and size < 40e6 and paint < 1 and secs < 4 and frames < 34, "too slow or too large")
    b.js("document.querySelector('#table .grid').scrollTop = 1e9"), time.sleep(0.2)
    check("exit_group" in b.js("document.querySelector('#table').textContent"), "the last rows")
    b.shot(d + "/large.png")


def main():
    b = Browser()
    d = sys.argv[1]
    try:
        for what in sys.argv[2:]:
            if what == "empty":
                b.open(d + "/empty.html")
            else:
                globals()[what](b, d)
        check(not b.bad, "errors in the page", b.bad)
    finally:
        b.close()


main()
