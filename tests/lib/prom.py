#!/usr/bin/env python3
"""Used by cases of kvis monitor that check the Prometheus output.
prom.py FILE: checks that FILE follows the rules of the text format 0.0.4. read() and check() are for other scripts."""
import re
import sys

SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)')
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')


def read(text):
    """Returns the values of the text: (name, ((label, value)...)) -> number."""
    out = {}
    for line in text.splitlines():
        if line and line[0] != "#":
            name, labels, value = SAMPLE.fullmatch(line).groups()
            out[name, tuple(sorted(LABEL.findall(labels or "")))] = float(value)
    return out


def check(text):
    """Finds errors that promtool accepts: control characters, duplicate values, negative counters, buckets that decrease."""
    assert text.endswith("\n") and not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f]", text), "control characters"
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    numbers = read(text)
    assert len(numbers) == sum(line[0] != "#" for line in text.splitlines()), "a number is there twice"
    buckets = {}
    for (name, labels), value in numbers.items():
        family = name if name in kinds else re.sub("_(bucket|sum|count)$", "", name)
        assert kinds[family] in ("gauge", "untyped") or 0 <= value < float("inf"), (name, labels, value)
        if kinds[family] == "histogram" and not name.endswith("_sum"):
            thing = family, tuple(x for x in labels if x[0] != "le")
            # the count has no bound, and comes after the bucket +Inf, which is as large
            buckets.setdefault(thing, []).append((float(dict(labels).get("le", "inf")), name.endswith("_count"), value))
    for thing, rows in buckets.items():
        counts = [value for *_, value in sorted(rows)]
        assert counts == sorted(counts) and len(counts) > 1 and counts[-1] == counts[-2], (thing, rows)
    return len(numbers)


if __name__ == "__main__":
    with open(sys.argv[1], newline="", encoding="utf-8") as f:
        print(sys.argv[1], check(f.read()), "samples")
