"""Used by the case generators.
mistakes.py GENERATOR TABLE FILE <LIST: each line SCRIPT~MESSAGE of LIST has a sed script that makes a mistake in
gen/tables/TABLE.tbl. gen/GENERATOR.sh must say in which line the mistake is and what it is (a regular expression), and leave
gen/out/FILE as it was. Mistakes in different lines are made together, and alone if one is not reported then: a generator reports
all that it finds."""
import re
import subprocess
import sys

generator, table, file = sys.argv[1:]
path = f"gen/tables/{table}.tbl"


def read(name):
    with open(name, encoding="utf-8") as f:
        return f.read()


def reported(text, wants):
    """Runs the generator with this table; returns the mistakes that it reports."""
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    done = subprocess.run(["sh", f"gen/{generator}.sh"], stderr=subprocess.PIPE, text=True)
    if done.returncode == 0:
        sys.exit(f"takes: {wants}")
    if read(f"gen/out/{file}") != before:
        sys.exit(f"{wants}: {file} was written")
    return {want for want in wants if re.search(rf"^[^ ]*{table}\.tbl:[0-9]+: .*{want[1]}", done.stderr, re.M)}


right, before = read(path), read(f"gen/out/{file}")
lines = right.split("\n")
groups = []  # [lines with mistakes: {number: line}, the mistakes]
alone = []  # [text, mistake]
for row in sys.stdin.read().splitlines():
    script, _, message = row.partition("~")
    wrong = subprocess.run(["sed", script], input=right, stdout=subprocess.PIPE, text=True, check=True).stdout
    if wrong == right:
        sys.exit(f"changes nothing: {script}")
    alone.append((wrong, (script, message)))
    changed = {n: line for n, line in enumerate(wrong.split("\n")) if n >= len(lines) or line != lines[n]}
    if wrong.count("\n") != right.count("\n"):
        continue
    group = next((g for g in groups if not g[0].keys() & changed.keys() and message not in {m for _, m in g[1]}), None)
    if not group:
        group = ({}, set())
        groups.append(group)
    group[0].update(changed)
    group[1].add((script, message))
found = set()
for changed, wants in groups:
    found |= reported("\n".join(changed.get(n, line) for n, line in enumerate(lines)), wants)
again = [(text, want) for text, want in alone if want not in found]
for text, want in again:
    if not reported(text, {want}):
        sys.exit(f"not reported: {want}")
with open(path, "w", encoding="utf-8") as f:
    f.write(right)
print(f"{len(alone)} mistakes are found in {len(groups) + len(again)} runs, {len(again)} of which have one mistake")
