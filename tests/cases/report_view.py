#!/usr/bin/env python3
# For a part of a run, the report of kvis trace shows the sums of that part's JSON lines: names, totals, failures, rows.
# tier: browser
# timeout: 200
# needs: chromium gcc python3 prog:diff_threads
import json
import os
import re
import time

from lib import BIN, CWD, fail, put, run

os.environ["HOME"] = CWD
from browser import Browser, check, size, span
from report import failures, lines_of, rows

COMMAND = r'''for i in 1 2 3 4; do gcc -c m$i.c & done; wait
        cat /nonexistent 2>/dev/null; python3 -c "
import socket
s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen()
c = socket.socket(); c.setblocking(False); c.connect_ex(s.getsockname()); a = s.accept()[0]; a.send(b\"x\" * 4000)"; "$0"; exit 0'''


def contrast(one, other):
    """WCAG 2.2, contrast ratio of two colours (each: three numbers up to 255)."""
    def luminance(rgb):
        a, b, c = (v / 3294.6 if v <= 10.31 else ((v / 255 + .055) / 1.055) ** 2.4 for v in rgb)
        return .2126 * a + .7152 * b + .0722 * c
    x, y = sorted((luminance(one), luminance(other)))
    return (y + .05) / (x + .05)


def rgb(b, colour):
    """The color that the browser draws for a CSS color."""
    return b.js(f"(g => {{ g.fillStyle = {json.dumps(colour)}; g.fillRect(0, 0, 1, 1); return [...g.getImageData(0, 0, 1, 1).data].slice(0, 3); }})"
                "(document.createElement('canvas').getContext('2d'))")


def names(b, name, events):
    """Bars that are wide enough show a name and details, in a legible color."""
    calls = {(e["ts_ns"], e["tid"]): e for e in events if e["type"] == "syscall"}
    run = next(e for e in events if e["type"] == "exec" and "python3" in e["argv"][0])
    some = [e for e in events if e["type"] == "syscall" and e["name"] in ("openat", "read") and e["pid"] == run["pid"] and e["ts_ns"] > run["ts_ns"]]
    # two calls in a row that fill most of the time from the start of one to the end of the other have the widest bars
    one, other = max(zip(some, some[1:]), key=lambda p: min(e["duration_ns"] for e in p) / (stop(p[1]) - start(p[0])))
    begin, end = one["ts_ns"] - 9999, stop(other)
    for dark in (False, True):
        b.size(1400, 1400, dark)
        b.open(name + ".html", f"#from={begin}&to={end}"), time.sleep(.6)
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


def start(e):
    """The start of an event. Some events have the time of their end, so their duration is subtracted."""
    took = e.get("delay_ns", e.get("duration_ns")) or 0
    return e["ts_ns"] if e["type"] == "syscall" else e["ts_ns"] - min(took, e["ts_ns"]) if e["type"] in ("sched_delay", "block_io") else e["ts_ns"]


def stop(e):
    return e["ts_ns"] + (e["duration_ns"] or 0) if e["type"] == "syscall" else e["ts_ns"]


def tally(events, a, b):
    """The totals of the events that overlap an interval."""
    t = dict.fromkeys(("events", "calls", "failed", "ns", "cpu", "runq", "disk", "other", "timed", "read", "written", "faults", "waits",
                       "waited", "ios", "io"), 0)
    calls, files, who = {}, {}, {}
    for e in events:
        if start(e) > b or stop(e) < a:
            continue
        ns = max(0, min(b, stop(e)) - max(a, start(e)))
        t["events"] += 1
        if e["type"] == "syscall":
            t["calls"] += 1
            t["ns"] += ns
            t["failed"] += e["failure"]
            file = re.match(r"\d+<(/.*)>$", e["args"][0] if e["args"] else "", re.S)
            for to, key in ((calls, e["name"]), (who, e["pid"]), (files, file and file[1])):
                to[key] = [to.get(key, [0, 0])[0] + ns, to.get(key, [0, 0])[1] + 1]
            if "on_cpu_ns" in e and ns == e["duration_ns"]:
                t["timed"] += 1
                for key, of in (("cpu", "on_cpu_ns"), ("runq", "runq_ns"), ("disk", "disk_ns"), ("other", "other_ns")):
                    t[key] += e[of]
        elif e["type"] in ("read", "recv", "write", "send"):
            t["read" if e["type"] in ("read", "recv") else "written"] += e["bytes"]
        elif e["type"] == "sched_delay":
            t["waits"], t["waited"] = t["waits"] + 1, t["waited"] + ns
        elif e["type"] == "block_io":
            t["ios"], t["io"] = t["ios"] + 1, t["io"] + ns
        elif e["type"] in ("fault", "fault_group"):
            t["faults"] += e.get("count", 1)
    return t, calls, files, who


