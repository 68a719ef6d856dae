#!/usr/bin/env python3
"""Used by the case monitor_report.
monitor_report.py NAME...: opens the reports of kvis monitor NAME.html in Chromium, and compares all values that they
show under the mouse pointer with NAME.json of the same run. NAME: known, hostile, comm, thin."""
import json
import re
import sys
import time

from browser import Browser, check, size, span

UNITS = {"%": 0.01, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40,
         "PB": 2**50, "°C": 1, "W": 1, "MHz": 1e6, "": 1}


def number(text, key):
    """The value of a text in the unit of --json, and its rounding error."""
    v, digits, unit = re.fullmatch(r"(-?[\d\u202f]+(?:\.(\d+))?) ?([^ /]*)(?:/s)?", text).groups()
    scale = UNITS[unit] / (1e9 if key.endswith("_seconds") else 1)
    return float(v.replace("\u202f", "")) * scale, 0.51 * 10.0 ** -len(digits or "") * scale


def agrees(text, value, key):
    got, off = number(text, key)
    return abs(got - value) <= off + abs(value) * 5e-5


PART = re.compile(r"_(p50|p90|p99|max)(?=(_ns|_bytes)?$)")
TELLS = """(() => {
    const out = {};
    for (const f of document.querySelectorAll('section:not(#g-overview) figure')) {
        const p = f.querySelector('.plot'), key = k => p.dispatchEvent(new KeyboardEvent('keydown', { key: k, bubbles: true }));
        const list = [], tip = document.querySelector('#tip'), was = out[f.dataset.name];
        out[f.dataset.name] = list;
        key('Home');
        for (let k = 0; k < ROWS; k++) {
            const here = [tip.textContent];
            for (let last = ''; f.dataset.name in HEATS && (key('ArrowUp'), last !== tip.textContent);) here.push(last = tip.textContent);
            list.push(here);
            key('ArrowRight');
            for (let j = 0; j < here.length; j++) if (here.length > 1) key('ArrowDown');
        }
        was?.forEach((h, k) => list[k][0] += h[0].replace(/^.*/, ''));  /* one name in two sections */
    }
    return out;
})()"""


def tells(b, rows, heats=()):
    """The text that each chart shows for each row (in a heat map: at each height)."""
    return b.js(TELLS.replace("ROWS", str(rows)).replace("HEATS", json.dumps({h: 1 for h in heats})))


def samples(name):
    return [e for e in map(json.loads, open(f"{name}.json")) if e["type"] == "sample"]


def flat(e):
    """(metric, line) -> number, as the page calls both: p50 and its like are lines of one chart."""
    out = {}
    dims = {"longest_wait": "thread", "irq": "irq", "filesystem": "mountpoint", "controller": "controller", "core": "core", "package": "package", "interface": "device", "busy": "pid", "group": "cgroup", "queue": "queue",
            "socket": "socket", "l3": "l3", "cpu": "cpu", "node": "node", "hugepages": "pagesize", "device": "device", "zone": "zone", "sensor": "sensor", "pid": "pid"}
    things = {"topology", "on", "type", "label", "comm", "cpus", "driver", "package", "ran", "handler", "fstype"}
    for k, v in e.items():
        if k in dims:
            for name, o in v.items():
                info = [x for i, x in o.items() if i in things - {"ran"}]
                for m, x in o.items():
                    if m not in things:
                        out[m, f"{dims[k]} {name}" + (f" ({info[0]})" if info else "")] = x
        elif isinstance(v, (int, float)) and k not in ("ts_ns", "time_ns", "interval_ns", "counters_backwards", "dropped"):
            out[k, "all"] = v
    names = {m for m, _ in out}
    return {as_told(m, line, names): (m, x) for (m, line), x in out.items()}


def as_told(m, line, names):
    part = PART.search(m)
    if not part or not all(PART.sub("_" + p, m) in names for p in ("p50", "p90", "p99", "max")):
        return m, line
    return PART.sub("_{p50,p90,p99,max}", m), part.group(1) + ("" if line == "all" else " " + line)


