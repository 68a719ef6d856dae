#!/usr/bin/env python3
"""Used by vm/vm.sh.
same_calls.py DIR GUEST_DIR: does kvis see in a guest what strace sees there? (t_both in guest/lib.sh)

DIR has the files of the runs, GUEST_DIR was its name in the guest. The rules are diff_strace.py's."""
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import diff_strace  # noqa: E402


def finish(run, where):
    with open(f"{where}/status", encoding="ascii") as f:
        run.status = int(f.read())
    with open(f"{where}/stdout", "rb") as f:
        run.stdout = f.read()
    return run


def main():
    where, guest = sys.argv[1:]
    diff_strace.HERE, diff_strace.RUN = guest, f"{guest}/run"
    straces = [finish(diff_strace.read_strace(f"{d}/log"), d) for d in sorted(glob.glob(f"{where}/strace.*"))]
    kvises = [finish(diff_strace.read_kvis(f"{d}/json"), d) for d in sorted(glob.glob(f"{where}/kvis.*"))]
    bad = False
    for backend in sorted({k.backend for k in kvises}):
        rep, wrong = diff_strace.judge(straces, [k for k in kvises if k.backend == backend])
        for line in wrong[:40]:
            print(f"{backend}: {line}")
        print(f"{backend}: {len(straces[0].processes)} processes, {rep.exact} items exact")
        bad |= bool(wrong or rep.exact < 20)
    sys.exit(bad)


main()
