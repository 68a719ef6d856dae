#!/bin/sh
# Hostile file names cannot send commands to a terminal, break JSON, or run a script in a report.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/truth.sh"
for KVOPT in "" -v --no-filter; do
    each truth ptr hostile
    # of control characters only the newline; no C1, no bidi controls, and valid UTF-8
    python3 - hostile/err <<'P' >&9 || fail "text with bytes that a terminal obeys"
import sys
text = open(sys.argv[1], "rb").read().decode("utf-8", errors="strict")
bad = {hex(ord(c)) for c in text if (c < " " and c != "\n") or "\x7f" <= c < "\xa0" or c in "\u202e\u200b\u2028\ufeff"}
print("control characters:", bad) if bad else None
sys.exit(bool(bad))
P
    has hostile/err 'esc\\x1b\[31mred'
    has hostile/err 'new\\nline'
    has hostile/err 'bad\\xff\\xfeutf'
    has hostile/err 'fine ä€'
done
run trace --color=always -v -o text -- "$BIN/ptr" hostile
python3 -c "
import re, sys
t = open('text', 'rb').read().decode()
left = re.sub('\x1b\\[[0-9;]*m', '', t)
sys.exit('\x1b' in left or '\x1b[31mred' in t)" || fail "an escape sequence of the program's"