def cell(v):
    """The first of the values that a heat map has in one place."""
    if v < 16:
        return v
    e = v.bit_length() - 5
    return (v >> e & ~3) << e


def heat_name(h):
    return h["name"] + (f" · device {h['device']}" if "device" in h else "")


def compare_heat(got, e, k):
    """The counts of each height of each heat map."""
    n = 0
    for h in e.get("histograms", []):
        want = {}
        for v, c in h["buckets"]:
            want[cell(v)] = want.get(cell(v), 0) + c
        seen = {}
        for text in got[heat_name(h)][k]:
            where, here, total = re.fullmatch(r".*\n(.*): ([\d\u202f]+) of ([\d\u202f]+)", text, re.S).groups()
            check(int(total.replace("\u202f", "")) == h["count"], "requests in all", text, h["count"])
            seen[where] = int(here.replace("\u202f", ""))
        check(sorted(c for c in seen.values() if c) == sorted(want.values()), "counts", h["name"], seen, want)
        low = {"nsecs": span, "bytes": size, "tasks": str}[h["unit"]]
        for v, c in want.items():
            check(any(w.split(" – ")[0] == low(v) and x == c for w, x in seen.items()), "a count", h["name"], v, low(v), c, seen)
            n += 1
    return n


def known(b):
    for dark in True, False:
        b.size(1400, 1200, dark)
        b.open("known.html"), b.drawn()
    e = samples("known")
    got = tells(b, len(e), {heat_name(h) for x in e for h in x.get("histograms", [])})
    n = 0
    for k, x in enumerate(e):
        want = {}
        for (chart, line), (m, v) in flat(x).items():
            want.setdefault(chart, {})[line] = m, v
        for chart, lines in want.items():
            if chart not in got:
                sys.exit(f"no chart {chart}: {sorted(got)}")
            texts = got[chart][k][0].split("\n")[1:]
            if len(lines) > 20:
                continue
            said = dict(t.rsplit("  ", 1) if "  " in t else ("all", t) for t in texts)
            check(set(said) == set(lines), "lines of " + chart, said, lines)
            for line, (m, v) in lines.items():
                check(agrees(said[line], v, m), f"{chart} of {line} in interval {k}", said[line], v)
                n += 1
        for chart in set(got) - set(want) - {heat_name(h) for h in x.get("histograms", [])}:
            check("no value at that time" in got[chart][k][0] or " of 0" in got[chart][k][0], "no such number", chart, got[chart][k])
        n += compare_heat(got, x, k)
    check(n > 500 and not b.bad, "numbers compared", n, b.bad)
    check("zone 0 (x86_pkg_temp)  61.0 °C" in got["thermal_celsius"][1][0], "what the tree says", got["thermal_celsius"])
    print(f"{n} numbers agree, in {len(got)} charts")
    overview(b, e)
    controls(b, e)


def overview(b, e):
    """The first section stacks the machine's shares of CPU time."""
    check(b.js("document.querySelector('main section').id") == "g-overview", "the overview is first")
    names = b.js("[...document.querySelectorAll('#g-overview figure')].map(f => f.dataset.name)")
    check(names == ["CPU time", "run queue", "memory", "disks"], "charts of the overview", names)
    b.js("document.querySelector('#g-overview').scrollIntoView()")
    b.until("!!document.querySelector('#g-overview figure path')")
    paths = b.js("[...document.querySelectorAll('#g-overview figure path')].filter((p, k, a) => p.closest('figure') === a[0].closest('figure'))"
                 ".map(p => p.getAttribute('d'))")
    parts = ("user", "nice", "system", "irq", "softirq", "steal", "iowait")
    parts = [p for p in parts if p == "user" or any(x.get(p + "_ratio") for x in e)]
    check(len(paths) == len(parts), "areas", paths, parts)
    for k, x in enumerate(e):
        top = 0
        for p, d in zip(parts, paths):
            top += x.get(p + "_ratio", 0)
            edges = [float(v.split(" ")[1]) for v in re.split("[MLZ]", d) if v]
            check(any(abs((98 - y) / 96 - top) < 0.002 for y in edges), "a part upon those below it", k, p, top, d)


