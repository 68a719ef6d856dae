#!/usr/bin/env python3
"""report.py DIR NAME...: the reports NAME.html in DIR (small, many, empty, hostile, large; with the .json lines of
small and many) are opened in Chromium, every control is used, and what it shows is compared. Screenshots, light
and dark, are left in DIR."""
import json
import os
import sys
import time
from decimal import ROUND_HALF_UP, Decimal

sys.path.insert(0, os.environ["TESTS"])
from browser import Browser  # noqa: E402


CATS = ["file", "net", "memory", "process", "signal", "call", "kernel"]


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


def fixed(v, digits):
    """JavaScript's toFixed: halves go up."""
    return str(Decimal(v).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def size(v):
    """As the page writes sizes."""
    if v < 1024:
        return f"{v} B"
    k = 0
    v /= 1024
    while v >= 1023.95 and k < 5:
        v, k = v / 1024, k + 1
    return f"{fixed(v, 1)} {'KMGTPE'[k]}B"


def span(ns):
    return (f"{ns} ns" if ns < 1e3 else fixed(ns / 1e3, 1) + " µs" if ns < 1e6 else fixed(ns / 1e6, 2) + " ms" if ns < 1e9
            else fixed(ns / 1e9, 3) + " s")


def compare_cards(b, s, backend):
    c, num = cards(b), str
    want = {
        "memory heap": ("heap_bytes", size), "memory mmap": ("mmap_bytes", size), "memory regions": ("mmap_regions", num),
        "memory page faults": ("page_faults", num), "file I/O read": ("file_bytes_read", size),
        "file I/O written": ("file_bytes_written", size), "file I/O other read": ("other_bytes_read", size),
        "file I/O other written": ("other_bytes_written", size), "network sent": ("net_bytes_sent", size),
        "network received": ("net_bytes_received", size), "network connections": ("connections", lambda x: str(len(x))),
        "files read": ("files_read", num), "files written": ("files_written", num),
        "files still open at exit": ("open_at_exit_count", num), "processes processes": ("processes", num),
        "processes threads": ("threads", num), "processes exit": ("exit_code", num), "processes duration": ("duration_ns", span),
        "scheduler latency waits": ("sched_waits", num), "scheduler latency p99": ("sched_wait_p99_ns", span),
        "scheduler latency max": ("sched_wait_max_ns", span), "block I/O requests": ("block_ios", num),
        "block I/O p99": ("block_io_p99_ns", span), "block I/O calls waited": ("call_time", lambda x: span(x["disk_ns"])),
        "trace calls": ("syscalls", num), "trace lost": ("lost", num), "trace throttled": ("throttle_stops", num),
    }
    for card, (key, show) in want.items():
        check(c.get(card) == (show(s[key]) if key in s else None), "card " + card, c.get(card), s.get(key))
    check(c["trace backend"] == backend, "backend")


def table(b):
    """Cells of the rows in view, from the top."""
    return b.js("[...document.querySelectorAll('#table .grid > div:last-child > .row')].sort((a, b) => "
                "parseFloat(a.style.top) - parseFloat(b.style.top)).map(r => [...r.children].map(c => c.textContent))")


def columns(b):
    return b.js("[...document.querySelector('#table .grid .head').children].map(c => c.textContent.trim())")


def plain(text):
    return text.replace("\u202f", "").strip()


def copies(b, events):
    """Rows from all over the table, copied: what --json has of them, to the byte of what is no UTF-8."""
    b.size(1400, 2000)
    got = b.js("""(async () => {
        const out = [], grid = document.querySelector('#table .grid'), rows = () => [...grid.lastChild.children];
        navigator.clipboard.writeText = s => (out.push(s), Promise.resolve());
        for (let part = 0; part < 5; part++) {
            grid.scrollTop = grid.scrollHeight * part / 4;
            await new Promise(go => setTimeout(go, 100));
            for (let k = 0; k < rows().length; k++) rows()[k].click(), document.querySelector('#copy').click();
        }
        return out;
    })()""")
    want = {json.dumps(e, sort_keys=True) for e in events}
    wrong = [x for x in got if json.dumps(json.loads(x), sort_keys=True) not in want]
    check(len(set(got)) > 150 and not wrong, "a row copied as JSON", len(set(got)), wrong[:3])
    b.until("document.querySelector('#copy').textContent === 'copied'", 5)
    b.js("delete navigator.clipboard.writeText"), b.size(1400, 900)


def sorting(b, d, events):
    for key, of in (("duration", lambda e: e.get("duration_ns") or e.get("delay_ns") or 0),
                    ("bytes", lambda e: abs(e.get("bytes", e.get("size", e.get("growth_bytes", 0))) if e["type"] != "syscall" else 0))):
        b.open(d + "/small.html", "#noise=1&cats=" + ".".join(CATS) + f"&sort={key}&down=1"), rows(b)
        values = sorted((of(e) for e in events), reverse=True)[:10]
        show = span if key == "duration" else size
        got = [plain(r[3 if key == "duration" else 4]) for r in table(b)[:10]]
        check(got == [show(v) for v in values], "sorted by " + key, got, values)
        b.click("#table .head button:nth-child(1)"), rows(b)
        got = [float(r[0]) for r in table(b)]
        check(got == sorted(got), "sorted by time", got[:5])


def numbers_of_tabs(b, s, events):
    """What the tabs say is what the summary and the events say."""
    b.size(1400, 8000)
    b.click("[data-tab=files]")
    got = {r[0]: [plain(x) for x in r[2:5]] for r in table(b)}
    want = {f["path"]: [str(f["opens"]), size(f["bytes_read"]), size(f["bytes_written"])] for f in s["files"]}
    check(got == want, "files", [x for x in want.items() if got.get(x[0]) != x[1]][:3])
    b.click("[data-tab=calls]")
    calls = [e for e in events if e["type"] == "syscall"]
    for name, count, errors, total, _, _, longest, cpu, runq, disk, other in ([plain(x) for x in r] for r in table(b)):
        mine = [e for e in calls if e["name"] == name]
        took = [e["duration_ns"] for e in mine if e["duration_ns"] is not None]
        failed = [e for e in mine if e["error"] not in (None, "EINPROGRESS")]
        want = [str(len(mine)), str(len(failed) or ""), span(sum(took)) if sum(took) else "", span(max(took)) if any(took) else ""]
        check([count, errors, total, longest] == want, "calls: " + name, (count, errors, total, longest), want)
        for key, shown in (("on_cpu_ns", cpu), ("runq_ns", runq), ("disk_ns", disk), ("other_ns", other)):
            ns = sum(e.get(key, 0) for e in mine)
            check(shown == (span(ns) if ns else ""), f"calls: {name} {key}", shown, ns)
    b.click("[data-tab=processes]")
    at = [columns(b).index(c) for c in ("pid", "exit", "calls", "faults")]
    got = {int(r[at[0]]): [plain(r[i]) for i in at[1:]] for r in table(b)}
    for pid in {e["pid"] for e in events if e["pid"]}:
        mine = [e for e in events if e["pid"] == pid]
        code = [str(e.get("code", e.get("signal"))) for e in mine if e["type"] == "exit_process"]
        n = sum(e["type"] == "syscall" for e in mine)
        faults = sum(1 if e["type"] == "fault" else e["count"] for e in mine if e["type"] in ("fault", "fault_group"))
        want = [code[0] if code else "", str(n), str(faults) if "page_faults" in s else "n/a"]
        check(got[pid] == want, f"process {pid}", got[pid], want)
    b.size(1400, 900)


def keyboard(b):
    b.click("[data-tab=events]")
    b.key("/", "#line")
    check(b.js("document.activeElement.id") == "q", "/ goes to the search")
    b.key("Home", "#table .grid"), b.key("ArrowDown", "#table .grid"), time.sleep(0.2)
    check(b.js("document.querySelector('.row.on .n').textContent") == table(b)[1][0], "the second row by keys")
    first = b.js("document.querySelector('#detail pre').textContent")
    b.key("End", "#table .grid"), time.sleep(0.2)
    check(b.js("document.querySelector('#detail pre').textContent") != first, "the last row by key")
    b.until("document.querySelector('#copy').textContent !== 'copied'", 5)
    b.key("c", "#table .grid"), b.until("document.querySelector('#copy').textContent === 'copied'", 5)
    b.key("Escape", "#table .grid")
    b.js("document.querySelector('[data-tab=events]').focus()")
    b.key("ArrowRight", "[data-tab=events]")
    check(b.js("document.activeElement.dataset.tab") == "files", "tabs by arrows")
    b.key("ArrowLeft", "[data-tab=files]")


def small(b, d):
    lines = [json.loads(x) for x in open(d + "/small.json")]
    s, events = lines[-1], lines[1:-1]
    b.size(1400, 900)
    b.open(d + "/small.html", "#noise=1")
    compare_cards(b, s, lines[0]["backend"])
    check(rows(b) == len(events), "rows", rows(b), len(events))
    copies(b, events), keyboard(b), numbers_of_tabs(b, s, events), sorting(b, d, events)
    b.open(d + "/small.html")
    b.shot(d + "/small_light.png")
    b.size(1400, 900, True), b.open(d + "/small.html"), b.shot(d + "/small_dark.png")
    b.size(1400, 900), b.open(d + "/small.html")
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
    # from the table to the timeline: a row that is out of view is brought into it
    b.js("document.querySelector('#table .grid').scrollTop = 1e9"), time.sleep(0.2)
    for _ in range(6):
        b.key("+", "#line")
    b.click("#fit"), time.sleep(0.2), b.mouse("mousePressed", box[0] + 195, y), b.mouse("mouseMoved", box[0] + 260, y, buttons=1)
    b.mouse("mouseReleased", box[0] + 260, y), time.sleep(0.2)
    part = text()
    b.js("document.querySelector('#table .grid').lastChild.lastChild.click()"), time.sleep(0.3)
    at = float(b.js("document.querySelector('.row.on .n').textContent"))
    seen = [float(x) for x in text().split(" s ")[0].split(" – ")]
    check(text() != part and seen[0] <= at <= seen[1], "a row leads to its place in the timeline", seen, at)
    # the minimap
    m = b.js("(r => [r.left, r.top, r.width, r.height])(document.querySelector('#map').getBoundingClientRect())")
    b.mouse("mousePressed", m[0] + m[2] - 40, m[1] + 18), b.mouse("mouseReleased", m[0] + m[2] - 40, m[1] + 18), time.sleep(0.2)
    moved = [float(x) for x in text().split(" s ")[0].split(" – ")]
    check(abs((moved[1] - moved[0]) - (seen[1] - seen[0])) < 2e-6 and moved[1] > s["duration_ns"] / 1e9 * .9, "the minimap moves", seen, moved)
    b.key("ArrowLeft", "#line"), time.sleep(0.2)
    check(float(text().split(" ")[0]) < moved[0], "an arrow moves", text(), moved)
    b.key("Escape", "#line"), b.click("#fit")
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
    # printed: no controls, and light
    b.size(1400, 900), b.open(d + "/small.html")
    b.call("Emulation.setEmulatedMedia", media="print"), time.sleep(0.5)
    check(b.js("[...document.querySelectorAll('#find, #tabs, .bar button, #detail')].every(e => !e.offsetParent)"), "controls in print")
    there = b.js("[!!document.querySelector('#line').offsetParent, document.querySelectorAll('#table .row').length]")
    check(there[0] and there[1] > 30, "print", there)
    b.shot(d + "/small_print.png")
    b.call("Emulation.setEmulatedMedia", media="")


def many(b, d):
    """A compile with more than 50 processes, and threads."""
    lines = [json.loads(x) for x in open(d + "/many.json")]
    s, events = lines[-1], lines[1:-1]
    pids = {e["pid"] for e in events if e["pid"]}
    check(len(pids) > 50, "processes", len(pids))
    threads = {e["tid"] for e in events if e["tid"]} - pids
    for dark in (False, True):
        b.size(1400, 1400, dark)
        b.open(d + "/many.html"), time.sleep(0.3)
        b.shot(d + f"/many_{'dark' if dark else 'light'}.png")
    compare_cards(b, s, lines[0]["backend"])
    lanes, kernel = int(b.js("document.body.dataset.lanes")), len({e["type"] for e in events} & {"sched_delay", "block_io"})
    check(lanes == len(pids) + len(threads) + kernel, "lanes", lanes, len(pids), len(threads), kernel)
    # threads fold away and come back, by their process's label; the fragment says which
    b.size(1400, 4000), time.sleep(0.2)
    y = b.js("(r => r.top)(document.querySelector('#line').getBoundingClientRect())")
    for k in range(100):
        at = y + 18 + kernel * 16 + k * 15 + 4
        b.mouse("mousePressed", 60, at), b.mouse("mouseReleased", 60, at), time.sleep(0.02)
        if int(b.js("document.body.dataset.lanes")) < lanes:
            break
    folded = int(b.js("document.body.dataset.lanes"))
    check(len(threads) > 0 and folded < lanes, "folding", lanes, folded)
    time.sleep(0.3)
    fragment = b.js("location.hash")
    b.open(d + "/many.html", fragment)
    check("fold=" in fragment and int(b.js("document.body.dataset.lanes")) == folded, "folded from the fragment", fragment)
    b.mouse("mousePressed", 60, at), b.mouse("mouseReleased", 60, at), time.sleep(0.1)
    check(int(b.js("document.body.dataset.lanes")) == lanes, "unfolding")
    # the tree: each child is one step deeper than its parent, below it
    b.size(1400, 4000), b.click("[data-tab=processes]"), time.sleep(0.2)
    got = table(b)
    depth = {int(r[1]): (len(r[0]) - len(r[0].lstrip())) // 2 for r in got}
    check(set(depth) == pids, "processes", set(depth) ^ pids)
    for e in events:
        if e["type"] == "spawn_process" and e.get("child_pid") in depth:
            check(depth[e["child_pid"]] == depth[e["pid"]] + 1, "depth", e, depth)
    bars = b.js("[...document.querySelectorAll('.gantt b')].map(e => [parseFloat(e.style.left), parseFloat(e.style.width)])")
    check(len(bars) == len(pids) and all(0 <= x <= 100 and 0 <= w <= 100.01 - x for x, w in bars), "Gantt", bars[:5])
    b.shot(d + "/many_processes.png")
    # a process of the tree leads to its events
    b.js("document.querySelectorAll('#table .grid > div:last-child > .row')[3].click()")
    want = sum(e["pid"] == int(got[3][1]) for e in events)
    check(rows(b) == want, "events of one process", rows(b), want)
    b.size(1400, 900)


def again(b, d):
    """Two children, one after the other, with one pid: two lanes, two rows, each with its own calls."""
    b.size(1400, 900)
    b.open(d + "/again.html", "#tab=processes&noise=1")
    got = table(b)
    check(len(got) == 3 and got[1][1] == got[2][1] != got[0][1], "processes", got)
    check(b.js("+document.body.dataset.lanes") >= 3, "lanes")
    for k, name, other in ((1, "first", "second"), (2, "second", "first")):
        b.click("[data-tab=processes]")
        b.js(f"document.querySelectorAll('#table .grid > div:last-child > .row')[{k}].click()"), rows(b)
        text = b.js("document.querySelector('#table').textContent")
        check(f'"{name}"' in text and f'"{other}"' not in text, "calls of " + name)


def empty(b, d):
    for dark in (False, True):
        b.size(1400, 900, dark)
        b.open(d + "/empty.html", "#noise=1")
        b.shot(d + f"/empty_{'dark' if dark else 'light'}.png")
    check(rows(b) == sum(1 for _ in open(d + "/empty.json")) - 2, "rows", rows(b))
    check(cards(b)["processes exit"] == "0", "cards")
    for name in ("files", "peers", "processes", "calls", "memory", "events"):
        b.click(f"[data-tab={name}]")
    for key in "+-0":
        b.key(key, "#line")
    b.click("#failed"), b.fill("#q", "x")
    check(rows(b) == 0 and "no event" in b.js("document.querySelector('#table').textContent"), "no rows")


def hostile(b, d):
    b.size(1400, 900)
    b.open(d + "/hostile.html", "#noise=1&q=" + "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    check(rows(b) > 0, "the hostile name is found")
    check(b.js("document.images.length") == 0 and not b.js("!!window.owned"), "markup of a name became a part of the page")
    check("onerror=alert" in b.js("document.querySelector('#table').textContent"), "the name is shown")
    check("\x1b" not in b.js("document.body.textContent"), "ESC is shown")
    for tab in ("files", "processes", "calls", "peers", "memory"):
        b.click(f"[data-tab={tab}]")
        check(b.js("document.querySelectorAll('#table b:not([style]), #table img, #table svg, #table script').length") == 0, tab)
    check(b.js("document.images.length") == 0, "tabs")
    # details, titles, what the pointer shows, and a fragment that is no kvis's
    b.click("[data-tab=events]")
    for k in range(3):
        b.js(f"document.querySelectorAll('#table .grid > div:last-child > .row')[{k}]?.click()")
    check("onerror=alert" in b.js("document.querySelector('#detail pre').textContent"), "the detail shows it")
    check(b.js("document.title").startswith("kvis: sh -c"), "title")
    box = b.js("(r => [r.left, r.top, r.width])(document.querySelector('#line').getBoundingClientRect())")
    tips = set()
    for y in range(20, 200, 9):
        for x in range(195, int(box[2]), 60):
            b.mouse("mouseMoved", box[0] + x, box[1] + y, button="none", clickCount=0)
            tips.add(b.js("document.querySelector('#tip').hidden ? '' : document.querySelector('#tip').textContent"))
    check(len(tips) > 3 and b.js("document.querySelector('#tip').children.length") == 0, "tips", len(tips))
    for bad in ("q=%3Cscript%3Ewindow.owned%3D1%3C/script%3E&re=1", "tab=__proto__&sort=constructor&sel=1e99&from=x&to=-1&fold=..%00",
                "from=-1e999&to=Infinity&type=__proto__&sort=toString", "cats=%3Csvg%20onload%3Dalert(3)%3E&proc=-1&type=call:nothing", "%", "tab=toString&path=" + "%22" * 5000):
        b.open(d + "/hostile.html", "#" + bad), rows(b)
        check(b.js("document.images.length") == 0 and not b.js("!!window.owned"), "fragment " + bad[:40])
    for dark in (False, True):
        b.size(1400, 900, dark)
        b.open(d + "/hostile.html"), b.shot(d + f"/hostile_{'dark' if dark else 'light'}.png")


def large(b, d):
    mb = os.path.getsize(d + "/large.html") / 1e6
    b.size(1400, 900)
    secs = b.open(d + "/large.html", "#noise=1")
    paint = b.js("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000
    n = rows(b)
    frames = b.js("""new Promise(done => {
        const c = document.querySelector('#line'), t0 = performance.now(), each = [];
        let k = 0, last = t0;
        const step = () => {
            c.dispatchEvent(new KeyboardEvent('keydown', { key: k < 20 ? '+' : k < 40 ? 'ArrowRight' : '-', bubbles: true }));
            document.querySelector('#table .grid').scrollTop += 70000;
            each.push(performance.now() - last), last = performance.now();
            if (++k < 60) requestAnimationFrame(step);
            else requestAnimationFrame(() => done([(performance.now() - t0) / 60, each.sort((a, b) => b - a)[3]]));
        };
        requestAnimationFrame(step);
    })""")
    print(f"{n} events: {mb:.1f} MB, first paint {paint:.2f} s, complete {secs:.2f} s, {frames[0]:.1f} ms a frame, "
          f"95 % of them in {frames[1]:.1f} ms")
    check(n > 900000 and mb <= 40 and paint <= 1 and secs <= 4 and frames[0] < 34, "too slow or too large")
    b.js("document.querySelector('#table .grid').scrollTop = 1e9"), time.sleep(0.2)
    check("exit_group" in b.js("document.querySelector('#table').textContent"), "the last rows")
    b.shot(d + "/large_light.png")
    b.size(1400, 900, True), b.open(d + "/large.html"), b.shot(d + "/large_dark.png")


def main():
    b = Browser()
    d = sys.argv[1]
    try:
        for what in sys.argv[2:]:
            globals()[what](b, d)
        check(not b.bad, "errors in the page", b.bad)
    finally:
        b.close()


main()
