"""Used by the case generators.
mistakes.py GENERATOR TABLE FILE <LIST: each line SCRIPT~MESSAGE of LIST has a sed script that makes a mistake in
gen/tables/TABLE.tbl. gen/GENERATOR.sh must say in which line the mistake is and what it is (a regular expression), and leave
gen/out/FILE as it was."""
import re
import subprocess
import sys
from pathlib import Path

generator, table, file = sys.argv[1:]
path, made = Path(f"gen/tables/{table}.tbl"), Path(f"gen/out/{file}")
right, before = path.read_text(encoding="utf-8"), made.read_bytes()
for row in sys.stdin.read().splitlines():
    script, _, message = row.partition("~")
    wrong = subprocess.run(["sed", script], input=right, stdout=subprocess.PIPE, text=True, check=True).stdout
    if wrong == right:
        sys.exit(f"changes nothing: {script}")
    path.write_text(wrong, encoding="utf-8")
    done = subprocess.run(["sh", f"gen/{generator}.sh"], stderr=subprocess.PIPE, text=True)
    if done.returncode == 0 or made.read_bytes() != before:
        sys.exit(f"takes: {row}")
    if not re.search(rf"^[^ ]*{table}\.tbl:[0-9]+: .*{message}", done.stderr, re.M):
        sys.exit(f"not reported: {row}: {done.stderr}")
path.write_text(right, encoding="utf-8")
