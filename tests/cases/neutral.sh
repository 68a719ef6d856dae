#!/bin/sh
# A program that reports everything it can see of itself reports the same when traced, except for what cannot be hidden:
# getppid, TracerPid, and with the seccomp filter the fields Seccomp and Seccomp_filters. The same holds for a program
# of another user: no_new_privs is not set. (The case setuid has set-user-ID programs.)
# tier: gate
# timeout: 90
# needs: python3
. "$TESTS/lib/lib.sh"
report native "$BIN/self" a 'b c' ''
[ $st = 0 ] || fail "the program without kvis: $st"
for opt in "--no-accel --faults" "" "-v --json=json" "-e trace=openat" -c "--backend=ptrace -e trace=openat"; do
    report traced "$KVIS" trace $opt -- "$BIN/self" a 'b c' ''
    status 0
    case $opt in
    --no-accel*) diff native traced >&9 || fail "not neutral with '$opt'" ;;
    *) grep -v 'Seccomp' native >native2; grep -v 'Seccomp' traced >traced2
        diff native2 traced2 >&9 || fail "not neutral with '$opt'" ;;
    esac
done
# A signal that libc keeps for itself, ignored by whoever has started kvis.
cat >ignore.py <<'END'
import ctypes, os, sys
nr = {"x86_64": 13, "aarch64": 134}[os.uname().machine]
ignored = (ctypes.c_ulong * 4)(1, 0, 0, 0)
if ctypes.CDLL(None).syscall(nr, 33, ignored, None, ctypes.c_ulong(8)):
    sys.exit("33 cannot be ignored")
os.execvp(sys.argv[1], sys.argv[1:])
END
report native python3 ignore.py "$BIN/self"
grep -q 'SigIgn:.*[13579bdf].\{8\}$' native || fail "33 is not ignored"
report traced python3 ignore.py "$KVIS" trace -- "$BIN/self"
grep -v 'Seccomp\|^children ' native >native2; grep -v 'Seccomp\|^children ' traced >traced2 # (python3 may be a script that leaves some)
diff native2 traced2 >&9 || fail "not neutral with 33 ignored"

[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || { say "not root: not as another user"; exit 0; }
for_nobody
cp "$BIN/self" self && chmod 755 self
$user ./self >native 2>err 9>&- </dev/null || fail "cannot run as another user"
grep -v Seccomp native >native2
for opt in --no-accel "" -v; do
    as_user trace $opt -- ./self </dev/null
    status 0
    grep -v Seccomp out | diff native2 - >&9 || fail "not neutral with '$opt'"
done
