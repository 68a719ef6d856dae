#!/bin/sh
# kvis's memory does not grow with the number of files that a program opens: names of files with little I/O are dropped
# and counted; the files with the most I/O and those still open keep their names and all their bytes.
# tier: full
# timeout: 300
# needs: root /usr/bin/python3
. "$TESTS/lib/lib.sh"
cat >names.py <<'P'
import os
def resident(pid):
    with open(f"/proc/{pid}/status") as f:
        return [int(line.split()[1]) for line in f if line.startswith("VmRSS:")][0]
def use(first, last):
    for i in range(first, last):
        name = f"f{i}" + "x" * 240
        fd = os.open(name, os.O_WRONLY | os.O_CREAT)
        os.write(fd, b"x" * (1 + i % 7))
        if i % 100 == 0:
            os.write(large, b"y" * 100)
            os.close(os.open("often", os.O_RDONLY))
        os.close(fd)
        os.unlink(name)
large = os.open("large", os.O_WRONLY | os.O_CREAT)
still = os.open("still_open", os.O_WRONLY | os.O_CREAT) # its name is used again only at the end
open("often", "w").close()
use(0, 25000)
before = resident(os.getppid())
use(25000, 45000)
after = resident(os.getppid())
os.write(still, b"z" * 5)
print(before, after)
P
# The names of what calls and mappings still point to stay, too: of the root, and of mapped files.
cat >jail.py <<'P'
import mmap, os
jail = os.getcwd() + "/jail" + "x" * 200
os.makedirs(jail + "/in")
maps = []
for i in range(100):
    with open(f"{jail}/m{i}", "w+b") as f:
        f.truncate(4096)
        maps.append(mmap.mmap(f.fileno(), 4096))
for m in maps[:60]:
    m.close()
os.chroot(jail)
os.chdir("/in")
for i in range(40000):
    os.close(os.open(str(i), os.O_WRONLY | os.O_CREAT))
    os.unlink(str(i))
os.mkdir("/new")
P
for backend in ptrace auto; do
    gives 0 trace -q --backend=$backend --json=json -- /usr/bin/python3 jail.py
    want 'S["names_dropped"] > 10000'
    want 're.search("/jailx{200}/new$", by("mkdir")[-1]["path"])'
    rm -rf jailx* large still_open
    gives 0 trace -q --backend=$backend -w r.kvis --json=json -- /usr/bin/python3 names.py
    read -r before after <out
    say "$backend: $before KB, then $after KB"
    [ "$after" -lt $((before + 3072)) ] || fail "kvis has grown: $before KB, then $after KB"
    want 'S["names_dropped"] > 20000 and S["names_dropped_most_bytes"] <= 7'
    want 'len(S["files"]) + S["files_overflow"] >= 45003'
    want '[f["bytes_written"] for f in S["files"] if f["path"].endswith("/large")] == [45000]'
    want '{f["path"].split("/")[-1] for f in S["open_at_exit"]} == {"large", "still_open"}'
    want '[e["filename"].split("/")[-1] for e in by("write") if e["bytes"] == 5 and e["filename"].endswith("/still_open")] == ["still_open"]'
    want 'S["file_bytes_written"] >= 45000 + sum(1 + i % 7 for i in range(45000)) + 5'
    # then the number of files is unknown: JSON omits it, and text shows a lower bound
    want '"files_read" not in S and "files_written" not in S'
    kv replay -C --json=again r.kvis >out 2>err || fail "replay: $?"
    has err '^  files +at least [0-9]+ read \([^)]*\), [0-9]+ written '
    has err '^  incomplete +[0-9]+ files and addresses are missing from the lists, each with at most [1-7] B of I/O$'
    has err '^ .* 43\.9 KB written.* \(\+[0-9]+ or more\)$'
    eq "the summary of the replay" "$(tail -n 1 json)" "$(tail -n 1 again)"
done
