#!/usr/bin/env python3
"""Used by the cases report and report_view.
report.py NAME...: the reports NAME.html (small, many, again, net, burst, uring, few, empty, hostile, large) are opened in Chromium,
every control is used, and what the page shows is compared with NAME.json of the same run."""
import json
import os
import re
import sys
import time

from browser import Browser, check, size, span


ALL = "#noise=1&cats=file.net.memory.process.signal.call.kernel"  # rows of all events


def rows(b):
    """The number of rows of the table after all filters have been applied."""
    last = None
    for _ in range(200):
        time.sleep(0.1)
        now = b.js("document.querySelector('#count').textContent + document.body.dataset.rows")
        if now == last:
            break
        last = now
    return int(b.js("document.body.dataset.rows"))


def compare_cards(b, s, backend):
    c, num = b.cards(), str
    want = {
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


def plain(text):
    return text.replace("\u202f", "").strip()


def lines_of(name):
    lines = [json.loads(x) for x in open(name + ".json")]
    return lines[-1], lines[1:-1]


def copies(b, events, step=1):
    """Every row of the table (or of every step-th screen), copied, equals the line of --json, including invalid UTF-8."""
    b.size(1400, 900)
    got = b.js("""(async () => {
        const out = [], grid = document.querySelector('#table .grid'), rows = () => [...grid.lastChild.children];
        navigator.clipboard.writeText = s => (out.push(s), Promise.resolve());
        for (let top = 0; top <= grid.scrollHeight; top += STEP * (grid.clientHeight - 60)) {
            grid.scrollTop = top;
            await new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)));
            for (let k = 0; k < rows().length; k++) rows()[k].click(), document.querySelector('#copy').click();
        }
        return out;
    })()""".replace("STEP", str(step)))
    want = {json.dumps(e, sort_keys=True) for e in events}
    got = {json.dumps(json.loads(x), sort_keys=True) for x in got}
    check(got == want if step == 1 else got < want and len(got) > 200, "rows copied as JSON", len(want), list(got - want)[:3], list(want - got)[:3])
    b.until("document.querySelector('#copy').textContent === 'copied'", 5)
    b.key("Escape", "#line")
    b.js("delete navigator.clipboard.writeText")


def inked(b, spots):
    """Whether something colored or dark is drawn at each of these points of the timeline's canvas."""
    return b.js(f"""(() => {{ const g = document.querySelector('#line').getContext('2d');
        return {json.dumps(spots)}.map(([x, y]) => {{ const [r, v, b, a] = g.getImageData(x, y, 1, 1).data;
            return a > 100 && (Math.max(r, v, b) - Math.min(r, v, b) > 20 || Math.max(r, v, b) < 180); }}); }})()""")


def all_drawn(b, events, lanes):
    """Every call of 4 pixels and more is drawn in its lane (lanes: by tid, where it begins), even right after a burst of
    short ones. Light colours only: there, nothing is darker than the bars, and lines are grey."""
    width = b.js("document.querySelector('#line').clientWidth")
    lo, hi = b.nanoseconds()
    scale, spots = (width - 190) / (hi - lo), []
    for e in events:
        if e["type"] == "syscall" and e["duration_ns"] and e["tid"] in lanes and e["duration_ns"] * scale >= 4:
            spots.append([round(190 + (e["ts_ns"] - lo + e["duration_ns"] / 2) * scale), lanes[e["tid"]] + 6])
    missing = [s for s, there in zip(spots, inked(b, spots)) if not there]
    check(len(spots) > 10 and not missing, "bars that are not drawn", len(spots), missing[:5])


def memory(b, events):
    """The tab's numbers are the sums of the events; the memory of a process is freed at its exec and its end."""
    now, total, most = {}, [0, 0, 0], [0, 0, 0]
    grew = {"brk": lambda e: (0, e["growth_bytes"]), "mmap": lambda e: (1, e["size"]), "munmap": lambda e: (1, -e["size"]),
            "mremap": lambda e: (1, e["size"] - e["old_size"])}
    for e in sorted((e for e in events if "error" not in e), key=lambda e: e["ts_ns"]):
        mine = now.setdefault(e["pid"], [0, 0, 0])
        steps = [grew[e["type"]](e)] if e["type"] in grew else [(2, e["bytes"] - mine[2])] if e["type"] == "rss" else \
            [(k, -mine[k]) for k in range(3)] if e["type"] in ("exec", "exit_process") else []
        for k, n in steps:
            was, mine[k] = mine[k], max(0, mine[k] + n)
            total[k] += mine[k] - was
            most[k] = max(most[k], total[k])
    b.click("[data-tab=memory]")
    told = b.js("document.querySelector('#chart').getAttribute('aria-label')").split("; ")
    for k, name in enumerate(("heap", "mapped", "resident")[:2 + any(e["type"] == "rss" and e["bytes"] for e in events)]):
        check(told[k] == f"{name}: {size(total[k])} at the end, at most {size(most[k])}", "memory", told, total, most)
    check(any(b.js("(c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data].filter((_, i) => i % 400 == 3))"
                   "(document.querySelector('#chart'))")), "an empty chart")


def sorting(b, events):
    for key, of in (("duration", lambda e: e.get("duration_ns") or e.get("delay_ns") or 0),
                    ("bytes", lambda e: abs(e.get("bytes", e.get("size", e.get("growth_bytes", 0))) if e["type"] != "syscall" else 0))):
        b.open("small.html", ALL + f"&sort={key}&down=1"), rows(b)
        values = sorted((of(e) for e in events), reverse=True)[:10]
        show = span if key == "duration" else size
        got = [plain(r[3 if key == "duration" else 4]) for r in b.table()[:10]]
        check(got == [show(v) for v in values], "sorted by " + key, got, values)
        b.click("#table .head button:nth-child(1)"), rows(b)
        got = [float(r[0]) for r in b.table()]
        check(got == sorted(got), "sorted by time", got[:5])


LOOKS = "open openat openat2 creat readlink readlinkat exec execve execveat".split()
ASKS = {("readlink", "EINVAL"), ("readlinkat", "EINVAL"), ("ioctl", "ENOTTY"), ("lseek", "ESPIPE"), ("wait4", "ECHILD"), ("waitid", "ECHILD"),
        ("futex", "ETIMEDOUT"), *((a, e) for a in ("access", "faccessat", "faccessat2", "stat", "lstat", "newfstatat", "statx") for e in ("ENOENT", "ENOTDIR"))}


def looks_for(e):
    """The last part of the path that is looked up, or None."""
    call = e.get("name", e["type"])
    if call not in LOOKS:
        return None
    path = e.get("path") or e.get("program") or "" if e["type"] != "syscall" else \
        next((a for a in e["args"] if a != "AT_FDCWD" and not re.match(r"\d+<", a)), "")
    return path.rstrip("/").split("/")[-1] or None


def failures(events):
    """The errors that are failures according to the page's legend."""
    found = {(e["pid"], looks_for(e)) for e in events if not e.get("error") and looks_for(e)}
    for e in events:
        name, error = e.get("name", e["type"]), e.get("error")
        answer = re.match("EINTR|ERESTART|EINPROGRESS|EAGAIN", error or "") or (name, error) in ASKS or \
            (error in ("ENOENT", "ENOTDIR") and (e["pid"], looks_for(e)) in found)
        e["failure"] = bool(error) and not answer
    return [e for e in events if e["failure"]]


def numbers_of_tabs(b, s, events):
    """The tabs match the summary and the events."""
    b.size(1400, 8000)
    b.click("[data-tab=files]")
    got = {r[0]: [plain(x) for x in r[2:5]] for r in b.table()}
    want = {f["path"]: [str(f["opens"]), size(f["bytes_read"]), size(f["bytes_written"])] for f in s["files"]}
    check(got == want, "files", [x for x in want.items() if got.get(x[0]) != x[1]][:3])
    b.click("[data-tab=calls]")
    calls = [e for e in events if e["type"] == "syscall"]
    failures(events)
    check(sorted(r[0] for r in b.table()) == sorted({e["name"] for e in calls}), "calls")
    for name, count, errors, total, _, _, longest, cpu, runq, disk, other in ([plain(x) for x in r] for r in b.table()):
        mine = [e for e in calls if e["name"] == name]
        took = [e["duration_ns"] for e in mine if e["duration_ns"] is not None]
        failed = [e for e in mine if e["failure"]]
        want = [str(len(mine)), str(len(failed) or ""), span(sum(took)) if sum(took) else "", span(max(took)) if any(took) else ""]
        check([count, errors, total, longest] == want, "calls: " + name, (count, errors, total, longest), want)
        for key, shown in (("on_cpu_ns", cpu), ("runq_ns", runq), ("disk_ns", disk), ("other_ns", other)):
            ns = sum(e.get(key, 0) for e in mine)
            check(shown == (span(ns) if ns else ""), f"calls: {name} {key}", shown, ns)
    b.click("[data-tab=processes]")
    at = [b.columns().index(c) for c in ("pid", "exit", "calls", "faults")]
    got = {int(r[at[0]]): [plain(r[i]) for i in at[1:]] for r in b.table()}
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
    check(b.text(".row.on .n") == b.table()[1][0], "the second row by keys")
    first = b.text("#detail pre")
    b.key("End", "#table .grid"), time.sleep(0.2)
    check(b.text("#detail pre") != first, "the last row by key")
    b.until("document.querySelector('#copy').textContent !== 'copied'", 5)
    b.key("c", "#table .grid"), b.until("document.querySelector('#copy').textContent === 'copied'", 5)
    b.key("Escape", "#table .grid")
    b.js("document.querySelector('[data-tab=events]').focus()")
    b.key("ArrowRight", "[data-tab=events]")
    check(b.js("document.activeElement.dataset.tab") == "files", "tabs by arrows")
    b.key("ArrowLeft", "[data-tab=files]")


def filters(b, events):
    """Each leaves the rows that the JSON has, or a part of them; the fragment carries them."""
    b.open("small.html")
    b.click("#noise")
    n = len(events)
    openat = sum(e.get("name") == "openat" for e in events if e["type"] == "syscall")
    # the filter, its text, and the minimum and maximum number of rows
    for what, text, least, most in (("#type", "", n, n), ("#type", "call:openat", openat, openat), ("#q", "libc.so", 1, n - 1), ("#path", "/etc/", 1, n - 1),
                                    ("#proc", "1", 1, n - 1)):
        b.fill(what, text)
        check(least <= rows(b) <= most, "filter", what, text, rows(b), least, most)
        if what == "#q":
            check(b.js("[...document.querySelectorAll('.row:not(.head)')].every(r => r.textContent.includes('libc'))"), "rows of a search")
        b.fill(what, "")
    b.click("#failed")
    check(0 < rows(b) < sum(bool(e.get("error")) for e in events), "failed only", rows(b))
    b.click("#failed"), b.click("#re"), b.fill("#q", "^/(etc|usr)/.*(hosts|libc)")
    check(0 < rows(b) < n, "regex", rows(b))
    b.fill("#q", "("), rows(b)
    check("xpression" in b.text("#count"), "a bad regex is told")
    b.click("#re"), b.fill("#q", ""), b.click("[data-cat=call]")
    check(rows(b) == sum(e["type"] != "syscall" for e in events), "category", rows(b))
    b.fill("#q", "etc")
    seen, fragment = rows(b), b.hash()
    check("q=etc" in fragment and "noise=1" in fragment, "fragment", fragment)
    b.open("small.html", fragment)
    check(rows(b) == seen and b.js("document.querySelector('#q').value") == "etc", "fragment round trip")
    check(b.js("document.querySelector('[data-cat=call]').getAttribute('aria-pressed')") == "false", "chip from fragment")


def timeline(b, s, events):
    """Lanes; keys, buttons, the wheel and drags move and zoom; rows and the timeline lead to each other."""
    def view():
        time.sleep(0.2)
        return b.nanoseconds()
    pids = {e["pid"] for e in events if e["pid"]}
    b.open("small.html", "#noise=1")  # each drawn event has a row
    check(len(pids) <= b.lanes() <= len(pids) + s["threads"] + 2, "lanes", b.lanes(), len(pids))
    rows(b)
    left, top, width, _ = b.box("#line")
    x, y, whole = left + width / 2, top + 50, view()
    for what, zoom, back in (
            ("key", lambda: b.key("+", "#line"), lambda: b.key("0", "#line")),
            ("button", lambda: b.click("#in"), lambda: b.click("#out")),
            ("wheel", lambda: b.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300, modifiers=2), lambda: b.click("#fit")),
            ("drag", lambda: (b.press(x, y, x + 120), b.click("#into")), lambda: (b.click("#none"), b.click("#fit")))):
        zoom()
        part = view()
        check(part[1] - part[0] < (whole[1] - whole[0]) * .7, "zoom by " + what, part, whole)
        if what == "wheel":
            b.mouse("mouseWheel", x, y, deltaX=0, deltaY=100, modifiers=8)
            now = view()
            check(now[0] > part[0] and abs(now[1] - now[0] - part[1] + part[0]) < 3e3, "shift and wheel move", part, now)
        back()
        check(view() == whole, "all of it again, by " + what, view(), whole)
    hit = next((k for k in range(200, int(width) - 2, 7) if b.hover(left + k, y)), None)
    check(hit, "nothing under the pointer")
    b.press(left + hit, y)
    b.until("!document.querySelector('#detail').hidden")  # a click shows the event
    b.until("document.querySelectorAll('#table .row.on').length === 1")  # and selects its row
    b.until("location.hash.includes('sel=')")  # the selection is in the fragment
    b.key("Escape", "#line")
    check(b.js("document.querySelector('#detail').hidden"), "Escape")
    # from the table to the timeline: a row that is out of view is brought into it
    b.open("small.html")
    n = rows(b)
    b.js("document.querySelector('#table .grid').scrollTop = 1e9"), time.sleep(0.2)
    b.press(left + 195, y, left + 260), b.key("z", "#line"), b.key("Escape", "#line"), time.sleep(0.2)
    b.until(f"document.body.dataset.rows == {n}")  # nothing is selected any more
    part = view()
    b.js("document.querySelector('#table .grid').lastChild.lastChild.click()"), time.sleep(0.1)
    seen, at = view(), 1e9 * float(b.text(".row.on .n"))
    check(seen != part and seen[0] <= at <= seen[1], "a row leads to its place in the timeline", seen, at)
    # the minimap
    b.js("document.querySelector('#map').scrollIntoView({ block: 'center' })")
    m = b.box("#map")
    b.press(m[0] + m[2] - 40, m[1] + 18)
    moved = view()
    check(abs((moved[1] - moved[0]) - (seen[1] - seen[0])) < 2e3 and moved[1] > s["duration_ns"] * .9, "the minimap moves", seen, moved)
    b.key("ArrowLeft", "#line")
    check(view()[0] < moved[0], "an arrow moves", view(), moved)


