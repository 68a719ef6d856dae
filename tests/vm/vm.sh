#!/bin/sh
# Used by the cases vm_*.
# vm.sh KERNEL [TEST...]: the guest tests (tests/vm/guest/*.sh) under one kernel of fetch.sh's table:
#   x86-5.10 x86-6.1 x86-6.12 x86-sid arm64 riscv64 armv7
# With names: only those tests, even if they are for other kernels, with all of their output. (run.sh is not needed.)
#
# A guest test is a busybox shell script with a header:
#   # kernels: all            or names of that table, or x86; !NAME takes one out again
#   # timeout: 20             seconds, under emulation (this is the default); twice that passes before it is hung
#   # cmdline: PARAMETER...   of the kernel, as lockdown=confidentiality
#   # qemu: ARGUMENT...       of QEMU, as -smp 4 (2 CPUs without it)
#   # modules: tun null_blk   loaded before it runs, in this order; dependencies must be named too
#   # with: strace            puts strace and its libraries into the initramfs
# It begins with `. /tests/lib.sh` (vm/guest/lib.sh) and runs as root in an empty directory. Only /proc, /sys and /dev are mounted, and
# /etc is empty. The guest has busybox, $KVIS (/bin/kvis), as_user, the static programs of tests/progs in $BIN, and /tests/scenes, the
# scenes that the cases run with `each truth` and `each same`. A test undoes its mounts, modules and settings, because tests with the
# same cmdline and qemu share one boot. The files of its directory are sent back (keep them small: 600 KB need a second).
# A line `not ok`, a test that does not end, and a guest that does not end are failures.
set -u
slack=2 # for a busy machine
vm=$(cd "$(dirname "$0")" && pwd)
TESTS=$(dirname "$vm")
OUT=${OUT:-$TESTS/out}
KVIS=${KVIS:-$(dirname "$TESTS")/kvis}
export TESTS OUT PYTHONDONTWRITEBYTECODE=1
kernel=$1
shift
only=$*
cache=${KVIS_VM_CACHE:-$OUT/vm/cache}
case $kernel in arm64*) arch=aarch64 tools=tools-arm64 ;; riscv64*) arch=riscv64 tools=tools-riscv64 ;; armv7*) arch=armv7 tools=tools-armv7 ;; *) arch=x86_64 tools=tools-amd64 ;; esac

header() { sed -n "1,30s/^# *$2: *\(.*[^ ]\) *\$/\1/p" "$vm/guest/$1.sh"; } # header TEST KEY

# Static builds for the guest's architecture: the test programs, and kvis if it is not ours.
cc() {
    [ "$arch" = "$(uname -m)" ] && { "${CC:-gcc}" "$@"; return; }
    case $arch in armv7) arm-linux-gnueabihf-gcc "$@" ;; *) "$arch-linux-gnu-gcc" "$@" ;; esac
}
newer() { # newer PROGRAM SOURCE
    [ -x "$1" ] && [ -z "$(find "$2" "$TESTS"/progs/*.h "$TESTS"/../bpf_insns "$TESTS"/../gen -name '*.[ch]' -newer "$1")" ]
}
build() {
    bin=$OUT/vm/bin-$arch
    mkdir -p "$bin"
    for src in "$TESTS"/progs/*.c "$vm"/*.c; do
        name=$(basename "$src" .c)
        only_on=$(sed -n '1,15s,^[/* ]*only: *\([a-z0-9_]*\).*,\1,p' "$src")
        flags=$(sed -n '1,15s,^[/* ]*cc: *\(.*[^ */]\)[ */]*$,\1,p' "$src")
        compiler=cc
        case $arch:${only_on:-$arch} in
        "$arch:$arch") ;;
        aarch64:arm | armv7:arm) compiler=arm-linux-gnueabihf-gcc ;; # of 32 bits, which an arm64 kernel runs, too
        *) continue ;;
        esac
        ! newer "$bin/$name" "$src" || continue
        # Not every machine can compile with -m32, or for 32-bit ARM; then the scenes are skipped.
        $compiler -o "$bin/$name" "$src" -static -s -O1 -pthread $flags >"$bin/$name.log" 2>&1 ||
            case $flags in
            *-m32* | *-marm*) echo "$name: not built: $(head -n 1 "$bin/$name.log")" ;;
            *) cat "$bin/$name.log"; return 1 ;;
            esac
    done
    kvis=$KVIS
    [ $arch = "$(uname -m)" ] && return
    kvis=$TESTS/../kvis-$arch # make has no targets with blanks
    make -s -C "$TESTS/.." ARCH=$arch
}

