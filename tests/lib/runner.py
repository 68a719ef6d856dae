"""Runs the cases: used by tests/run.sh, which passes its arguments on.

A case is an executable file tests/cases/NAME.sh or NAME.py. Its first comment says what it proves; the
comments below that, up to the first line of code, are its header:
  # tier: gate asan          see tests/README.md; in NAME[full], `some` of lib.sh returns the larger number
  # timeout: 60              seconds, on a machine that has nothing else to do; SLACK times that passes
                             before the case is ended
  # needs: root strace ...   skipped without them: root, arch:x86_64, prog:NAME (of tests/progs), a command, or
                             a /path; what a package has is installed. no-kvis: the case
                             does not run kvis, so it may run while that is built
  # alone: why               never runs beside another case
  # disk: why                its directory is not a tmpfs
It runs in an empty directory and a mount namespace of its own (as root), with KVIS, BIN (test programs), TESTS
and OUT set, and ends with 0 (passed), 77 (skipped; its last line says why) or anything else (failed). Whatever it
starts must be gone when it ends: a process or a mount that it leaves behind is a failure. As root, the directory
of a case of the tier gate is a tmpfs: some cases make and remove thousands of files.
"""
import argparse, contextlib, ctypes, errno, functools, os, platform, re, shutil, signal, subprocess, sys, threading, time, warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from serve import answer_requests

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
OUT = TESTS / "out"
BIN = OUT / "bin"
TIERS = ("gate", "quick", "full", "vm", "fuzz", "browser", "asan")
SLACK = 3

# The programs that cases need, and their Debian packages; what each Debian has needs no row. A command without a row has the name
# of its package.
PACKAGES = {
    "gcc": "gcc libc6-dev", "/usr/include/stdio.h": "libc6-dev", "musl-gcc": "musl-tools",
    "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu",
    "/usr/aarch64-linux-gnu/lib/libc.a": "libc6-dev-arm64-cross",
    "riscv64-linux-gnu-gcc": "gcc-riscv64-linux-gnu", "/usr/riscv64-linux-gnu/lib/libc.a": "libc6-dev-riscv64-cross",
    "arm-linux-gnueabihf-gcc": "gcc-arm-linux-gnueabihf",
    "/usr/arm-linux-gnueabihf/lib/libc.a": "libc6-dev-armhf-cross", "qemu-arm-static": "qemu-user-static",
    "/usr/arm-linux-gnueabihf/include/asm/unistd-eabi.h": "linux-libc-dev-armhf-cross",
    "qemu-aarch64-static": "qemu-user-static", "qemu-riscv64-static": "qemu-user-static", "qemu-system-x86_64": "qemu-system-x86",
    "qemu-system-aarch64": "qemu-system-arm", "qemu-system-riscv64": "qemu-system-misc opensbi",
    "pgrep": "procps", "/bin/kill": "procps", "perf": "linux-perf", "man": "man-db", "readelf": "binutils", "objcopy": "binutils", "ip": "iproute2", "llvm-objdump": "llvm",
    "promtool": "prometheus", "prometheus-node-exporter": "prometheus-node-exporter",
}
# Packages that would start a server: only their programs are unpacked, beside the tests.
UNPACKED = ("prometheus", "prometheus-node-exporter")


class Case:
    def __init__(self, path, how=""):
        self.path = path
        self.how = how  # "", "full" or "asan"
        self.name = path.stem + (f"[{how}]" if how else "")
        self.header = read_header(path)
        self.tiers = self.header.get("tier", "").split()
        self.needs = self.header.get("needs", "").split()
        self.alone = "alone" in self.header
        self.tmpfs = self.tiers[:1] == ["gate"] and "disk" not in self.header
        self.asks = re.search(r"\b(js|want|truth|same)\b", path.read_text())  # of lib/serve.py
        self.timeout = int(self.header.get("timeout", "0"))
        self.state = "failed"  # until it has run: an exception here must not make it count as nothing
        self.why = "not run to its end: the runner failed"
        self.log = None  # the file with what it printed
        self.seconds = 0.0


def read_header(path):
    header = {}
    for line in path.read_text().splitlines()[1:30]:
        if not line.startswith("#"):
            break
        key = re.match(r"# ?(tier|timeout|needs|alone|disk): *(.*)", line)
        if key:
            header[key[1]] = key[2].strip()
    return header