def interval(b, name, events):
    """A drag over the timeline selects; the panel has the totals of that interval, and the table its events."""
    b.size(1400, 1000)
    b.open(name + ".html", "#noise=1"), b.drawn()
    whole = rows(b)
    check(not b.text("#span"), "an interval that nobody has selected")
    view = b.text("#range")
    left, top, width, _ = b.box("#line")
    for x0, x1 in ((.1, .35), (.8, .3), (.9, .99)):
        x0, x1 = (left + 190 + (width - 190) * x for x in (x0, x1))
        b.press(x0, top + 60, x1)
        n, at = rows(b), dict(p.split("=") for p in b.js("location.hash.slice(1)").split("&"))
        lo, hi = int(at["a"]), int(at["b"])
        t, calls, files, who = tally(events, lo, hi)
        check(json.loads(b.js("document.body.dataset.tally")) == t, "totals", b.js("document.body.dataset.tally"), t)
        check(n == t["events"] < whole, "rows in the interval", n, t["events"])
        lists = b.js("Object.fromEntries([...document.querySelectorAll('#found .top')].map(c => [c.querySelector('h2').textContent.split(',')[0],"
                     "[...c.querySelectorAll('button')].map(x => [...x.children].map(y => y.textContent))]))")
        check([x for x, _ in lists["calls"]][:2] == sorted(calls, key=lambda c: (-calls[c][0], -calls[c][1]))[:2], "calls", lists["calls"], calls)
        for what, told in lists["calls"]:
            check(told.replace("\u202f", "") == f"{span(calls[what][0])} · {calls[what][1]}×", "a call", what, told, calls[what])
        for what, told in lists.get("files", []):
            if files.get(what, [0])[0]:
                check(told.split(", ")[0] == span(files[what][0]), "a file", what, told, files[what])
        for what, told in lists["processes"]:
            check(told == span(who[int(what.split(" ")[-1])][0]), "a process", what, told)
        check(b.text("#range") == view, "a drag zooms")
    b.click("#within")
    check(rows(b) == whole, "all rows in spite of the interval", rows(b), whole)
    b.click("#within"), b.key("z", "#line")
    check(rows(b) == n and b.text("#range").startswith(f"{lo / 1e9:.6f} – {hi / 1e9:.6f}"), "z zooms")
    b.js("document.querySelector('#found .top button').click()")
    check(0 < rows(b) <= t["calls"] and b.js("document.querySelector('#type').value").startswith("call:"), "a call of the interval leads to its rows")
    b.key("Escape", "#line")
    rows(b)
    check(not b.text("#span") and not re.search("[#&][ab]=", b.js("location.hash")), "Escape", b.js("location.hash"))
    # without an interval: what is in view
    b.open(name + ".html", f"#noise=1&within=1&from={lo}&to={hi}")
    check(rows(b) == t["events"], "rows in view", rows(b), t["events"])
    b.click("#fit")
    check(rows(b) == whole, "rows follow the view")


def difference(*colors):
    """How different two colors look: their distance in CIELAB, of which 2.3 is just visible side by side."""
    labs = []
    for color in colors:
        r, g, b = ((v / 12.92 if v <= .04045 else ((v + .055) / 1.055) ** 2.4) for v in (c / 255 for c in color))
        x, y, z = ((v ** (1 / 3) if v > .008856 else 7.787 * v + 16 / 116) for v in (
            (.4124 * r + .3576 * g + .1805 * b) / .9505, .2126 * r + .7152 * g + .0722 * b, (.0193 * r + .1192 * g + .9505 * b) / 1.0888))
        labs.append((116 * y - 16, 500 * (x - y), 200 * (y - z)))
    return sum((p - q) ** 2 for p, q in zip(*labs)) ** .5


