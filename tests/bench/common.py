"""Used by the programs of this directory: the binary, tools that run beside a program, and what the kernel says of them."""
import os
import signal
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KVIS = os.path.abspath(os.environ.get("KVIS", os.path.join(TOP, "kvis")))
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def as_root_with_tracefs():
    """Runs the script in a mount namespace of its own, with tracefs: bpftrace and bcc want it."""
    if os.geteuid():
        sys.exit(f"{sys.argv[0]}: needs root")
    if "TRACEFS_MOUNTED" not in os.environ:
        os.environ["TRACEFS_MOUNTED"] = "1"
        os.execvp("unshare", ["unshare", "-m", "sh", "-c", "mount -t tracefs t /sys/kernel/tracing; "
                              'exec "$@"', "sh", sys.executable, *sys.argv])


def runs(usual):
    return int(sys.argv[1]) if len(sys.argv) > 1 else usual


def stop(tool):
    tool.send_signal(signal.SIGINT)
    tool.wait()


def build(where, source):
    """A program of tests/progs, and of nothing else: its path."""
    binary = os.path.join(where, source[:-2])
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-pthread", "-o", binary, os.path.join(TOP, "tests/progs", source)], check=True)
    return binary


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
