#!/bin/sh
# run.sh [--all|--sanitize] [NAME...]: runs tests/cases/NAME.{sh,py}, all of them without a NAME.
#   (nothing)    with ./kvis, or with the binary that KVIS names
#   --sanitize   with an ASan+UBSan build of kvis.c; cases are reported as NAME[asan]
#   --all        both, plain first
#   --install    only installs what the tests need (as root, by apt)
# Environment: STRICT=1 makes a skip a failure; NO_APT=1 installs nothing; ONCE=1 gives no second try.
#
# A case is an executable file that starts with a header of comments:
#   # timeout: 60              seconds; a case without it is an error
#   # needs: root strace ...   else it is skipped: root, nonroot, arch:x86_64, prog:NAME (of
#                              tests/progs), /a/path that exists, py:MODULE, or a command
#   # covers: P1 O1            rows of the list of edge cases, for grep
#   # plain-only: why          not run again with the sanitizers
#   # together: why            may run beside others of its kind, after all others, one a CPU
# It runs in an empty directory of its own with KVIS, BIN (test programs), TESTS and OUT set, and
# ends with 0 (pass), 77 (skip; its last line says why) or anything else (fail). Whatever it
# started must be gone when it ends: what is left is killed, and the case has failed. A mount or a
# module that it leaves is a failure, too.
set -u
cd "$(dirname "$0")/.." || exit 1
TESTS=$PWD/tests OUT=$PWD/tests/out
BIN=$OUT/bin PYTHONDONTWRITEBYTECODE=1 LC_ALL=C
# Findings go to a file, for what kvis prints is under test; memory at exit and RLIMIT_CORE stay.
ASAN_OPTIONS=detect_leaks=0:disable_coredump=0 UBSAN_OPTIONS=print_stacktrace=1
export TESTS OUT BIN PYTHONDONTWRITEBYTECODE LC_ALL
passed=0 failed=0 skipped=0 failures= flaky= again=${ONCE:+no}
plain=1 asan=0
case ${1-} in
--all) asan=1; shift ;;
--sanitize) plain=0 asan=1; shift ;;
--install) plain=0 ;;
-*) sed -n '2,8s/^# \{0,1\}//p' "$TESTS/run.sh"; exit 2 ;;
esac
case ${KVIS-} in '' | /*) ;; *) KVIS=$PWD/$KVIS ;; esac

# command or file that the tests use, and the package it is in (Debian's names)
packages() {
    cat <<END
make make
gcc gcc
/usr/include/stdio.h libc6-dev
musl-gcc musl-tools
clang clang
bpftool bpftool
python3 python3
strace strace
git git
curl curl
sqlite3 sqlite3
perl perl
setarch util-linux
script bsdutils
aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
/usr/aarch64-linux-gnu/lib/libc.a libc6-dev-arm64-cross
qemu-aarch64-static qemu-user-static
llvm-objdump llvm
qemu-system-x86_64 qemu-system-x86
qemu-system-aarch64 qemu-system-arm
cpio cpio
chromium chromium
autoconf autoconf
xz xz-utils
opensnoop libbpf-tools
tmux tmux
perf linux-perf
clang-tidy clang-tidy
shellcheck shellcheck
cppcheck cppcheck
mandoc mandoc
man man-db
groff groff-base
zsh zsh
fish fish
END
    ! have clang || echo "$(clang -print-resource-dir)/lib/linux/libclang_rt.fuzzer-$(uname -m).a" \
        "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
    [ "$(uname -m)" = x86_64 ] && have gcc || return
    echo /usr/lib32/crt1.o libc6-dev-i386
    echo "$(dirname "$(gcc -print-libgcc-file-name)")/32/libgcc.a lib32gcc-$(gcc -dumpversion)-dev"
}

have() { # have COMMAND|/PATH
    case $1 in /*) [ -e "$1" ] ;; *) command -v "$1" >/dev/null 2>&1 ;; esac
}

install_packages() { # what is missing, one by one where a package is unknown
    [ "$(id -u)" = 0 ] && [ -z "${NO_APT-}" ] && have apt-get || return 0
    want=$(packages | while read -r what pkg; do
        have "$what" || printf '%s ' "$pkg"
    done)
    [ -n "$want" ] || return 0
    echo "installing: $want"
    export DEBIAN_FRONTEND=noninteractive
    apt="apt-get install -qq -y --no-install-recommends"
    { apt-get update -qq; $apt $want || for p in $want; do $apt "$p"; done; } >>"$OUT/apt.log" 2>&1
}

# Of packages that would start a server only the programs: unpacked beside the tests, not installed.
unpack_packages() {
    PATH=$PATH:$OUT/unpacked/usr/bin
    [ "$(id -u)" = 0 ] && [ -z "${NO_APT-}" ] && have apt-get || return 0
    mkdir -p "$OUT/unpacked"
    for pkg in prometheus prometheus-node-exporter; do
        have $pkg || (cd "$OUT/unpacked" && echo "unpacking: $pkg" &&
            { apt-get download -qq $pkg || { apt-get update -qq && apt-get download -qq $pkg; }; } &&
            dpkg -x ${pkg}_*.deb . && rm ${pkg}_*.deb) >>"$OUT/apt.log" 2>&1
    done
}

result() { # result PASS|FAIL|SKIP NAME [REASON]
    [ "$1 ${STRICT-}" = "SKIP 1" ] && set -- FAIL "$2" "skip under STRICT: ${3-}"
    case $1 in
    PASS) passed=$((passed + 1)) ;;
    SKIP) skipped=$((skipped + 1)) ;;
    FAIL) failed=$((failed + 1)); failures="$failures $2" ;;
    esac
    echo "$1 $2${3:+ ($3)}${took:+ $took s}"
}

header() { sed -n "2,30s/^[#/* ]*$2: *\(.*[^ */]\)[ */]*\$/\1/p" "$1"; } # header FILE KEY