def all_cases():
    found = [Case(f) for f in sorted((TESTS / "cases").iterdir()) if f.suffix in (".sh", ".py")]
    for case in found:
        tiers = set(case.tiers)
        once = len(tiers - {"asan"}) == 1 or tiers - {"asan"} in ({"gate", "full"}, {"quick", "full"})
        if tiers - set(TIERS) or not once or not case.timeout:
            sys.exit(f"{case.path}: the header needs a timeout and a tier: {' '.join(TIERS)}")
        if not os.access(case.path, os.X_OK):
            sys.exit(f"{case.path} is not executable")
    return found


def runs_of(case):
    """The runs of a case, by tier."""
    runs = {}
    for tier in case.tiers:
        again = tier == "asan" or tier == "full" and case.tiers[0] != "full"
        runs[tier] = Case(case.path, tier) if again else case
    return runs


def select(names, tiers):
    """The runs of these names, or of all cases, that are of these tiers; NAME[full] and NAME[asan] are names, too."""
    runs = [(tier, run) for case in all_cases() for tier, run in runs_of(case).items()]
    known = {run.name for _, run in runs} | {run.path.stem for _, run in runs}
    for name in names:
        if name not in known:
            sys.exit(f"no case {name}; tests/run.sh --list shows them")
    if names and not tiers:
        return [run for _, run in runs if run.name in names]
    return [run for tier, run in runs if tier in (tiers or ["gate"]) and (not names or run.path.stem in names)]


def have(what):
    if what.startswith("/"):
        return os.path.exists(what)
    return shutil.which(what) is not None


def package_of(need):
    if ":" in need or need in ("root", "no-kvis"):
        return None
    return PACKAGES.get(need, None if need.startswith("/") else need)