def shown(b):
    return b.js("[...document.querySelectorAll('figure')].filter(f => !f.hidden).map(f => f.dataset.name)")


LOOKS = """(() => {
    const lum = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b; };
    const contrast = (a, b) => { const [x, y] = [lum(a), lum(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
    const out = { contrast: [], digits: [], legends: [], axes: 0, twice: [] };
    for (const f of document.querySelectorAll('figure:not([hidden])')) {
        const back = getComputedStyle(f).backgroundColor, bad = [];
        for (const e of f.querySelectorAll('span, button')) if (contrast(getComputedStyle(e).color, back) < 4.5) bad.push(e.textContent);
        const paths = [...f.querySelectorAll('path')].filter(p => p.getAttribute('fill') === 'none');
        for (const p of paths) if (contrast(getComputedStyle(p).stroke, back) < 4.5) bad.push(getComputedStyle(p).stroke);
        if (bad.length) out.contrast.push([f.dataset.name, bad]);
        for (const e of f.querySelectorAll('.high, .low, figcaption span'))
            for (const n of e.textContent.match(/\\d[\\d\\u202f.]*/g) ?? [])
                if (!/in all/.test(e.textContent) && n.replace(/^0\\.0*|\\D/g, '').replace(/0+$/, '').length > 3) out.digits.push(e.textContent);
        out.legends.push(f.querySelectorAll('.chip').length);
        out.axes += f.querySelectorAll('.axis span').length > 0;
        const d = paths.map(p => p.getAttribute('d'));
        if (new Set(d).size < d.length) out.twice.push(f.dataset.name);
    }
    return out;
})()"""


def looks(b):
    """In both themes, every chart has a time axis, few digits, a legible legend, and each line once."""
    for dark in (False, True):
        b.size(1400, 1200, dark)
        b.js("for (const f of document.querySelectorAll('figure')) f.scrollIntoView()"), time.sleep(0.5)
        b.js("dispatchEvent(new Event('beforeprint'))")
        got = b.js(LOOKS)
        check(got["axes"] == len(shown(b)) and max(got["legends"]) <= 8, "axes, legends", got["axes"], got["legends"])
        check(not got["contrast"] and not got["digits"] and not got["twice"], "looks", got)
    b.size(1400, 1200)


def controls(b, e):
    """The filter, the zeros, lines that are turned off, the pointer, paper."""
    looks(b)
    names = shown(b)
    b.click("#zeros")
    more = shown(b)
    check(set(names) < set(more) and "oom_kills_per_second" in more, "what is 0", len(names), len(more))
    b.key("/", "body"), b.fill("#q", "THERMAL_")
    check(shown(b) and all("thermal_" in n for n in shown(b)), "the filter", shown(b))
    check(b.js("[...document.querySelectorAll('section')].filter(s => !s.hidden).map(s => s.id)") == ["g-thermal"], "sections")
    plot = "document.querySelector('figure[data-name=thermal_celsius] svg')"
    b.js(plot + ".scrollIntoView({ block: 'center' })"), time.sleep(0.3)
    x, y, w, h = b.js(f"(r => [r.left, r.top, r.width, r.height])({plot}.getBoundingClientRect())")
    b.mouse("mouseMoved", x + w * 0.99, y + h / 2, button="none", clickCount=0)
    tip = b.text("#tip")
    check("61.0 °C" in tip and "cool" in tip, "pointed at", tip)
    lines = f"{plot}.querySelectorAll('path').length"
    was = b.js(lines)
    b.js(f"{plot}.closest('figure').querySelector('.chips button').click()")
    check(b.js(lines) == was - 1, "a line that is turned off", was)
    b.js(f"{plot}.closest('figure').querySelector('figcaption button').click()")
    size = b.js(f"(r => [r.width, r.height])({plot}.getBoundingClientRect())")
    check(size[0] > 2 * w and size[1] > 2 * h, "larger", size, w, h)
    b.key("Escape", "figure[data-name=thermal_celsius] .plot")
    check(b.js("document.querySelector('#tip').hidden"), "Escape")
    b.fill("#q", "")
    why = {(u["source"], u["reason"]) for u in e[-1]["unavailable"]}
    text = b.js("[...document.querySelectorAll('details li')].map(l => l.textContent).join('\\n')")
    check(why and all(r in text for _, r in why), "what is not available", why, text)
    b.size(1000, 1400)
    b.call("Emulation.setEmulatedMedia", media="print"), b.js("dispatchEvent(new Event('beforeprint'))"), time.sleep(0.2)
    check(b.js("[...document.querySelectorAll('figure')].every(f => f.hidden || f.querySelector('path'))"), "all is drawn on paper")
    b.call("Emulation.setEmulatedMedia", media="")


