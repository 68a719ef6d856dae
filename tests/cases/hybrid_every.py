#!/usr/bin/env python3
# Every call of the table, with right and wrong arguments, is the same through both backends of kvis trace.
# tier: gate
# timeout: 120
# needs: root strace setarch python3 gcc git unshare
import platform
import subprocess
import sys

from lib import CWD, TESTS, read, say, skip

arch = {"x86_64": "x86_64", "aarch64": "arm64"}.get(platform.machine()) or skip("no numbers of its calls")
with open("every.c", "w") as f:
    table = TESTS + "/../gen/tables/syscalls.tbl"
    subprocess.run([sys.executable, TESTS + "/lib/every_call.py", table, arch], stdout=f, check=True)
subprocess.run(["gcc", "-w", "-O1", "-static", "-o", "every", "every.c"], check=True)
# The calls make and remove queues by small numbers: each run has its own, and those of the host are safe.
say(read("every.c").count("\n    call("))
sys.exit(subprocess.run([sys.executable, TESTS + "/lib/same_backends.py", f"sh:exec unshare --ipc {CWD}/every"]).returncode)