def output(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def versioned_packages(needs):
    """Packages whose names depend on the compilers' versions: libFuzzer, and what `gcc -m32` needs, without which the 32-bit
    programs are skipped."""
    if "clang" in needs and have("clang"):
        if not os.path.exists(output("clang", "-print-resource-dir") + f"/lib/linux/libclang_rt.fuzzer-{platform.machine()}.a"):
            yield f"libclang-rt-{output('clang', '-dumpversion').split('.')[0]}-dev"
    if platform.machine() == "x86_64" and have("gcc"):
        if not os.path.exists("/usr/lib32/crt1.o"):
            yield "libc6-dev-i386"
        if not os.path.exists(os.path.dirname(output("gcc", "-print-libgcc-file-name")) + "/32/libgcc.a"):
            yield f"lib32gcc-{output('gcc', '-dumpversion').split('.')[0]}-dev"


def apt(packages):
    """Installs packages, one by one where the archive does not know one of them."""
    if not packages:
        return
    print("installing:", *sorted(packages), flush=True)
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    install = ["apt-get", "install", "-qq", "-y", "--no-install-recommends"]
    with open(OUT / "apt.log", "a") as log:
        def run(command):
            return subprocess.run(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL).returncode
        run(["apt-get", "update", "-qq"])
        if run(install + sorted(packages)) != 0:
            for package in sorted(packages):
                run(install + [package])


def unpack(package):
    if list(OUT.glob(f"unpacked/{package}.done")):
        return
    print("unpacking:", package, flush=True)
    (OUT / "unpacked").mkdir(exist_ok=True)
    script = (f"(apt-get download -qq {package} || (apt-get update -qq && apt-get download -qq {package})) && "
              f"dpkg -x {package}_*.deb . && rm {package}_*.deb && : >{package}.done")
    with open(OUT / "apt.log", "a") as log:
        subprocess.run(["sh", "-c", script], cwd=OUT / "unpacked", stdout=log, stderr=log)


def install_needs(cases):
    """Installs missing packages, as root and unless NO_APT is set."""
    os.environ["PATH"] += f":{OUT}/unpacked/usr/bin"
    if os.getuid() != 0 or os.environ.get("NO_APT") or not have("apt-get"):
        return
    needs = {need for case in cases for need in case.needs} | {"gcc", "make", "/usr/include/stdio.h"}
    wanted = set()
    for need in needs:
        package = None if have(need) else package_of(need)
        if package in UNPACKED:
            unpack(package)
        elif package:
            wanted |= set(package.split())
    apt(wanted)
    apt(set(versioned_packages(needs)))


def missing(case):
    """Why the case cannot run here, or ''."""
    for need in case.needs:
        kind, _, value = need.partition(":")
        if need == "root" and os.getuid() != 0:
            return "not root"
        if kind == "arch" and platform.machine() != value:
            return f"not on {value}"
        if kind == "prog" and not (BIN / value).exists():
            return read(BIN / f"{value}.why") or f"no program {value}"
        if ":" not in need and need not in ("root", "no-kvis") and not have(need):
            return f"no {need}"
    return ""


def read_bytes(path):
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def read(path):
    return read_bytes(path).decode(errors="replace").strip()


def comment(source, key):
    """The value of `key: value` in a comment at the head of a C file."""
    for line in source.read_text().splitlines()[:15]:
        found = re.match(rf"[/* ]*{key}: *(.*?)[ */]*$", line)
        if found:
            return found[1]
    return ""


@functools.cache
def multiarch():
    return output("gcc", "-print-multiarch")


def build_program(source):
    """One of tests/progs: `cc:` in its head adds flags, `only:` names its architecture. Returns an error or ''."""
    program, why = BIN / source.stem, BIN / f"{source.stem}.why"
    headers = list((TESTS / "progs").glob("*.h"))
    if program.exists() and all(program.stat().st_mtime > f.stat().st_mtime for f in [source, *headers]):
        return ""
    why.unlink(missing_ok=True)
    program.unlink(missing_ok=True)
    only = comment(source, "only")
    if only and only != platform.machine():
        why.write_text(f"only for {only}")
        return ""
    flags = ["-O1", "-g", "-Wall", "-pthread", "-idirafter", f"/usr/include/{multiarch()}", *comment(source, "cc").split()]
    compiler = os.environ.get("CC", "cc")
    built = subprocess.run([compiler, "-o", program, source, *flags], capture_output=True, text=True)
    if built.returncode == 0:
        return ""
    program.unlink(missing_ok=True)
    empty = subprocess.run([compiler, "-x", "c", "-o", "/dev/null", "-", *flags], input="int main(void) { return 0; }",
                           capture_output=True, text=True)
    if empty.returncode == 0:
        why.write_text("does not compile")
        return built.stderr
    why.write_text(f"cc cannot do {' '.join(flags)}")
    return ""


def build(cases):
    """Builds the programs, and kvis beside them, which takes longer. Returns the future of what build_kvis returns, and the names
    of the programs that do not compile."""
    BIN.mkdir(parents=True, exist_ok=True)
    if not os.environ.get("KVIS"):
        make("gen/out/texts.page")  # a part of kvis.c, also for the cases that compile that
    sources = sorted((TESTS / "progs").glob("*.c"))
    pool = ThreadPoolExecutor(os.cpu_count())
    binaries = pool.submit(build_kvis, cases)
    errors = {source.stem: error for source, error in zip(sources, pool.map(build_program, sources)) if error}
    pool.shutdown(wait=False)
    print(*errors.values(), sep="\n", end="")
    return binaries, list(errors)


def build_kvis(cases):
    """The paths of kvis and of the sanitized kvis; those that these cases need are built."""
    named = os.environ.get("KVIS")
    plain = Path(named).absolute() if named else ROOT / "kvis"
    if not named and any(case.how != "asan" for case in cases):
        make("kvis")
    sanitized = OUT / "kvis-asan"
    if any(case.how == "asan" for case in cases):
        make("CC=gcc", "CFLAGS=-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all",
             "LINK=-no-pie", "BIN=tests/out/kvis-asan", "tests/out/kvis-asan")
    return plain, sanitized


def make(*arguments):
    if subprocess.run(["make", "-s", *arguments], cwd=ROOT, stdin=subprocess.DEVNULL).returncode != 0:
        sys.exit("make failed")


LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, MS_REC, MS_PRIVATE, MNT_DETACH = 0x20000, 0x4000, 0x40000, 2


def own_mounts():
    """Gives this thread, and the case that it starts, a mount namespace that nobody else changes. Returns whether it could."""
    if os.getuid() != 0:
        return False
    if LIBC.unshare(CLONE_NEWNS) and ctypes.get_errno() == errno.EPERM:
        return False  # without CAP_SYS_ADMIN, as in a container, a case cannot mount either
    if LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None):
        raise OSError(ctypes.get_errno(), "the case's mounts would be the machine's")
    return True