def colours(b, name, events):
    """Events marked as failures are failures; the legend has every color; the strip of the whole run is to scale."""
    failed = failures(events)
    errors = {(e.get("name", e["type"]), e["error"]) for e in events if e.get("error")}
    bad = {(e.get("name", e["type"]), e["error"]) for e in failed}
    check(("connect", "EINPROGRESS") in errors - bad and ("access", "ENOENT") in errors - bad, "answers", errors)
    check(any("/nonexistent" in str(e) for e in failed) and len(failed) < sum(bool(e.get("error")) for e in events), "failures", len(failed))
    b.size(1400, 1000)
    b.open(name + ".html", "#noise=1&failed=1")
    check(rows(b) == len(failed), "failed only", rows(b), len(failed))
    check(b.js("document.querySelectorAll('#table .row.err').length > 0 && !document.querySelector('#table .row.soft')"), "red rows")
    b.open(name + ".html", "#noise=1&q=EINPROGRESS"), rows(b)
    check(b.js("!!document.querySelector('#table .row.soft') && !document.querySelector('#table .row.err')"), "EINPROGRESS is red")
    legend = b.js("[...document.querySelectorAll('#legend span')].map(e => e.textContent)")
    check({"failed", "normal error", "file", "net", "process"} <= set(legend), "legend", legend)
    for dark in (True, False):
        b.size(1400, 1000, dark)
        b.until(f"matchMedia('(prefers-color-scheme: dark)').matches === {str(dark).lower()}")
        items = b.js("[...document.querySelectorAll('#legend i')].map(e => [e.parentNode.textContent, e.style.background])")
        alike = [(x, y) for k, (x, c) in enumerate(items) for y, d in items[:k] if difference(rgb(b, c), rgb(b, d)) < 20]
        check(not alike and len(items) > 8, "colors that look alike", dark, alike)
    # all areas of one kind are in the ratio of the events: no logarithm
    grey, red = b.js("""(() => { const c = document.querySelector('#map'), g = c.getContext('2d'), p = g.getImageData(190, 18, c.width - 190, c.height - 18).data;
        let all = 0, red = 0;
        for (let i = 0; i < p.length; i += 4) if (p[i + 3] > 40) { const bad = p[i] - p[i + 2] > 60; all += p[i + 3] / 255; red += bad ? p[i + 3] / 255 : 0; }
        return [all, red]; })()""")
    check(abs(red / grey - len(failed) / len(events)) < .05, "the strip is not to scale", red / grey, len(failed) / len(events))


def pinned(b, name, events):
    """A pinned row stays on top when the others scroll; the text about a row covers no other part of the page."""
    last = max((e["ts_ns"], e["pid"]) for e in events if e["type"] == "exec")[1]
    b.size(1400, 1000)
    b.open(name + ".html", "#paint=exit&idle=0"), b.drawn()
    b.js("document.querySelector('#lanes').scrollTop = 1e6"), b.drawn()
    left, top, _, height = b.box("#line")
    ours = re.compile(f"^pid {last}\\b", re.M)
    y = next((y for y in range(int(top + height) - 12, int(top) + 24, -9) if ours.search(b.hover(left + 60, y))), None)
    check(y, "the last process has a row at the bottom", last)
    b.key("p", "#line"), b.drawn()
    b.until("/pin=[pt]\\d+/.test(location.hash)")  # the link has it
    left, top = b.box("#line")[:2]  # the page scrolls to what gets the focus
    for scroll in ("0", "1e6"):
        b.js(f"document.querySelector('#lanes').scrollTop = {scroll}"), b.drawn()
        b.hover(left + 70, top + 200), b.drawn()
        b.hover(left + 60, top + 28)
        b.until(f"document.querySelector('#tip').textContent.includes('pid {last}')")  # it is on top
    b.press(left + 180, top + 28)
    b.until("!location.hash.includes('pin')")  # a click on its end lets it go
    b.open(name + ".html", "#noise=1&sel=9"), b.drawn()
    left, top, _, height = b.box("#detail")
    for what in "#cards", "#stands", "#line", "#tabs", "#filters", "#table":
        x, y, w, h = b.box(what)
        check(x + w <= left or y + h <= top or y >= top + height, "the details cover " + what, (left, top, height), (x, y, w, h))


def idle(b, name, events):
    """Zoomed in, the rows are those of processes that live in the visible time; folded processes are one row."""
    lives = {}
    for e in events:
        if e["pid"]:
            life = lives.setdefault(e["pid"], [e["ts_ns"], 0])
            life[1] = max(stop(e), life[1])
    kernel = len({e["type"] for e in events} & {"sched_delay", "block_io"})
    b.size(1400, 1000)
    b.open(name + ".html"), b.drawn()
    lanes = b.lanes()
    died = sorted(e["ts_ns"] for e in events if e["type"] == "exit_process")
    apart = [(a, b) for a, b in zip(died, died[1:]) if b - a > 1e6] # less is not shown as an interval of its own
    for lo, hi in (apart[0], apart[-1]):
        b.open(name + ".html", f"#from={lo}&to={hi}"), b.drawn()
        now = b.lanes() - kernel
        least, most = (sum(at + edge < hi and end - edge > lo for at, end in lives.values()) for edge in (2e6, -2e6))
        threads = len({e["tid"] for e in events if e["tid"]}) - len(lives)
        check(least <= now <= most + threads and now + kernel < lanes, "rows in view", now, least, most, lanes)
    b.click("#idle"), b.drawn()
    check(b.lanes() == lanes, "idle rows, too")
    b.click("#idle"), b.key("0", "#line"), b.drawn()
    check(b.lanes() == lanes, "all rows in all of it")