# Test programs: `cc:` in a comment at the head adds flags, `only:` names the one architecture.
# A program that does not compile is a failure, unless its flags (-m32) are what is missing here.
build_progs() {
    mkdir -p "$BIN"
    uapi=$(gcc -print-multiarch 2>/dev/null)
    echo 'int main(void) { return 0; }' >"$OUT/empty.c"
    for src in "$TESTS"/progs/*.c; do
        [ -e "$src" ] || continue
        name=$(basename "$src" .c)
        rm -f "$BIN/$name.why"
        [ -x "$BIN/$name" ] && [ -z "$(find "$src" "$TESTS"/progs/*.h -newer "$BIN/$name" 2>/dev/null)" ] && continue
        only=$(sed -n '1,15s,^[/* ]*only: *\([a-z0-9_]*\).*,\1,p' "$src")
        flags=$(sed -n '1,15s,^[/* ]*cc: *\(.*[^ */]\)[ */]*$,\1,p' "$src")
        flags="-O1 -g -Wall -pthread ${uapi:+-idirafter /usr/include/$uapi} $flags"
        if [ -n "$only" ] && [ "$only" != "$(uname -m)" ]; then
            echo "only for $only" >"$BIN/$name.why"
        elif ! ${CC:-cc} -o "$BIN/$name" "$src" $flags >"$BIN/$name.log" 2>&1; then
            rm -f "$BIN/$name"
            echo "does not compile" >"$BIN/$name.why"
            if ${CC:-cc} -o "$OUT/empty" "$OUT/empty.c" $flags >/dev/null 2>&1; then
                sed 's/^/    /' "$BIN/$name.log"
                result FAIL "prog:$name" "does not compile"
            else
                echo "cc cannot do: $flags" >"$BIN/$name.why"
            fi
        fi
    done
}

missing() { # prints why a case that needs $1 cannot run, or nothing
    case $1 in
    root) [ "$(id -u)" = 0 ] || echo "not root" ;;
    nonroot) [ "$(id -u)" != 0 ] || echo "root" ;;
    arch:*) [ "$(uname -m)" = "${1#arch:}" ] || echo "not on ${1#arch:}" ;;
    prog:*) [ -x "$BIN/${1#prog:}" ] || cat "$BIN/${1#prog:}.why" 2>/dev/null || echo "no $1" ;;
    py:*) python3 -c "import ${1#py:}" 2>/dev/null || echo "python3 without ${1#py:}" ;;
    *) have "$1" || echo "no $1" ;;
    esac
}

leftovers() { # pids of what case $1 started and did not end
    grep -lzsx "KVIS_CASE=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
}

end_leftovers() { # end_leftovers ID: tells what is still there after 2 s, and ends it
    for try in 1 2 3 4; do [ -n "$(leftovers "$1")" ] || return 0; sleep 0.5; done
    for pid in $(leftovers "$1"); do
        echo "left behind: $pid $(tr '\0' ' ' <"/proc/$pid/cmdline") $(sed -n '/^State/p' "/proc/$pid/status")"
        kill -KILL "$pid"
    done
    return 1
}

footprint() { cat /proc/self/mounts && cut -d ' ' -f 1 /proc/modules; } # what outlives processes

