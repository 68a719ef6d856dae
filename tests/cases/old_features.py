#!/usr/bin/env python3
# On a kernel that lacks features of newer kernels, one or all of them, kvis trace, open and proc still see what a command
# does, with the remaining backend; kvis check predicts that backend, and its fix names the kernel release. Without
# PTRACE_GET_SYSCALL_INFO, the registers give the same calls, arguments and results.
# tier: quick
# timeout: 120
# needs: root gcc unshare setpriv setarch /sys/kernel/btf/vmlinux
import os
import subprocess

import j
from lib import BIN, KVIS, TESTS, fail, put, say

JOB = "cat data data; (true); /bin/true x; exit 3"
ALL = "info pidfd fsopen clone3 ring signal typed batch ns"
# What is missing, the release, whether the kernel has BTF; the backend of trace, of open and proc; and the fix that
# check names for trace, for open and proc.
NEW = "use Linux 5.8 or later"  # the first that BPF is used on
KERNELS = (
    *((lacks, None, True, "hybrid", "bpf", None, None) for lacks in ("none", "info", "pidfd", "clone3", "fsopen", "typed", "ns")),
    *((lacks, release, True, "ptrace", "ptrace", NEW, NEW) for lacks, release in (
        ("ring", "5.7.0"), ("raw", "4.16.0"), ("read", "5.4.0"), ("clone3 ring signal batch ns pidfd", "5.5.0"),
        (f"{ALL} read", "5.4.0"))),
    ("signal", "5.5.0", True, "ptrace", "bpf", NEW, None),
    ("bpf", None, True, "ptrace", "ptrace", "CONFIG_BPF_SYSCALL", "CONFIG_BPF_SYSCALL"),
    ("none", None, False, "ptrace", "bpf", "CONFIG_DEBUG_INFO_BTF", "CONFIG_DEBUG_INFO_BTF"),
    (f"{ALL} read raw", "4.9.0", False, "ptrace", "ptrace", NEW, NEW),
)


def kvis(kernel, *args):
    """Runs kvis on such a kernel. Returns its exit status and its stderr."""
    lacks, release, btf, *_ = kernel
    env = dict(os.environ, OLD=lacks, **({"OLD_RELEASE": release} if release else {}))
    hidden = () if btf else ("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /sys/kernel/btf && exec "$@"', "sh")
    say(f"(without {lacks}{'' if btf else ' BTF'}) kvis", *args)
    done = subprocess.run([*hidden, "./old", *args], env=env, text=True, capture_output=True, check=False)
    return done.returncode, done.stderr


def seen(kernel, *args):
    """The JSON of a run of the job, which ends as the job does."""
    status, err = kvis(kernel, *args, "--json=json", "-o", "text", "--", "sh", "-c", JOB)
    if status != 3:
        fail(f"exit status {status}: {err}")
    with open("json", "rb") as stream, open("text") as text:
        return j.load(stream), err + text.read()


def look(kernel):
    lacks, _, btf, trace, others, trace_fix, others_fix = kernel
    calls, err = seen(kernel, "trace", "-v")
    by = calls[0]["backend"]
    assert by == trace, (by, err)
    assert ("using ptrace only" in err) == (trace == "ptrace"), err
    assert calls[-1]["lost"] == 0 and calls[-1]["exit_code"] == 3, calls[-1]
    assert [e["path"] for e in calls if e["type"] == "open" and e.get("path", "").endswith("/data")] == [DATA, DATA]
    assert sum(e["type"] == "exec" for e in calls) == 3

    opens, err = seen(kernel, "open")
    assert opens[0]["backend"] == others, (opens[0]["backend"], err)
    # Without BTF, cat may have gone before its directory was read.
    rows = [e for e in opens if e["type"] == "open" and e["name"] == "data"]
    assert len(rows) == 2 and all(e["path"] == DATA for e in rows if btf or "path" in e), rows

    commands, err = seen(kernel, "proc")
    assert commands[0]["backend"] == others, (commands[0]["backend"], err)
    rows = [e for e in commands if e["type"] == "command"]
    assert sorted(e["argv"] for e in rows) == sorted((["cat", "data", "data"], ["/bin/true", "x"], ["sh", "-c", JOB])), rows
    known = [e.get("exit_code") for e in rows]
    assert sorted(known, key=str) == [0, 0, 3] or (not btf and "are unknown" in err), (known, err)

    kvis(kernel, "check", "--json=json")
    with open("json", "rb") as stream:
        verdict = {v["name"]: v for v in j.load(stream)[-1]["verdicts"]}
    assert ("ptrace: every" in verdict["trace"]["detail"]) == (trace == "ptrace"), verdict["trace"]
    for name, fix in (("trace", trace_fix), ("open", others_fix), ("proc", others_fix)):
        v = verdict[name]
        assert v["full"] or v["reason"], v
        assert (fix or "") in v.get("fix", ""), (name, v)
        assert fix or v["full"] or (name == "trace" and lacks == "fsopen" and "tracefs" in v["fix"]), (name, v)
    for name in ("open", "proc"):
        assert verdict[name]["works"] == (others == "bpf"), verdict[name]
        status, err = kvis(kernel, name, "--backend=bpf", "-o", "text", "--", "true")
        assert status == (0 if others == "bpf" else 125), (name, status, err)


def calls(binary, *words):
    """The exit status and the calls of a command under ptrace, without calls that depend on when SIGCHLD arrives."""
    done = subprocess.run(["setarch", "-R", binary, "trace", "--backend=ptrace", "-v", "--json=json", "-o", "text", *words],
                          env=dict(os.environ, OLD="info pidfd"), capture_output=True, check=False)
    with open("json", "rb") as stream:
        rows = [e for e in j.load(stream) if e["type"] == "syscall"]
    left = ("rt_sigreturn", "rt_sigsuspend", "rt_sigprocmask")
    return done.returncode, sorted(
        (e["name"], e.get("abi") or "", e["error"] or "", len(e["args"]), str(e["args"][1:2]) if e["name"] in ("openat", "execve") else "",
         str(e["ret"]) if "abi" in e and e["name"] != "getpid" else "")
        for e in rows if e["name"] not in left and (e["name"] != "wait4" or (e["ret"] or 0) > 0))


def registers():
    for options in [], ["-etrace=openat,read,exit_group"]:
        words = *options, "--", "sh", "-c", "cat /etc/passwd | wc -l; exit 3"
        want, got = calls(KVIS, *words), calls("./old", *words)
        assert want[0] == 3 and len(want[1]) > 10 and want == got, (want, got)
    if os.path.exists(f"{BIN}/abi"):  # i386 and x32 calls in a 64-bit process
        want, got = calls(KVIS, "--", f"{BIN}/abi", "i386"), calls("./old", "--", f"{BIN}/abi", "i386")
        assert want == got and (want[0] == 77 or any(c[1] == "i386" for c in want[1])), (want, got)


put("data", "x\n")
DATA = os.path.abspath("data")
subprocess.run(["gcc", "-std=gnu11", "-O0", "-w", "-pthread", "-o", "old", f"{TESTS}/lib/unit.c"], check=True)
for kernel in KERNELS:
    look(kernel)
registers()