def printed(b):
    """In print, the page has no controls, and is light even if the screen is dark."""
    b.size(1400, 900, True), b.open("small.html")
    b.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}]), time.sleep(0.5)
    check(b.js("getComputedStyle(document.body).backgroundColor") == "rgb(251, 251, 250)", "dark paper")
    check(inked(b, [[5, 40]]) == [False], "dark lanes on paper")
    check(b.js("[...document.querySelectorAll('#find, #tabs, .bar button, #detail')].every(e => !e.offsetParent)"), "controls in print")
    there = b.js("[!!document.querySelector('#line').offsetParent, document.querySelectorAll('#table .row').length]")
    check(there[0] and there[1] > 30, "print", there)
    b.call("Emulation.setEmulatedMedia", media="")


def small(b):
    s, events = lines_of("small")
    b.size(1400, 900)
    b.open("small.html", ALL)
    compare_cards(b, s, s["backend"])
    check(rows(b) == len(events), "rows", rows(b), len(events))
    copies(b, events, 5)
    keyboard(b)
    numbers_of_tabs(b, s, events)
    sorting(b, events)
    filters(b, events)
    timeline(b, s, events)
    memory(b, events)
    printed(b)


def as_bars(b, lanes):
    b.js("location.hash = ''"), time.sleep(0.3)
    picture = "document.querySelector('#line').toDataURL()"
    seen = {b.js(picture)}
    for by in ("exit", "duration", "cpu"):
        b.choose("#paint", by), time.sleep(0.2)
        seen.add(b.js(picture))
    check(len(seen) == 4, "colours", len(seen))
    check("paint=cpu" in b.hash(), "the fragment has the colors", b.hash())
    b.choose("#paint", "calls"), time.sleep(0.3)
    check(b.lanes() == lanes and b.js("location.hash") == "", "all of it again", b.js("location.hash"))