WAITS = "vfork wait4 waitid select pselect6 poll ppoll epoll_wait epoll_pwait nanosleep clock_nanosleep pause rt_sigsuspend rt_sigtimedwait futex accept accept4"


def stands_out(b, name, events):
    """The sentences above the timeline match the events, and each link leads to rows."""
    b.size(1400, 1000)
    b.open(name + ".html"), b.drawn()
    said = {x.split(" ", 1)[0]: x for x in b.js("[...document.querySelectorAll('#stands li')].map(e => [...e.children].map(c => c.textContent).join(' '))")}
    calls = [e for e in events if e["type"] == "syscall"]
    took = [e for e in calls if e["duration_ns"]]
    busy = [e for e in took if e["name"] not in WAITS.split()]
    total, waits = sum(e["duration_ns"] for e in took), sum(e["duration_ns"] for e in took) - sum(e["duration_ns"] for e in busy)
    check(f"spent {span(total)} in calls, {round(100 * waits / total)} % of it" in said["Time"], "time", said, total, waits)
    by = {}
    for e in busy:
        by[e["name"]] = by.get(e["name"], 0) + e["duration_ns"]
    top = max(by, key=by.get)
    check(f"most time went to {top} ({span(by[top])}," in said["Time"], "the call that took most", said["Time"], top)
    bad = [e for e in calls if e["failure"]]
    check(f"{len(bad)} calls failed" in said["Failures"].replace("\u202f", ""), "failed", said["Failures"], len(bad))
    codes = [e for e in events if e["type"] == "exit_process" and e.get("code", 1) != 0]
    check(len(codes) > 0 and f"{len(codes)} of " in said["Failures"], "processes that failed", said["Failures"], codes)
    longest = max(busy, key=lambda e: e["duration_ns"])
    check(f": {span(longest['duration_ns'])}." in said["Longest"] and longest["name"] in said["Longest"], "longest", said["Longest"], longest)
    peak = max(e.get("max_rss_bytes", 0) for e in events if e["type"] == "exit_process")
    check(peak and f"({size(peak)})" in said["Memory"], "peak memory of a process", said["Memory"], peak)
    links = b.js("[...document.querySelectorAll('#stands a')].map(e => e.getAttribute('href'))")
    check(len(links) >= 8, "links", links)
    for link in links:
        b.open(name + ".html", link)
        n = rows(b)
        check(n == len(bad) if link == links[0] and "failed" in link else n > 0, "a link", link, n, len(bad))
    check(b.js("[...document.querySelectorAll('#cards .card')].every(c => c.scrollWidth <= c.clientWidth)"), "cards are too narrow")


def frames(b):
    """The frames that the flame view draws: path and number of each."""
    return {tuple(json.loads(t)): v for t, v in b.js("[...document.querySelectorAll('.flame button')].map(e => [e.dataset.trail, +e.dataset.v])")}


