#!/usr/bin/env python3
# Every expression of the dashboard that kvis monitor --grafana prints uses a metric that kvis exposes, in a way that fits its
# type, and its legend uses labels that the metric has.
# timeout: 60
# tier: gate asan
import json, re, subprocess

import prom
from lib import TESTS, read, run

d = json.loads(run("monitor", "--grafana").status(0).out)
run("monitor", "-n", "2", "-i", "0.1", "--prometheus=p.prom", "-o", "/dev/null").status(0)
text = read("p.prom")
types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
labels = {}
for name, have in prom.read(text):
    labels.setdefault(name, set()).update(k for k, _ in have)
there = set(labels)
known = set(subprocess.run(["sh", TESTS + "/../gen/metrics.sh", "prom"], check=True, capture_output=True,
                           text=True).stdout.split())
assert len(known) > 200 and there - known <= {n for n in there if re.search("_(sum|count|info)$|^kvis_co(llector|unters)_", n)}
seen, rows, ids, places = 0, [], set(), set()
for p in d["panels"]:
    assert not {p["id"], p["title"]} & ids, p["title"]
    ids |= {p["id"], p["title"]}
    g = p["gridPos"]
    area = {(x, y) for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])}
    assert not area & places and g["x"] + g["w"] <= 24, p["title"]
    places |= area
    if p["type"] == "row":
        rows.append(p["title"])
        continue
    assert p["fieldConfig"]["defaults"]["unit"] and p["targets"], p["title"]
    for t in p["targets"]:
        names = re.findall(r"kvis_\w+", t["expr"])
        assert names and set(names) <= known and len(names) == 1 + (p["title"] == "Instructions per cycle"), t
        assert t["expr"].count("(") == t["expr"].count(")") and 'instance=~"$instance"' in t["expr"], t
        if names[0] not in there:
            continue
        seen += 1
        kind = types.get(names[0].removesuffix("_bucket"))
        assert ("rate(" in t["expr"]) == (kind != "gauge") and ("histogram" in t["expr"]) == (kind == "histogram"), (t, kind)
        told = set(re.findall(r"{{(\w+)}}", t["legendFormat"]))
        assert told <= labels[names[0]], (t, labels[names[0]])
print(f"{len(ids) // 2} panels; {seen} expressions have numbers here")
ipc = [t["expr"] for p in d["panels"] if p["title"] == "Instructions per cycle" for t in p["targets"]]
assert all(re.fullmatch(r"sum without .cpu. .rate.*_instructions_.* / sum without .cpu. .rate.*_cpucycles_.*", e) for e in ipc), ipc
assert rows == ["Machine", "Scheduler", "Disks", "virtio"] and len(ids) > 50 and seen > 20
