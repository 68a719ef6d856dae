#!/bin/sh
# Used by make coverage.
# coverage.sh [NAME...]: measures which part of kvis.c the cases run. Builds it for gcov (tests/out/cov), runs the cases NAME
# (default: all) once with this build, and prints the share of lines that ran and the functions that were never called.
# tests/out/cov/kvis.c.gcov marks the lines that did not run. Cases that check speed, size or files may fail; the list names
# them. Code run by a guest, or by a kvis that was killed, is not counted.
set -eu
cd "$(dirname "$0")/../.."
dir=$PWD/tests/out/cov
rm -rf "$dir"
mkdir -p "$dir"
make -s gen/out/texts.page
flags='-std=gnu11 -pthread -O0 -g --coverage -fprofile-update=atomic'
gcc $flags -DKVIS_VERSION='"0.1"' -c -o "$dir/kvis.o" kvis.c
gcc $flags -static -Wl,-u,pthread_mutex_init -o "$dir/kvis" "$dir/kvis.o" # -u: libgcov's reference to it is weak
chmod 1777 "$dir" # another user's kvis writes there too
umask 0
[ $# -gt 0 ] || set -- --tier all
KVIS="$dir/kvis" tests/run.sh "$@" || echo "some cases failed"
cd "$dir"
gcov -f kvis.gcda | awk -F"'" '/^Function/ { name = $2 } /^File/ { name = "" } /^Lines executed:0.00/ && name { print "never called: " name }
    /^File .*kvis.c/ { getline; print "kvis.c: " $0 }'