def flame(b, name, events):
    """The frames of the flame view are the stacks that --folded wrote of the same run."""
    stacks = {}
    for line in open(name + ".folded"):
        *path, leaf = line.rstrip("\n").split(";")
        leaf, us = leaf.rsplit(" ", 1)
        stacks[*path, leaf] = stacks.get((*path, leaf), 0) + int(us)

    def compare(by, want, shown):
        """The frames are those of `want` (stack: microseconds). by: what their widths show."""
        seen = frames(b)
        check(len(seen) > shown, "frames", by, len(seen))
        for path, v in seen.items():
            mine = [us for stack, us in want.items() if stack[:len(path)] == path]
            # each stack is rounded to microseconds, and not written below half of one
            check(sum(mine) - len(mine) <= v / 1000 <= sum(mine) * 1.005 + len(mine) + 50, "a frame", by, path, v, sum(mine), len(mine))
        return seen
    b.size(1400, 1000)
    b.open(name + ".html", "#tab=flame")
    kind = b.js("document.querySelector('.grid select').value")
    seen = compare(kind, stacks, 4)
    top = max((p for p in seen if len(p) == 1), key=seen.get)
    # a click zooms, Escape goes back; arrows go from frame to frame
    click = "[...document.querySelectorAll('.flame button')].find(e => e.dataset.trail === %s).click()"
    b.js(click % json.dumps(json.dumps(list(top), ensure_ascii=False)))
    now = compare(kind, stacks, 2)
    check(all(p[:1] == top for p in now if p) and len(now) >= len([p for p in seen if p[:1] == top]), "zoomed", top, now)
    focus = "JSON.parse(document.activeElement.dataset.trail)"
    check(b.js(focus) == list(top), "the frame that was clicked has no focus", b.js(focus))
    b.key("ArrowDown", ".flame [tabindex='0']")
    kid = b.js(focus)
    check(kid == list(max((p for p in now if len(p) == 2), key=now.get)) and kid[1] in b.js("document.querySelector('.grid [role=status]').textContent"), "down", kid)
    if len([p for p in now if len(p) == 2]) > 1:
        b.key("ArrowRight", ".flame [tabindex='0']")
        check(b.js(focus)[0] == kid[0] and b.js(focus)[1] != kid[1], "right", b.js(focus))
    b.key("ArrowUp", ".flame [tabindex='0']")
    check(b.js(focus) == list(top), "up", b.js(focus))
    b.key("Escape", ".flame [tabindex='0']")
    check(frames(b) == seen, "Escape shows all again")
    # the search shows the share of the frames that it finds; nested ones count once
    b.fill(".grid input", top[0].upper())
    told = b.js("document.querySelector('.grid [role=status]').textContent")
    mine = sum(us for stack, us in stacks.items() if any(top[0] in f for f in stack))
    check(abs(float(told.split(", ")[1].split(" ")[0]) - 100 * mine / sum(stacks.values())) < 1, "found", told, mine)
    b.fill(".grid input", "")
    parts = {"runq": "[run queue]", "disk": "[disk]", "other": "[blocked]"}
    for by, leaf in parts.items() if kind == "time" else ():
        want = {stack[:-1]: us for stack, us in stacks.items() if stack[-1] == leaf}
        b.open(name + ".html", f"#tab=flame&by={by}")
        compare(by, want, 4 if sum(want.values()) > 1000 else 0)
    if kind == "time":
        b.open(name + ".html", "#tab=flame&by=bytes")
        got = frames(b)
        moves = re.compile("(getrandom|pread|pwrite|read|write|send|recv|splice|copy_file)(?!.*(link|mmsg))")
        moved = {}
        for e in events:
            if e["type"] == "syscall" and moves.match(e["name"]) and not e.get("error") and (e["ret"] or 0) > 0:
                moved[e["name"]] = moved.get(e["name"], 0) + e["ret"]
        check(got[()] == sum(moved.values()), "bytes", got[()], moved)
        for path, v in got.items():  # narrow frames are not drawn
            above = sum(n for other, n in got.items() if other and other[:-1] == path)
            check(above <= v and (len(path) != 3 or v <= moved[path[2]]), "bytes", path, v, above)
        check(len(got) > 4, "bytes", got)
        # of an interval: the calls in it
        lo, hi = events[len(events) // 3]["ts_ns"], events[len(events) // 2]["ts_ns"]
        b.open(name + ".html", f"#tab=flame&a={lo}&b={hi}")
        check(frames(b)[()] == tally(events, lo, hi)[0]["ns"], "of an interval", frames(b)[()], tally(events, lo, hi)[0]["ns"])


def recorded():
    """The reports that could be made here, by name."""
    for i in range(1, 5):
        put(f"m{i}.c", "int main(void) { return 0; }\n" if i == 1 else f"int f{i}(void) {{ return {i}; }}\n")
    pages = [b for b in ("ptrace", "hybrid") if run(
        "trace", "-v", "-q", f"--backend={b}", f"--report={b}.html", f"--json={b}.json", f"--folded={b}.folded", "-w", b + ".kvis",
        "--", "sh", "-c", COMMAND, BIN + "/diff_threads").st == 0]
    if not pages:
        fail("no recording")
    proc = run("proc", "--report=proc.html", "--folded=proc.folded", "-o", "rows", "--", "sh", "-c", "gcc -c m1.c; gcc -c m2.c; true")
    return pages + ["proc"] * (proc.st == 0)


pages = recorded()
with Browser() as b:
    for name in pages:
        events = [] if name == "proc" else lines_of(name)[1]
        for look in (colours, stands_out, idle, pinned, names, flame, interval) if events else (flame,):
            look(b, name, events)
