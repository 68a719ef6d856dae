#!/usr/bin/env python3
"""Used by make bench.
bench_open.py [RUNS]: kvis open beside the others that show opens: time from its start to its first
row, its memory, and what an open costs a program that is watched. As root. KVIS=path: another binary
than ./kvis. They watch only a process of this script: the other ones on the machine are nobody's
business. (tracefs is mounted in a mount namespace of our own: the others want it.)"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KVIS = os.path.abspath(os.environ.get("KVIS", os.path.join(TOP, "kvis")))
LOOPS = 100000
OWN_NS = "TRACEFS_MOUNTED"


def tools(pid):
    bt = (f'tracepoint:syscalls:sys_exit_openat /pid == {pid}/ '
          '{ printf("%d %s %d\\n", pid, comm, args->ret); }')
    rows = [
        ("kvis open", [KVIS, "open", "-p", str(pid)]),
        ("kvis open -F", [KVIS, "open", "-F", "-p", str(pid)]),
        ("opensnoop (libbpf-tools)", ["opensnoop", "-p", str(pid)]),
        ("opensnoop (bcc)", ["opensnoop-bpfcc", "-p", str(pid)]),
        ("bpftrace", ["bpftrace", "-e", bt]),
    ]
    return [(name, cmd) for name, cmd in rows if shutil.which(cmd[0])]


def peak_kb(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1])


def first_row(cmd, pid):
    """Milliseconds from the start to the first row of that process, and VmHWM a second later. With a pause
    before: a tracepoint that has just been left is attached to again after an RCU grace period only."""
    time.sleep(0.5)
    start = time.monotonic()
    tool = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for line in tool.stdout:
        if line.split()[:1] == [str(pid).encode()]:
            break
    else:
        return None
    ms = (time.monotonic() - start) * 1000
    os.set_blocking(tool.stdout.fileno(), False)
    end = time.monotonic() + 1
    while time.monotonic() < end:
        tool.stdout.read(1 << 20)
        time.sleep(0.01)
    kb = peak_kb(tool.pid)
    tool.terminate()
    tool.communicate()
    return ms, kb


def loop_seconds(binary, cmd):
    """The loop's time while `cmd` watches it."""
    loop = subprocess.Popen([binary, str(LOOPS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    tool = None
    if cmd:
        tool = subprocess.Popen([str(loop.pid) if c == "PID" else c for c in cmd],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(2)
    start = time.monotonic()
    loop.stdin.write(b"\n")
    loop.stdin.close()
    loop.stdout.read()
    seconds = time.monotonic() - start
    loop.wait()
    if tool:
        tool.terminate()
        tool.wait()
    return seconds


SOURCE = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char c;
    int n = atoi(argv[1]), us = argc > 2 ? atoi(argv[2]) : 0;
    if (!us && read(0, &c, 1) < 0)
        return 1;
    for (int i = 0; i < n || us; i++) {
        close(open("/etc/passwd", O_RDONLY));
        if (us)
            usleep((unsigned)us);
    }
    return 0;
}
"""


def build(where):
    binary = os.path.join(where, "opener")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", binary, "-x", "c", "-"], check=True,
                   input=SOURCE.encode())
    return binary


def median(values):
    return statistics.median(values) if values else float("nan")


def main():
    if os.geteuid():
        sys.exit("bench_open: needs root")
    if OWN_NS not in os.environ:
        os.environ[OWN_NS] = "1"
        os.execvp("unshare", ["unshare", "-m", "sh", "-c", "mount -t tracefs t /sys/kernel/tracing; "
                              'exec "$@"', "sh", sys.executable, *sys.argv])
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as where:
        binary = build(where)
        busy = subprocess.Popen([binary, "1", "200"])
        try:
            print(f"{'start to the first row':28} {'ms':>8} {'VmHWM KB':>9}   medians of {runs} runs")
            for name, cmd in tools(busy.pid):
                got = [r for r in (first_row(cmd, busy.pid) for _ in range(runs)) if r]
                if not got:
                    print(f"{name:28} does not run here")
                    continue
                print(f"{name:28} {median([r[0] for r in got]):8.1f} {median([r[1] for r in got]):9.0f}")
        finally:
            busy.kill()
            busy.wait()
        print(f"\n{LOOPS} opens, each watched   {'seconds':>8} {'ns an open more':>16}")
        native = median([loop_seconds(binary, None) for _ in range(runs)])
        print(f"{'native':28} {native:8.3f}")
        for name, cmd in tools("PID"):
            if name == "opensnoop (bcc)":
                continue
            took = median([loop_seconds(binary, cmd) for _ in range(runs)])
            print(f"{name:28} {took:8.3f} {(took - native) / LOOPS * 1e9:16.0f}")


main()
