#!/usr/bin/env python3
"""Used by cases of kvis monitor that check the Prometheus output.
prom.py FILE: checks that FILE follows the rules of the text format 0.0.4. read(), names() and check() are for other scripts."""
import re
import sys

SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)')
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')


def read(text):
    """Its numbers: (name, ((label, value)...)) -> number."""
    out = {}
    for line in text.splitlines():
        if line and line[0] != "#":
            name, labels, value = SAMPLE.fullmatch(line).groups()
            out[name, tuple(sorted(LABEL.findall(labels or "")))] = float(value)
    return out


def names(text):
    return {name for name, _ in read(text)}


def histogram(family, samples):
    """Its buckets go up to +Inf, which is its count; they never go down."""
    things = {}
    for name, labels, value in samples:
        key = tuple(x for x in labels if x[0] != "le")
        things.setdefault(key, []).append((name[len(family):], dict(labels).get("le"), float(value)))
    for key, rows in things.items():
        buckets = [(float(le), v) for ending, le, v in rows if ending == "_bucket"]
        assert buckets == sorted(buckets) and [v for _, v in buckets] == sorted(v for _, v in buckets), (family, key, buckets)
        assert buckets[-1][0] == float("inf"), (family, key)
        rest = {ending: v for ending, _, v in rows if ending != "_bucket"}
        assert set(rest) == {"_sum", "_count"} and rest["_count"] == buckets[-1][1], (family, key, rest)


def check(text):
    """Each metric has its HELP and TYPE, then all of its samples, which its type allows, and no other metric between."""
    assert text.startswith("# HELP ") and text.endswith("\n"), text[-40:]
    assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f]", text), "control characters"
    families, seen = set(), set()
    for block in text[7:].split("\n# HELP "):
        told, typed, *lines = block.splitlines()
        family, told = told.split(" ", 1)
        kind = typed.removeprefix(f"# TYPE {family} ")
        assert family not in families and len(told) > 8 and lines, f"{family}: twice, without a help, or without samples"
        families.add(family)
        allowed = {"histogram": [family + e for e in ("_bucket", "_sum", "_count")], "counter": [family] * family.endswith("_total"),
                   "gauge": [family], "untyped": [family]}[kind]
        samples = [(name, LABEL.findall(labels or ""), float(value)) for name, labels, value in
                   (SAMPLE.fullmatch(line).groups() for line in lines)]
        for name, labels, value in samples:
            key = name, tuple(sorted(labels))
            assert name in allowed and key not in seen and len(dict(labels)) == len(labels), key
            assert kind not in ("counter", "histogram") or 0 <= value < float("inf"), (key, value)
            seen.add(key)
        if kind == "histogram":
            histogram(family, samples)
    return len(seen)


if __name__ == "__main__":
    with open(sys.argv[1], newline="", encoding="utf-8") as f:
        print(sys.argv[1], check(f.read()), "samples")