runs_on() { # runs_on TEST: is this kernel one of its kernels?
    yes=
    for k in $(header "$1" kernels); do
        case $k in
        "!$kernel" | "!${kernel%%-*}") yes= ;;
        all | "$kernel" | "${kernel%%-*}") yes=1 ;;
        esac
    done
    [ "$yes" ]
}

# One line per boot: cmdline|qemu. (Not a tab, because `read` skips empty fields before a tab.)
boots() {
    for f in $tests; do printf '%s|%s\n' "$(header "$f" cmdline)" "$(header "$f" qemu)"; done | sort -u
}

# The scenes of the cases, one per line: `truth PROG SCENE` or `same PROG SCENE`.
scenes() {
    sed -n 's/^[^#]*each \(truth\|same\) \([a-z0-9]*\) \([a-z0-9_ ]*\).*/\1 \2 \3/p' "$TESTS"/cases/*.sh |
        while read -r how prog list; do
            for scene in $list; do echo "$how $prog $scene"; done
        done | sort -u
}

module() { # module NAME: into the initramfs, unpacked
    ko=$(find "$cache/$kernel/modules" \( -name "$1.ko" -o -name "$1.ko.*" \) | head -n 1)
    mkdir -p "$root/modules"
    case $ko in
    '') echo "# $kernel has no module $1" ;;
    *.xz) xz -dc "$ko" >"$root/modules/$1.ko" ;;
    *.zst) zstd -qdc "$ko" >"$root/modules/$1.ko" ;;
    *) cp "$ko" "$root/modules/" ;;
    esac
}

fill() { # fill TEST...: the initramfs of one boot, in $root
    rm -rf "${root:?}"
    mkdir -p "$root/bin" "$root/dev" "$root/etc" "$root/proc" "$root/sys" "$root/tmp" "$root/tests" "$root/progs"
    cp "$cache/$tools/busybox" "$bin/as_user" "$bin/true" "$root/bin/" && cp "$kvis" "$root/bin/kvis" || return 1
    find "$bin" -type f -perm -1 -exec cp '{}' "$root/progs/" ';'
    cp "$vm/init" "$root/init"
    chmod 755 "$root/init"
    mkdir -p "$root/sbin"
    ln -sf /init "$root/sbin/init"
    cp "$vm/guest/lib.sh" "$root/tests/"
    scenes >"$root/tests/scenes"
    for f; do
        cp "$vm/guest/$f.sh" "$root/tests/"
        for m in $(header "$f" modules); do module "$m"; done
        if [ "$(header "$f" with)" = strace ]; then
            cp -a "$cache/$tools/strace/." "$root/"
            [ -e "$root/lib" ] || ln -s usr/lib "$root/lib" # Debian 13 has its loader in /usr/lib
        fi
        seconds=$(header "$f" timeout)
        echo "$f $((${seconds:-20} * slack)) $(header "$f" modules)" >>"$root/tests/list"
    done
}

# The host's part of a test: its lines `NUMBER TAB DIRECTORY TAB json|facts|opens|nopaths|traced|same|replay|strace TAB WHAT TAB FILE ...`.
host() { # host TEST
    lines=$back/$1/host
    while IFS='	' read -r n dir how what a b; do
        case $how in
        json) set -- python3 "$TESTS/lib/j.py" "$b" "$a" ;;
        facts) set -- python3 "$TESTS/lib/want.py" "$a" "$b" ;;
        opens) set -- python3 "$TESTS/lib/opens.py" facts "$a" "$b" ;;
        same) set -- cmp "$a" "$b" ;;
        nopaths | traced) set -- python3 "$TESTS/lib/opens.py" $how "$a" "$b" ;;
        replay) set -- sh -c '"$0" replay -q -v --json=here "$1" && cmp here "$2"' "$KVIS" "$b" "$a" ;;
        strace) set -- python3 "$vm/same_calls.py" "$a" "/tests/out/$dir/$a" ;;
        *) set -- false ;;
        esac
        if (cd "$back/$dir" && "$@") >host.log 2>&1; then
            echo "ok $n - $what"
        else
            echo "not ok $n - $what"
            [ "$how" != json ] || echo "# not so in $a: $b"
            cut -c 1-300 host.log | tail -n 12 | sed 's/^/# /'
        fi
    done <"$lines"
}

results() { # results TEST...: all TAP of one boot
    for name; do
        echo "# == $name"
        [ -e "$back/$name/tap" ] || { echo "not ok - $name did not run"; continue; }
        cat "$back/$name/tap"
        [ ! -e "$back/$name/host" ] || host "$name"
    done
}

boot() { # boot CMDLINE QEMU: boots the tests with this cmdline and qemu, and prints their TAP
    set -- "$1" "$2" "boot$number"
    back=$PWD/$3/back/out
    together=
    limit=30
    for f in $tests; do
        [ "$(header "$f" cmdline)	$(header "$f" qemu)" = "$1	$2" ] || continue
        together="$together $f"
        t=$(header "$f" timeout)
        limit=$((limit + ${t:-20} * slack))
    done
    fill $together || { echo "not ok - initramfs"; return; }
    a=
    for p in $1; do a="$a -a $p"; done
    "$vm/boot.sh" "$kernel" "$root" "$PWD/$3" -t $limit $a -- $2 >boot.log 2>&1
    st=$?
    [ $st = 0 ] || echo "not ok - the guest of $3: exit status $st of boot.sh"
    sed 's/^/# /' boot.log
    [ $st != 0 ] || results $together
    echo "# $3 ${1:-(no parameters)} $2: $(cat "$3/seconds" 2>/dev/null) s"
}

report() {
    ok=$(grep -c '^ok' tap)
    bad=$(grep -c '^not ok' tap)
    skipped=$(grep -c '^ok.* # SKIP' tap)
    if [ -n "$only" ]; then cat tap; else
        grep '# SKIP' tap
        awk '/^# (==|boot)/ { show = /boot/; name = $3 } /^ok/ { show = 0 } /^not ok/ { show = 1; if (name) $0 = name ": " $0 } show' tap
    fi
    echo "$kernel ($(cat "$cache/$kernel/version")): $((ok - skipped)) ok, $skipped skipped, $bad not ok"
    [ "$bad" = 0 ] && [ "$ok" -gt 0 ]
}

# Only one vm.sh at a time builds programs.
mkdir -p "$OUT/vm"
exec 9>"$OUT/vm/lock"
flock 9
why=$(NO_COLOR=1 "$vm/fetch.sh" "$kernel" $tools 2>&1) || { echo "$why" | tail -n 1; exit 77; }
tests=
for f in "$vm"/guest/*.sh; do
    f=$(basename "$f" .sh)
    [ "$f" != lib ] || continue
    [ -n "$(header "$f" kernels)" ] || { echo "$f: no kernels in its header"; exit 1; }
    case " ${only:-$f} " in *" $f "*) ;; *) continue ;; esac
    { [ -n "$only" ] || runs_on "$f"; } && tests="$tests $f"
done
[ -n "$tests" ] || { echo "no guest tests for $kernel"; exit 77; }
build || { echo "the test programs do not build for $arch"; exit 1; }
exec 9>&-
[ -n "${KVIS_CASE-}" ] || { mkdir -p "$OUT/vm/$kernel" && cd "$OUT/vm/$kernel" || exit 1; }
root=$PWD/root number=0
: >tap
boots >boots
while IFS='|' read -r cmdline qemu; do
    number=$((number + 1))
    boot "$cmdline" "$qemu" >>tap </dev/null
done <boots
rm -rf "${root:?}"
report