def many(b):
    """A compile with more than 50 processes, and threads."""
    _, events = lines_of("many")
    pids = {e["pid"] for e in events if e["pid"]}
    check(len(pids) > 50, "processes", len(pids))
    threads = {e["tid"] for e in events if e["tid"]} - pids
    b.size(1400, 4000), b.open("many.html")
    lanes, kernel = b.lanes(), len({e["type"] for e in events} & {"sched_delay", "block_io"})
    check(lanes == len(pids) + len(threads) + kernel, "lanes", lanes, len(pids), len(threads), kernel)
    # threads fold away and come back, by their process's label; the fragment says which
    y = b.box("#line")[1]
    for at in range(int(y) + 22 + kernel * 18, int(y) + 1800, 18):
        b.press(60, at), time.sleep(0.1)
        if b.lanes() < lanes:
            break
    folded, fragment = b.lanes(), b.hash()
    check(len(threads) > 0 and folded < lanes, "folding", lanes, folded)
    b.open("many.html", fragment)
    check("fold=" in fragment and b.lanes() == folded, "folded from the fragment", fragment)
    b.press(60, at), time.sleep(0.5)
    check(b.lanes() == lanes, "unfolding", lanes, folded, b.lanes(), fragment)
    b.key("f", "#line"), time.sleep(0.1)
    kids = {e["child_pid"] for e in events if e["type"] == "spawn_process" and e["pid"] == events[0]["pid"]}
    check(b.lanes() == 1 + len(kids) + kernel, "all folded by key")
    b.click("#fold"), time.sleep(0.1)
    check(b.lanes() == lanes, "all unfolded")
    as_bars(b, lanes)
    # the tree: each child is one step deeper than its parent, below it
    b.click("[data-tab=processes]"), time.sleep(0.2)
    got = b.table()
    depth = {int(r[1]): (len(r[0]) - len(r[0].lstrip())) // 2 for r in got}
    check(set(depth) == pids, "processes", set(depth) ^ pids)
    main, at = {}, 18 + kernel * 18
    for pid in [int(r[1]) for r in got]:
        main[pid] = at
        at += 20 + 18 * len({e["tid"] for e in events if e["pid"] == pid} - {pid})
    b.click("#fit"), time.sleep(0.3), all_drawn(b, events, {k: y for k, y in main.items() if y < 1500})
    for e in events:
        if e["type"] == "spawn_process" and e.get("child_pid") in depth:
            check(depth[e["child_pid"]] == depth[e["pid"]] + 1, "depth", e, depth)
    bars = b.js("[...document.querySelectorAll('.gantt b')].map(e => [parseFloat(e.style.left), parseFloat(e.style.width)])")
    check(len(bars) == len(pids) and all(0 <= x <= 100 and 0 <= w <= 100.01 - x for x, w in bars), "Gantt", bars[:5])
    # a process of the tree leads to its events
    b.js("document.querySelectorAll('#table .grid > div:last-child > .row')[3].click()")
    want = sum(e["pid"] == int(got[3][1]) for e in events)
    check(rows(b) == want, "events of one process", rows(b), want)
    b.size(1400, 900)


def again(b):
    """Two children, one after the other, with one pid: two lanes, two rows, each with its own calls."""
    b.size(1400, 900)
    b.open("again.html", "#tab=processes&noise=1")
    got = b.table()
    check(len(got) == 3 and got[1][1] == got[2][1] != got[0][1], "processes", got)
    check(b.lanes() >= 3, "lanes")
    for k, name, other in ((1, "first", "second"), (2, "second", "first")):
        b.click("[data-tab=processes]")
        b.js(f"document.querySelectorAll('#table .grid > div:last-child > .row')[{k}].click()"), rows(b)
        text = b.text("#table")
        check(f'"{name}"' in text and f'"{other}"' not in text, "calls of " + name)


def net(b):
    """Peers, and numbers that do not fit into a double."""
    s, _ = lines_of("net")
    b.size(1400, 2000)
    b.open("net.html", "#tab=peers")
    want = [[p["sock_type"], p["remote_addr"], size(p["bytes_sent"]), size(p["bytes_received"])] for p in s["peers"]]
    check(len(want) > 1 and sorted(b.table()) == sorted(want), "peers", b.table(), want)
    check(sum(int(p["bytes_sent"]) for p in s["peers"]) > 0, "nothing was sent")
    b.open("wide.html", ALL), rows(b)
    _, events = lines_of("wide")
    check(any("0xffffffffffffffff" in e.get("args", []) and "0x4000000000000001" in e["args"] for e in events), "the numbers")
    copies(b, events)
    b.fill("#q", "syscall_"), rows(b)
    check("0xffffffffffffffff, 0x4000000000000001" in b.text("#table"), "numbers in a row")


def uring(b):
    """Requests that overlap: one that began before others is in its lane, and found, after they are over."""
    _, events = lines_of("uring")
    done = {e["op"]: e for e in events if e["type"] == "io_uring"}
    check(any("waker_comm" in e for e in events), "no wait that has been ended by another thread")
    b.size(1400, 900)
    b.open("uring.html", ALL)
    copies(b, events)
    first, long, kernel = done["timeout"], done["recv"], {"sched_delay", "io_uring", "block_io"} & {e["type"] for e in events}
    check(first["ts_ns"] < long["ts_ns"] and long["duration_ns"] > 90e6, "requests", first, long)
    t = (first["ts_ns"] + long["ts_ns"]) / 2  # after the first has ended
    lo, hi = b.nanoseconds()
    left, top, width, _ = b.box("#line")
    x = 190 + (t - lo) / (hi - lo) * (width - 190)
    y = next((y for y in range(26, 26 + 18 * len(kernel), 18) if "io_uring recv" in b.hover(left + x, top + y)), None)
    check(y, "the request is not found in a lane")
    check(inked(b, [[round(x), y]]) == [True], "the bar")
    # zoomed to where only the long one is, it is there still
    b.open("uring.html", f"#from={int(t - 1e6)}&to={int(t + 1e6)}"), time.sleep(0.3)
    check(inked(b, [[700, y]]) == [True], "the bar of a request that began before what is in view")
    check("io_uring recv" in b.hover(left + 700, top + y), "hover", b.text("#tip"))


def burst(b):
    """Long calls, each after many short ones in the same pixel."""
    _, events = lines_of("burst")
    b.size(1400, 900)
    b.open("burst.html"), time.sleep(0.3)
    kernel = len({e["type"] for e in events} & {"sched_delay", "block_io"})
    all_drawn(b, events, {events[0]["pid"]: 18 + 18 * kernel})


def few(b):
    """The page reports omitted events; it keeps processes and their ends."""
    b.size(1400, 900)
    b.open("few.html", ALL)
    check(rows(b) == 100, "events", rows(b))
    note = b.text("#note")
    check("events are omitted" in note and "--max-report-events" in note, "what is left out", note)
    b.fill("#type", "exit_process")
    check(rows(b) == int(b.cards()["processes processes"]), "ends of processes", rows(b))


def empty(b):
    b.size(1400, 900)
    b.open("empty.html", "#noise=1")
    check(rows(b) == sum(1 for _ in open("empty.json")) - 2, "rows", rows(b))
    check(b.cards()["processes exit"] == "0", "cards")
    for name in ("files", "peers", "processes", "calls", "memory", "events"):
        b.click(f"[data-tab={name}]")
    for key in "+-0":
        b.key(key, "#line")
    b.click("#failed"), b.fill("#q", "x")
    check(rows(b) == 0 and "filters hide all events" in b.text("#table"), "no rows")


def hostile(b):
    b.size(1400, 900)
    b.open("hostile.html", "#noise=1&q=" + "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    check(rows(b) > 0, "the hostile name is found")
    check(b.js("document.images.length") == 0 and not b.js("!!window.owned"), "markup of a name became a part of the page")
    check("onerror=alert" in b.text("#table"), "the name is shown")
    check("\x1b" not in b.js("document.body.textContent"), "ESC is shown")
    for tab in ("files", "processes", "calls", "peers", "memory"):
        b.click(f"[data-tab={tab}]")
        check(b.js("document.querySelectorAll('#table b:not([style]), #table img, #table svg, #table script').length") == 0, tab)
    check(b.js("document.images.length") == 0, "tabs")
    check("<svg onload=alert(4)> " in b.text("#proc"), "a program's name, to choose")
    b.click("[data-tab=processes]")
    commands = b.text("#table")
    check("./<svg onload=alert(4)>" in commands and "<b>x</b> </script>" in commands, "commands", commands[:2000])
    b.choose("#paint", "exit")
    b.fill("#find", "<svg"), time.sleep(0.2)
    check(len(b.table()) >= 1 and b.js("document.images.length + document.querySelectorAll('svg').length") == 0, "a command that is looked for")
    b.fill("#find", "")
    b.choose("#paint", "calls")
    # details, titles, what the pointer shows, and a fragment that is no kvis's
    b.click("[data-tab=events]")
    for k in range(3):
        b.js(f"document.querySelectorAll('#table .grid > div:last-child > .row')[{k}]?.click()")
    check("onerror=alert" in b.text("#detail pre"), "the detail shows it")
    check(b.js("document.title").startswith("kvis: sh -c"), "title")
    left, top, width, _ = b.box("#line")
    tips = {b.hover(left + x, top + y) for y in range(20, 200, 9) for x in range(195, int(width), 60)}
    check(len(tips) > 3 and b.js("document.querySelector('#tip').children.length") == 0, "tips", len(tips))
    for bad in ("q=%3Cscript%3Ewindow.owned%3D1%3C/script%3E&re=1", "tab=__proto__&sort=constructor&sel=1e99&from=x&to=-1&fold=..%00",
                "from=-1e999&to=Infinity&type=__proto__&sort=toString", "cats=%3Csvg%20onload%3Dalert(3)%3E&proc=-1&type=call:nothing", "%",
                "tab=toString&path=" + "%22" * 5000):
        b.open("hostile.html", "#" + bad), rows(b)
        check(b.js("document.images.length") == 0 and not b.js("!!window.owned"), "fragment " + bad[:40])


def large(b):
    b.size(1400, 900)
    b.open("large.html", "#noise=1")
    n, mb = rows(b), os.path.getsize("large.html") / 1e6
    check(n > 1000000 and mb <= 40, "too large", n, mb)
    b.js("document.querySelector('#table .grid').scrollTop = 1e9"), time.sleep(0.2)
    check("exit_group" in b.text("#table"), "the last rows")


if __name__ == "__main__":
    with Browser() as b:
        for name in sys.argv[1:]:
            globals()[name](b)
