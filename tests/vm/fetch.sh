#!/bin/sh
# Used by vm/vm.sh and the case dist.
# fetch.sh NAME...: downloads kernels of distributions, and tools for the guests, into the cache of the VM tests. On failure, prints
# the reason and exits with 1. NAME: a row of the table.
#
# The cache is $KVIS_VM_CACHE, or tests/out/vm/cache. An entry is a directory:
#   x86-6.1/ .. riscv64/   vmlinuz, modules/ (the tree under /lib/modules/VERSION), version
#   tools-amd64/ ..        busybox (static), strace/ (a root with its libraries)
#   musl-arm64/            include/ and lib/: for the Makefile's MUSL_ARM64
# The cache is never updated; remove a directory to get a newer kernel.
#
# The archive is that of this machine's apt, which checks the signature of the suite, and size and hash of each package. The state of
# apt (lists, packages) is in the cache: nothing is installed, and the machine's own apt is not changed.
set -u
cache=${KVIS_VM_CACHE:-${OUT:-$(cd "$(dirname "$0")/.." && pwd)/out}/vm/cache}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# name, architecture, suite, packages (a /REGEX/ means: the newest package whose name it matches)
table() {
    cat <<'END_TABLE'
x86-5.10 amd64 bullseye /^linux-image-5\.10[0-9.]*-[0-9]+-cloud-amd64$/
x86-6.1 amd64 bookworm /^linux-image-6\.1[0-9.]*-[0-9]+-cloud-amd64$/
x86-6.12 amd64 bookworm-backports /^linux-image-6\.12[^-]*-cloud-amd64$/
x86-sid amd64 sid /^linux-binary-[0-9][^-]*-cloud-amd64$/ /^linux-modules-[0-9][^-]*-cloud-amd64$/
arm64 arm64 bookworm /^linux-image-6\.1[0-9.]*-[0-9]+-cloud-arm64$/
armv7 armhf bookworm /^linux-image-6\.1[0-9.]*-[0-9]+-armmp$/
riscv64 riscv64 trixie /^linux-image-6\.12[^-]*-riscv64$/
tools-amd64 amd64 bookworm busybox-static strace libc6 libunwind8 liblzma5 libgcc-s1
tools-arm64 arm64 bookworm busybox-static strace libc6
tools-armv7 armhf bookworm busybox-static strace libc6 libgcc-s1
tools-riscv64 riscv64 trixie busybox-static strace libc6
musl-arm64 arm64 bookworm musl-dev
END_TABLE
}

no() { # no WHY: prints it and what apt said, and ends
    echo "$name: $*" "$(grep -hs '^[EW]: ' "$state/log" | head -n 2 | tr '\n' ' ')"
    exit 1
}

# The archive of the distribution itself, not that of its security updates or of other vendors.
archive() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        grep '/debian/*$' | head -n 1
}

apt() { # apt COMMAND ARG...: apt-COMMAND with the state of this suite
    tool=apt-$1
    shift
    "$tool" -qq -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State="$state" -o Dir::State::Lists="$state/lists" -o Dir::State::status="$state/status" \
        -o Dir::Cache="$state/cache" -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
        -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=2 -o Acquire::http::Timeout=30 "$@"
}

suite() { # the lists of $suite for $arch
    rm -rf "$state"
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial" || exit 1
    : >"$state/status"
    : >"$state/log"
    uri=$(archive)
    [ -n "$uri" ] || no "apt here has no source of Debian packages"
    echo "deb [signed-by=$keyring] $uri $suite main" >"$state/sources.list"
    apt get update >"$state/log" 2>&1 && apt cache pkgnames >"$state/names" 2>>"$state/log" ||
        no "no lists of $suite:"
}

pick() { # pick NAME|/REGEX/: the package's name
    case $1 in
    /*) re=${1#/}; grep -E "${re%/}" "$state/names" | sort -V | tail -n 1 ;;
    *) grep -x -- "$1" "$state/names" ;;
    esac
}

unpack() { # unpack PACKAGE...: into $new/root
    rm -rf "$new"
    mkdir -p "$new/deb" "$new/root" || exit 1
    for want; do
        pkg=$(pick "$want")
        [ -n "$pkg" ] || no "$suite has no $want"
        (cd "$new/deb" && apt get download "$pkg") >"$state/log" 2>&1 || no "cannot download $pkg:"
    done
    for deb in "$new"/deb/*.deb; do
        dpkg -x "$deb" "$new/root" || no "dpkg -x $(basename "$deb")"
    done
    rm -rf "$new/deb"
}

kernel() { # moves the kernel and its modules from $new/root to $new
    set -- "$new"/root/boot/vmlinu[xz]-* "$new"/root/lib/modules/*/vmlinuz "$new"/root/usr/lib/modules/*/vmlinuz
    for f; do [ ! -e "$f" ] || mv "$f" "$new/vmlinuz"; done
    for d in "$new"/root/lib/modules/* "$new"/root/usr/lib/modules/*; do
        [ -d "$d" ] && [ ! -e "$new/modules" ] || continue
        basename "$d" >"$new/version"
        mv "$d" "$new/modules"
    done
    [ -s "$new/vmlinuz" ] && [ -s "$new/version" ] || no "no vmlinuz or no modules in the packages"
    rm -rf "$new/root"
}

tools() {
    for f in "$new"/root/bin/busybox "$new"/root/usr/bin/busybox; do [ ! -e "$f" ] || mv "$f" "$new/busybox"; done
    [ -x "$new/busybox" ] || no "no busybox in its package"
    mv "$new/root" "$new/strace"
    rm -rf "$new"/strace/usr/share "$new"/strace/etc "$new"/strace/lib/*/gconv "$new"/strace/usr/lib/*/gconv
}

musl() {
    mv "$new"/root/usr/include/*-linux-musl "$new/include" && mv "$new"/root/usr/lib/*-linux-musl "$new/lib" ||
        no "no headers or libraries in the package"
    rm -rf "$new/root"
}

fetch() { # fetch NAME
    name=$1 state=$cache/apt
    [ -e "$cache/$name/complete" ] && return
    set -- $(table | grep "^$name ")
    [ $# -ge 4 ] || no "not in the table"
    arch=$2 suite=$3
    shift 3
    suite
    new=$cache/$name.new
    unpack "$@"
    case $name in tools-*) tools ;; musl-*) musl ;; *) kernel ;; esac
    : >"$new/complete"
    rm -rf "${cache:?}/$name"
    mv "$new" "$cache/$name"
    rm -rf "$state"
}

mkdir -p "$cache" || exit 1
exec 8>"$cache/lock"
flock 8 || exit 1 # one at a time: the cache may be shared
for name; do fetch "$name" || exit 1; done
