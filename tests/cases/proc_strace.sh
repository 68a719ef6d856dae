#!/bin/sh
# kvis proc sees every execve, execveat and exit that strace sees in the same run.
# tier: gate full asan
# timeout: 120
# needs: root strace make
. "$TESTS/lib/proc.sh"

cat >same.py <<'END'
import glob, json, re, sys
def unq(s):  # strace -xx: every byte is \xNN
    return bytes.fromhex(s.replace("\\x", ""))
def seen(path, argv):  # what a script's interpreter finds: itself, an option, the script's path, the rest
    head = open(path, "rb").read(256)
    if head[:2] != b"#!":
        return argv
    words = head[2:].split(b"\n")[0].strip().split(None, 1)
    return seen(words[0], words + [path] + argv[1:])
execs, fails, ends = {}, {}, {}
for line in ((f, l) for f in glob.glob(sys.argv[1] + ".*") for l in open(f)):
    pid, rest = line[0].rsplit(".", 1)[1], line[1]
    m = re.match(r"\+\+\+ (exited with (\d+)|killed by (\w+))", rest)
    if m:
        ends[int(pid)] = int(m[2]) if m[2] else m[3]
    m = re.match(r'execve\("([^"]*)", \[(.*?)\], .*\) += (\S+)( E\w+)?', rest)
    if m:
        argv = [unq(a) for a in re.findall(r'"([^"]*)"', m[2])]
        if m[3] == "0":
            execs.setdefault(int(pid), []).append((unq(m[1]), seen(unq(m[1]), argv)))
        else:
            fails.setdefault(int(pid), []).append((unq(m[1]), argv, m[4].strip()))
got, gfails, gends, again = {}, {}, {}, set()
rows = [json.loads(l) for l in open(sys.argv[2])]
tree = set(execs) | set(ends)
def raw(e, key):
    if key + "_hex" in e:
        h = e[key + "_hex"]
        return [bytes.fromhex(x) for x in h] if isinstance(h, list) else bytes.fromhex(h)
    return [x.encode() for x in e[key]] if isinstance(e[key], list) else e[key].encode()
for e in sorted((r for r in rows if "start_ns" in r), key=lambda e: e["start_ns"]):
    if e["pid"] in tree:
        if e["pid"] in gends:  # a number that came again: strace has the file of the last that had it
            got.pop(e["pid"], None), gends.pop(e["pid"]), again.add(e["pid"])
        if e["type"] == "command" and raw(e, "argv")[0] != b"strace":
            got.setdefault(e["pid"], []).append(raw(e, "argv"))
        if e["end"] in ("exit", "signal"):
            gends[e["pid"]] = e["signal"] or e["exit_code"]
for e in rows:
    if e["type"] == "exec_failed" and e["pid"] in tree and e["comm"] != "strace":
        gfails.setdefault(e["pid"], []).append((raw(e, "argv"), e["error"]))
bad = 0
def same(what, a, b):
    global bad
    for pid in sorted(set(a) | set(b)):
        if what == "failed" and pid in again:
            continue
        if a.get(pid) != b.get(pid):
            bad += 1
            print(what, pid, "strace:", a.get(pid), "kvis:", b.get(pid))
same("argv", {p: [a for n, a in v] for p, v in execs.items()}, got)
same("end", ends, gends)
same("failed", {p: [(a, e) for n, a, e in v if a] for p, v in fails.items()}, gfails)
print(sum(map(len, execs.values())), "execs,", sum(map(len, fails.values())), "failed,", len(ends), "ends")
sys.exit(bad > 0 or not execs)
END

seen() { # seen NAME CMD...: both watch CMD
    name=$1; shift
    run proc -x --forks --ring=16M --json=$name.json -o /dev/null -- strace -ff -xx -s 100000 -o $name.log \
        -e trace=execve,execveat "$@"
    want "S['lost'] == 0" $name.json
    python3 same.py $name.log $name.json >&9 || fail "$name: not what strace saw"
}

cat >script <<'END'
i=0
while [ $i -lt $1 ]; do
    /bin/echo "$i" 'two
lines' >/dev/null
    (exec /bin/true $i)
    sh -c "exit $((i % 7))"
    sh -c 'kill -KILL $$' 2>/dev/null
    echo x | cat | tr x y >/dev/null &
    env nowhere 2>/dev/null
    i=$((i + 1))
done
wait
END
seen shell sh script $(some 8 150 50)

# five thousand of them (in the tier full), more than one at a time
rounds=$(some 12 500 100)
cat >many <<'END'
i=0
while [ $i -lt $1 ]; do
    for j in 1 2 3 4 5 6 7 8; do /bin/true $i.$j; done
    /bin/echo $i >/dev/null &
    sh -c "exit $((i % 256))"
    i=$((i + 1))
done
wait
END
seen many sh many $rounds
want "len(by('command')) == $((10 * rounds + 2))" many.json

mkdir src
cat >src/Makefile <<'END'
all: a b c
%: %.c
	gcc -O1 -o $@ $<
END
for f in a b c; do echo 'int main(void) { return 0; }' >src/$f.c; done
seen build make -s -j2 -C src
