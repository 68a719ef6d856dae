#!/usr/bin/env python3
"""Used by cases of kvis monitor that check the Prometheus output.
prom.py FILE: checks that FILE follows the rules of the text format 0.0.4. If
prometheus_client is installed, its parser must accept the file, too. read(), names() and check() are for other scripts."""
import re
import sys

SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)')
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')
TYPES = {"counter", "gauge", "untyped", "histogram"}


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
    assert text.endswith("\n") and "# EOF" not in text, text[-40:]
    assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f]", text), "control characters"
    family, kind, done, seen, samples = None, None, set(), set(), []

    def end():
        assert family is None or samples, f"{family}: no samples"
        if kind == "histogram":
            histogram(family, samples)

    for line in text.splitlines():
        if line.startswith("# HELP "):
            end()
            family, kind, samples = line.split(" ")[2], None, []
            assert family not in done, f"{family} twice"
            assert len(line.split(" ", 3)[3]) > 8, line
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name == family and kind in TYPES, line
            done.add(family)
        else:
            found = SAMPLE.fullmatch(line)
            assert found and found[1], line
            labels = LABEL.findall(found[2] or "")
            assert len(dict(labels)) == len(labels), line
            ends = ["_bucket", "_sum", "_count"] if kind == "histogram" else [""]
            assert found[1] in [family + e for e in ends], (family, kind, line)
            key = found[1], tuple(sorted(labels))
            assert key not in seen, f"twice: {line}"
            seen.add(key)
            value = float(found[3])
            assert kind not in ("counter", "histogram") or 0 <= value < float("inf"), line
            assert kind != "counter" or found[1].endswith("_total"), line
            samples.append((found[1], labels, value))
    end()
    try:
        from prometheus_client import parser
    except ImportError:
        return len(seen)
    list(parser.text_string_to_metric_families(text))
    return len(seen)


if __name__ == "__main__":
    with open(sys.argv[1], newline="", encoding="utf-8") as f:
        print(sys.argv[1], check(f.read()), "samples")