run_case() { # run_case FILE [SUFFIX]
    name=$(basename "$1" | sed 's/\.[a-z]*$//')
    dir=$OUT/work/$name$2 log=$OUT/log/$name$2
    name=$name${2:+[asan]}
    seconds=$(header "$1" timeout)
    [ -n "$seconds" ] || { result FAIL "$name" "no timeout in its header"; return; }
    [ -x "$1" ] || { result FAIL "$name" "$1 is not executable"; return; }
    for need in $(header "$1" needs); do
        why=$(missing "$need")
        [ -z "$why" ] || { result SKIP "$name" "$why"; return; }
    done
    rm -rf "$dir" "$dir".san.*
    mkdir -p "$dir" "$OUT/log"
    id=$$.$name began=$(date +%s)
    footprint >"$log.before" 2>/dev/null
    (cd "$dir" && export KVIS_CASE="$id" ASAN_OPTIONS="$ASAN_OPTIONS:log_path='$dir.san'" \
        UBSAN_OPTIONS="$UBSAN_OPTIONS:log_path='$dir.san'" && exec timeout -k 5 "$seconds" "$1") >"$log" 2>&1 </dev/null
    st=$?
    why="exit $st"
    [ $st = 124 ] && why="longer than $seconds s"
    end_leftovers "$id" >>"$log" 2>&1 || { st=1; why="left processes behind"; }
    footprint 2>/dev/null | diff "$log.before" - >>"$log" || { st=1; why="left a mount or a module behind"; }
    rm "$log.before"
    for f in "$dir".san.*; do
        [ -e "$f" ] && { cat "$f" >>"$log"; rm "$f"; st=1; why="sanitizer"; }
    done
    # UBSan's findings stay on stderr, wherever the case has put that.
    if [ -n "$2" ] && grep -rhsa -A9 'kvis\.c:[0-9:]* runtime error' "$dir" "$log" >"$dir.ub"; then
        cat "$dir.ub" >>"$log"; st=1; why="sanitizer"
    fi
    took=$(($(date +%s) - began))
    case $st in
    0) result PASS "$name"; rm -rf "$dir" ;;
    77) result SKIP "$name" "$(tail -n 1 "$log")"; rm -rf "$dir" ;;
    *) sed 's/^/    /' "$log" | tail -n 60
        case $again in
        no) result FAIL "$name" "$why; see $dir, $log" ;;
        *) again="$again $(basename "$1")"; cp "$log" "$log.first"; echo "AGAIN $name ($why)" ;;
        esac ;;
    esac
    took=
}

next_case() { # prints the first line of $OUT/queue and takes it out
    flock "$OUT/queue.lock" sh -c 'head -n 1 "$1" && sed -i 1d "$1"' sh "$OUT/queue"
}

# A lane's counts come back in a file, for it is a process of its own.
run_together() { # run_together SUFFIX CASE...: as many at once as there are CPUs
    suffix=$1; shift
    [ $# -gt 0 ] || return 0
    printf '%s\n' "$@" >"$OUT/queue"
    for lane in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
        (
            passed=0 failed=0 skipped=0 failures=
            [ "$again" = no ] || again=
            while case=$(next_case) && [ -n "$case" ]; do run_case "$TESTS/cases/$case" "$suffix"; done
            [ "$again" != no ] || again=
            cat >"$OUT/lane.$lane" <<END
passed=\$((passed + $passed)) failed=\$((failed + $failed)) skipped=\$((skipped + $skipped))
failures="\$failures$failures" again="\$again$again"
END
        ) &
    done
    wait
    for lane in "$OUT"/lane.*; do . "$lane"; rm "$lane"; done
}

run_cases() { # run_cases SUFFIX [NAME...]
    suffix=$1 together=; shift
    [ $# -gt 0 ] || set -- $(cd "$TESTS/cases" && ls | sed -n 's/\.\(sh\|py\)$//p')
    for case; do
        f=$TESTS/cases/$case.sh
        [ -e "$f" ] || f=$TESTS/cases/$case.py
        [ -e "$f" ] || { result FAIL "$case" "no such case"; continue; }
        [ -n "$suffix" ] && grep -q '^# plain-only:' "$f" && continue
        case $(header "$f" together) in
        '') run_case "$f" "$suffix" ;;
        *) together="$(basename "$f") $together" ;; # the machines, which take longest, first
        esac
    done
    run_together "$suffix" $together
    again_cases "$suffix"
}

# Many cases compare two runs of programs that race by nature, on a machine with a load of its own. What
# failed runs a second time, and the end tells its name; with ONCE=1 it has failed.
again_cases() {
    [ "$again" != no ] || return 0
    set -- "$1" $again
    again=no suffix=$1; shift
    for case; do
        before=$passed
        run_case "$TESTS/cases/$case" "$suffix"
        [ $passed = $before ] || flaky="$flaky $name"
    done
    again=
}

mkdir -p "$OUT"
have gcc && have clang || install_packages # then what depends on their versions
install_packages
unpack_packages
[ $plain$asan = 00 ] && exit
build_progs
if [ $plain = 1 ]; then
    export KVIS="${KVIS:-$PWD/kvis}"
    [ "$KVIS" != "$PWD/kvis" ] || make -s kvis || result FAIL build "make failed"
    run_cases '' "$@"
fi
if [ $asan = 1 ]; then
    export KVIS="$OUT/kvis-asan"
    if ! have gcc || ! gcc -fsanitize=address,undefined -o "$OUT/empty" "$OUT/empty.c" 2>/dev/null; then
        result SKIP "[asan]" "no gcc with the sanitizers"
    elif make -s CC=gcc CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all' \
        LINK=-no-pie BIN=tests/out/kvis-asan tests/out/kvis-asan; then
        run_cases .asan "$@"
    else
        result FAIL "build[asan]" "make failed"
    fi
fi
[ -z "$flaky" ] || echo "passed at the second try only:$flaky"
[ -z "$failures" ] || echo "failed:$failures"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