def mount_tmpfs(directory):
    """Returns whether `directory` is a tmpfs now, in the mount namespace of this thread."""
    return LIBC.mount(b"none", str(directory).encode(), b"tmpfs", 0, b"mode=755") == 0


def unmount(directory, keep):
    """Unmounts the tmpfs. With `keep`, moves its files to the directory below it."""
    kept = directory.with_name(directory.name + ".kept")
    shutil.rmtree(kept, ignore_errors=True)
    if keep:
        subprocess.run(["cp", "-a", directory, kept])
    LIBC.umount2(str(directory).encode(), MNT_DETACH)
    if keep:
        shutil.rmtree(directory)
        kept.rename(directory)


def mounts():
    return read("/proc/thread-self/mounts").splitlines()


def environment_of(pid):
    """Reads /proc/PID/environ, which is empty for a moment during execve (fs/proc/base.c, environ_read)."""
    for _ in range(5):
        environment = read_bytes(f"/proc/{pid}/environ")
        if environment or not os.path.exists(f"/proc/{pid}/exe"):
            break
        time.sleep(0.01)
    return environment


def processes_of(mark):
    """Processes that carry this case's mark in their environment, as (pid, command line)."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and mark in environment_of(entry).split(b"\0"):
            found.append((int(entry), read(f"/proc/{entry}/cmdline").replace("\0", " ")))
    return found


def end_leftovers(mark, log):
    """Kills processes that are still there after five seconds. Returns whether there were any."""
    for _ in range(50):
        if not processes_of(mark):
            return False
        time.sleep(0.1)
    left = processes_of(mark)
    for pid, command in left:
        log.write(f"left behind: {pid} {command}\n")
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    return bool(left)


def sanitizer_reports(directory, log_path):
    """Reports of ASan (files beside the directory) and of UBSan (on the standard error of whatever kvis ran)."""
    texts = []
    for report in directory.parent.glob(directory.name + ".san.*"):
        texts.append(read(report))
        report.unlink()
    # (grep finds its way in a directory whose path is longer than PATH_MAX)
    found = subprocess.run(["grep", "-rhaoE", r"kvis\.c:[0-9:]* runtime error.*", log_path, directory], stdout=subprocess.PIPE)
    return texts + found.stdout.decode(errors="replace").splitlines()


RUNNING = set()  # the timeout(1) of each case that runs now, and its lib/serve.py


def interrupted(*_):
    """Ctrl-C or SIGTERM: timeout(1) passes the signal on to its case."""
    for pid in list(RUNNING):
        os.kill(pid, signal.SIGTERM)
    print("interrupted", flush=True)
    os._exit(130)


def fork_server(directory, environment):
    """Runs lib/serve.py in a child, in the mount namespace of this thread, and returns its pid; $SERVE has its pipes. Starting
    another Python would take longer than most of its answers."""
    pipes = directory.with_name(directory.name + ".serve")
    shutil.rmtree(pipes, ignore_errors=True)
    pipes.mkdir()
    for name in ("ask", "answer"):
        os.mkfifo(pipes / name)
        os.chmod(pipes / name, 0o666)
    environment["SERVE"] = str(pipes)
    warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)  # the child uses no lock of another lane
    pid = os.fork()
    if pid == 0:
        os.closerange(0, 1 << 16)  # another lane waits for the end of what it reads from its own child
        for _ in range(3):
            os.open("/dev/null", os.O_RDWR)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            answer_requests(pipes)
        finally:
            os._exit(1)
    return pid


def run_case(case, binary, mark):
    why = missing(case)
    if why:
        case.state, case.why = "skipped", why
        return
    directory = OUT / "work" / case.path.stem
    if case.how:
        directory = directory.with_suffix(f".{case.how}")
    case.log = log_path = OUT / "log" / directory.name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    log_path.parent.mkdir(exist_ok=True)
    environment = dict(os.environ, KVIS=str(binary), KVIS_CASE=mark,
                       ASAN_OPTIONS=f"detect_leaks=0:disable_coredump=0:log_path={directory}.san",
                       UBSAN_OPTIONS=f"print_stacktrace=1:log_path={directory}.san")
    if case.how == "full":
        environment["FULL"] = "1"
    with open(log_path, "w", errors="replace") as log:
        mounted = own_mounts() and case.tmpfs and mount_tmpfs(directory)
        before = mounts()
        began = time.monotonic()
        limit = case.timeout * SLACK
        server = fork_server(directory, environment) if case.asks else 0
        command = ["timeout", "-k", "5", str(limit), str(case.path)]
        child = subprocess.Popen(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        RUNNING.update({child.pid, server} - {0})
        status = child.wait()
        RUNNING.discard(child.pid)
        if server:
            RUNNING.discard(server)
            os.kill(server, signal.SIGKILL)
            os.waitpid(server, 0)
            shutil.rmtree(environment["SERVE"], ignore_errors=True)
        case.seconds = time.monotonic() - began
        case.why = f"longer than {limit} s" if status == 124 else f"exit status {status}"
        if end_leftovers(f"KVIS_CASE={mark}".encode(), log):
            status, case.why = 1, "left processes behind"
        left = set(mounts()) - set(before)
        if left:
            log.write(f"left behind: {sorted(left)}\n")
            status, case.why = 1, "left a mount behind"
    reports = sanitizer_reports(directory, log_path) if case.how == "asan" else []
    if reports:
        with open(log_path, "a") as log:
            log.write("\n".join(reports) + "\n")
        status, case.why = 1, "sanitizer"
    case.state = {0: "passed", 77: "skipped"}.get(status, "failed")
    if case.state == "skipped":
        case.why = (read(log_path).splitlines() or ["no reason given"])[-1]
    if case.state == "failed":
        case.why += f"; see {log_path}"
        shutil.copy(log_path, f"{log_path}.failed")
    if mounted:
        unmount(directory, keep=case.state == "failed")
    if case.state != "failed":
        shutil.rmtree(directory, ignore_errors=True)


class Run:
    """`binaries`: the future of what build_kvis returns. Cases that do not run kvis are run while it is built."""

    def __init__(self, cases, binaries):
        self.cases, self.binaries = cases, binaries
        self.done = 0
        self.lock = threading.Lock()

    def one(self, case):
        mark = f"{os.getpid()}.{case.name}"
        try:
            run_case(case, ROOT / "kvis" if "no-kvis" in case.needs else self.binaries.result()[case.how == "asan"], mark)
        except Exception as error:  # an error of the runner: this lane continues with the next case
            case.state, case.why = "failed", f"the runner: {error!r}"
        with self.lock:
            self.done += 1
            where = f"[{self.done}/{len(self.cases)}] {case.name}"
            if case.state == "passed":
                print(f"{where} {case.seconds:.1f} s", flush=True)
            elif case.state == "skipped":
                print(f"{where} skipped: {case.why}", flush=True)
            else:
                tail = read(case.log).splitlines()[-60:] if case.log else []
                print(f"{where} {case.seconds:.1f} s FAILED: {case.why}", *tail, sep="\n    ", flush=True)

    def all(self, lanes):
        """Runs the cases in parallel (those without kvis first, then those with the longest timeout), and then those marked `alone`."""
        beside = [case for case in self.cases if not case.alone]
        beside.sort(key=lambda c: ("no-kvis" not in c.needs, -c.timeout))
        with ThreadPoolExecutor(lanes) as pool:
            list(pool.map(self.one, beside))
        for case in self.cases:
            if case.alone:
                self.one(case)


def report(cases, errors, late, seconds):
    """Prints the results; returns the number of failures. `late`: the cases that passed at a later try."""
    by_state = {state: [c for c in cases if c.state == state] for state in ("passed", "failed", "skipped")}
    longest = sorted(cases, key=lambda case: -case.seconds)[:10]
    print("slowest:", ", ".join(f"{case.name} {case.seconds:.1f} s" for case in longest))
    for case in by_state["skipped"]:
        print(f"skipped: {case.name}: {case.why}")
    for name in errors:
        print(f"failed: tests/progs/{name}.c does not compile")
    for case in by_state["failed"]:
        print(f"failed: {case.name}: {case.why}")
    for case, tries in late.items():
        print(f"passed at try {tries} only: {case.name}: fix it, or take it out of its tier")
    print(f"{seconds:.0f} s")
    failed = len(by_state["failed"]) + len(errors)
    print(f"{len(by_state['passed'])} passed, {failed} failed, {len(by_state['skipped'])} skipped", flush=True)
    return failed


def run_again(cases, tries, binaries):
    """Runs the failed cases again, one at a time, up to `tries` times in all. Returns {case that passed: its try}."""
    late = {}
    for this_try in range(2, tries + 1):
        failed = [case for case in cases if case.state == "failed"]
        if failed:
            print(f"try {this_try}:", *(case.name for case in failed), flush=True)
            Run(failed, binaries).all(1)
            late |= {case: this_try for case in failed if case.state == "passed"}
    return late


def run_once(cases, lanes, tries, binaries, errors):
    began = time.monotonic()
    Run(cases, binaries).all(lanes)
    binaries.result()  # exits if kvis could not be built
    late = run_again(cases, tries, binaries)
    return report(cases, errors, late, time.monotonic() - began)


def arguments():
    parser = argparse.ArgumentParser(prog="tests/run.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="run these cases; NAME[asan]: with the sanitizers; NAME[full]: with the larger numbers")
    parser.add_argument("--tier", action="append", default=[], metavar="TIER",
                        help=f"run the cases of this tier ({', '.join(TIERS)} or all); may be given several times")
    parser.add_argument("--list", action="store_true", help="list the cases with their tiers and what they prove")
    parser.add_argument("--install", action="store_true", help="only install what the chosen cases need")
    parser.add_argument("--lanes", type=int, help="how many cases run side by side (default: one a CPU; one more if all are of the tiers gate and quick, three a CPU if all are of the gate)")
    parser.add_argument("--tries", type=int, default=int(os.environ.get("TRIES", "1")), metavar="N",
                        help="run a case that fails up to N times (default: $TRIES or 1); what passed late is named at the end")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="run everything N times")
    return parser.parse_args()


def default_lanes(cases):
    """Cases of the gate wait for two thirds of their time, and no load disturbs them; a guest or a build keeps a CPU busy."""
    tiers = {case.how or case.tiers[0] for case in cases}
    return os.cpu_count() * 3 if tiers == {"gate"} else os.cpu_count() + (tiers <= {"gate", "quick"})


def first_comment(path):
    return next((line[2:] for line in path.read_text().splitlines()[1:] if line.startswith("# ")), "")


def main():
    options = arguments()
    tiers = [tier for given in options.tier for tier in given.replace(",", " ").split()]
    if "all" in tiers:
        tiers = list(TIERS)
    if set(tiers) - set(TIERS):
        sys.exit(f"no tier {' '.join(set(tiers) - set(TIERS))}; the tiers are {' '.join(TIERS)}")
    OUT.mkdir(exist_ok=True)
    cases = select(options.names, tiers)
    if not cases:
        sys.exit(f"none of these cases is of the tier {' '.join(tiers)}")
    if options.list:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        for case in cases if options.names or tiers else all_cases():
            print(f"{case.name:24} {' '.join(case.tiers):12} {first_comment(case.path)}")
        return 0
    install_needs(cases)
    if options.install:
        return 0
    os.environ.update(TESTS=str(TESTS), OUT=str(OUT), BIN=str(BIN), PYTHONDONTWRITEBYTECODE="1", LC_ALL="C")
    os.environ["PYTHONPATH"] = str(TESTS / "lib")
    if os.path.realpath(shutil.which("python3")) != os.path.realpath(sys.executable):
        # Cases run the Python that runs this file: see run.sh.
        os.environ["PATH"] = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    signal.signal(signal.SIGINT, interrupted)
    signal.signal(signal.SIGTERM, interrupted)
    binaries, errors = build(cases)
    lanes = options.lanes or default_lanes(cases)
    failures = sum(run_once(cases, lanes, options.tries, binaries, errors) for _ in range(options.times))
    if options.times > 1:
        print(f"{options.times} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