def thin(b):
    """Several intervals are one point: the mean, the lowest, the highest. No extreme is lost."""
    e = samples("thin")
    b.size(1400, 900)
    b.open("thin.html")
    note = b.text("#note")
    points, every = map(int, re.search(rf"{len(e)} intervals are shown as (\d+) points of up to (\d+) intervals each:", note).groups())
    check(points == -(-len(e) // every) and 256 <= points <= 512, "points", note, len(e))
    got = tells(b, points)["load1"]
    for k, (text,) in enumerate(got):
        some = [x["load1"] for x in e[every * k:every * (k + 1)]]
        lo, hi, mean = min(some), max(some), sum(some) / len(some)
        m = re.fullmatch(r"([\d.]+)(?:  \(([\d.]+) – ([\d.]+)\))?", text.split("\n")[1])
        said = [float(x) for x in (m.groups() if m.group(2) else [m.group(1)] * 3)]
        check(all(abs(a - w) < 1e-3 for a, w in zip(said, (mean, lo, hi))), "a point", k, text, some)
    words = b.text("figure[data-name=load1] figcaption span")
    check(words.startswith(f"{min(x['load1'] for x in e):g} – 99.5,"), "extremes", words)
    waits = [sum(h["count"] for h in x.get("histograms", []) if h["name"] == "runq_wait") for x in e]
    if any(waits):
        total = b.text("figure[data-name=runq_wait] figcaption span")
        check(total.replace("\u202f", "") == f"{sum(waits)} in all", "all waits", total, sum(waits))
        got = tells(b, points)["runq_wait"]
        for k, (text,) in enumerate(got):
            check(text.replace("\u202f", "").endswith(f" of {sum(waits[every * k:every * (k + 1)])}"), "waits of a point", k, text, waits[every * k:every * (k + 1)])
    print(f"{len(e)} intervals, {points} points")


def hostile(b):
    b.size(1400, 1400)
    b.open("hostile.html"), tells(b, 2), time.sleep(0.2)
    b.click("#zeros")
    check(b.js("document.images.length") == 0 and not b.js("!!window.owned"), "markup of a name became a part of the page")
    text = b.js("document.body.textContent")
    for name in ("<img src=x onerror=alert(1)>", "</script><script>owned=1</script>"):
        check(name in text, "a name is shown", name)
    check("\x1b" not in b.text("main"), "ESC is shown")


def comm(b):
    b.open("comm.html")
    text = b.text("main")
    check("(<svg onload=a>)" in text and b.js("document.querySelectorAll('svg[onload]').length") == 0, "a program's name", text[:300])


with Browser() as b:
    for name in sys.argv[1:]:
        globals()[name](b)
