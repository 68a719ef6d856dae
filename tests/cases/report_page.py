#!/usr/bin/env python3
# The page of --report is that of gen/report/, a report is this page plus data, and the binary contains its strings unchanged.
# tier: quick
# timeout: 10
# needs: python3
import re

from lib import KVIS, TESTS, eq, read, run

GEN = TESTS + "/../gen/"

page = read(GEN + "report/report.html")
for mark, name in (("css", "report.css"), ("common", "common.js"), ("monitor_js", "monitor.js"), ("diff_js", "diff.js"), ("js", "report.js")):
    page = page.replace("{{%s}}\n" % mark, read(GEN + "report/" + name))
for unused in r"^ +", r" */\*[^*\n]*\*/$", r"^\n":  # as in the Makefile
    page = re.sub(unused, "", page, flags=re.M)
eq("marks", ["monitor", "samples", "diff", "compared", "trace", "facts", "events"], re.findall("{{(.*?)}}", page))
run("trace", "-q", "-w", "a.kvis", "--", "true").status(0)
run("replay", "--report=report.html", "a.kvis").status(0)
report = read("report.html")
head, rest = page.split("{{monitor}}")[0] + page.split("{{trace}}")[1].split("{{facts}}")[0], page.split("{{facts}}")[1]
script, tail = rest.split("{{events}}")
assert report.startswith(head) and script in report and report.endswith(tail), "the report is not the page with data in it"

with open(KVIS, "rb") as f:
    kvis = f.read()
for string in b"No such file or directory", b"CLOEXEC", b"getrandom", b"task_struct.", b"kvis report":
    assert string in kvis, f"not in the binary: {string}"
