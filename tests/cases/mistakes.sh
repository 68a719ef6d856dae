#!/bin/sh
# Each common mistake gives the right exit status and one line with what failed, why, and the fix.
# After a mistake in an option, the usage of that option or of the command follows.
# tier: gate asan
# timeout: 60
# needs: python3
. "$TESTS/lib/lib.sh"
mkdir dir
"$KVIS" trace -q -w a.kvis -- true 2>err 9>&- || fail "trace -w"
echo 'something else altogether' >notes
: >empty.kvis
head -c 200 a.kvis >cut.kvis
python3 - <<'END'
import recording
data = open("a.kvis", "rb").read()
blocks = [block for _, block in recording.blocks(data)]
open("newer.kvis", "wb").write(recording.join(recording.head(99), blocks))
# The last record is REC_END, with a status of 0: another type in its place, of which only a later kvis knows.
blocks[-1] = blocks[-1][:-2] + bytes([200]) + blocks[-1][-1:]
open("kind.kvis", "wb").write(recording.join(data[:recording.HEAD], blocks))
END

# exit status, command line, and message on stderr (after "kvis: ")
while IFS='|' read -r want args regex; do
    gives "$want" $args </dev/null
    [ "$want" = 0 ] && continue
    has err "^kvis: .*$regex"
    eq "lines" 1 "$(grep -c '^kvis: [^t]' err)"
done <<'END'
2|trcae ls|no command 'trcae'; did you mean trace\?
2|mon|no command 'mon'; did you mean monitor\?
2|ls -l|no command 'ls' .*kvis trace -- ls
2|-v ls|no command '-v': options go after
2|help trac|no command 'trac'; did you mean trace\?
2|completion csh|'csh': allowed values: bash.zsh.fish
2|trace|a command or -p PID
2|trace -vo -- true|--output: '': a value is missing
2|trace -p abc|--attach: 'abc': not a process ID
2|trace --version|no option '--version'; did you mean kvis --version\?
2|trace --pid 1|no option '--pid'; did you mean --attach\?
2|trace --timeout=3 true|no option '--timeout=3'; did you mean --duration\?
2|trace --report r.html true|--report: the value must follow an '='; fix: --report=r.html
127|trace --backend=ptrace -q r.html true|cannot run r.html: not found in PATH
0|trace -q -d 9.5 true|
0|monitor -d 0.01 -c load|
2|trace -d 0.001 true|--duration: '0.001': SECS is a number of seconds from 0.01 to
2|trace -s 99999999 true|N must be a number from 0 to 65536
2|trace --ring=18014398509481985M true|not a power of two
2|trace -e status=bad true|'status=bad': allowed values: successful
2|trace -e signal=FOO true|'signal=FOO': allowed values:
2|trace -p 1 -- true|a command, -p PID, --all and --cgroup cannot be combined
125|trace --backend=hybrid -p 1|--backend=hybrid works only for a command; fix: omit the option, or use --backend=observe
2|trace --backend=ptrace -w same -o same true|same: kvis already uses this file
2|replay -w a.kvis a.kvis|a.kvis: kvis already uses this file
125|trace --backend=ptrace -w no/x true|cannot write no/x: No such file or directory
125|trace --backend=ptrace -w dir true|cannot write dir: Is a directory
2|replay|one recording
2|replay a.kvis cut.kvis|one recording
2|replay --tree a.kvis|--tree: a.kvis was not recorded by kvis proc
125|replay nosuch|cannot read nosuch: No such file
125|replay dir|dir: cannot be read: Is a directory
125|replay notes|notes: is not a kvis recording
125|replay empty.kvis|empty.kvis: is empty
125|replay newer.kvis|newer.kvis: was written by a newer kvis: it has format version 99, but this kvis reads
1|replay kind.kvis|kind.kvis: was probably written by a newer kvis.*unknown record type 200
125|replay -c a.kvis|a.kvis has no system calls; fix: record with
0|diff a.kvis -- a.kvis|
0|replay -q a.kvis --|
2|replay a.kvis -- cut.kvis|one recording
125|diff a.kvis notes|notes: is not a kvis recording
2|monitor -p 1 ls|cannot be combined
2|monitor -i 0.001|--interval: '0.001': SECS is a number of seconds from 0.01 to 100000000
2|monitor -i 1x|--interval: '1x': SECS is a number of seconds from 0.01 to 100000000
2|monitor -i 100000001|--interval: '100000001': SECS is a number of seconds from 0.01 to 100000000
2|monitor -c ,cpu|',cpu': unknown collector
2|monitor -c proc,cgroup|-c: the proc source needs -p PID, and cgroup needs --cgroup PATH
2|monitor -n 0|COUNT must be a number from 1
2|monitor -c foo|'foo': unknown collector; groups: cpu, sched.*; for sources, see kvis help monitor --man
2|monitor --listen=99999|'99999': allowed values: PORT \(at most 65535\) or ADDR:PORT
125|monitor -n 1 --listen=192.0.2.1:9|port 9: .*no interface has this address
125|monitor -n 1 -p 4194303|no process 4194303
125|monitor -n 1 --cgroup no/such|--cgroup no/such: no cgroup
2|monitor --csv --json|both write to stdout; fix: --json=FILE
125|open -p 4194303 -d 1|no process 4194303
125|open -t 4194303 -d 1|no thread 4194303
2|open -f O_FOO|not an open.2. flag
2|open -u root|'root': not a user ID \(id -u
END

# The command line, what kvis says, and the last line: the row of help, or the usage of the command.
"$KVIS" trace --help >help 2>&9 9>&-
while IFS='~' read -r args regex row; do
    gives 2 $args </dev/null
    has err "^kvis: .*$regex"
    of=$(sed -n "s/^ *\($row\)  */\1  /p" help)
    eq "kvis $args" "usage: ${of:-$row}" "$(tail -n 1 err)"
    eq "lines" 2 "$(wc -l <err)"
done <<'END'
trace -d 1m true~--duration: '1m': SECS is a number of seconds from~-d, --duration=SECS
trace --durration=3 true~no option '--durration=3'; did you mean --duration\?~-d, --duration=SECS
trace -e opne true~no system call or class is named 'opne'~-e, --trace=EXPR
trace --color=red true~'red': allowed values: auto.always.never~--color=WHEN
trace --json= true~a file name is missing~--json\[=FILE\]
trace --verbose=3 true~--verbose: '3': takes no value~-v, --verbose
trace -p~--attach: '': a value is missing~-p, --attach=PID
trace -p 1 true~cannot be combined~-p, --attach=PID
trace --output -- true~--output: '': a value is missing~-o, --output=FILE
trace -W true~no option '-W'~kvis trace [options] [--] COMMAND [ARG...]  |  -p PID [options]
diff --xyzzyfoo a b~no option '--xyzzyfoo'~kvis diff [options] A.kvis B.kvis
relpay a.kvis~did you mean replay~kvis replay [options] FILE.kvis
diff a.kvis~two recordings~kvis diff [options] A.kvis B.kvis
END
cmp -n 8 a.kvis cut.kvis || fail "a recording was written over"
"$KVIS" replay a.kvis >out 2>err || fail "a recording was written over"

# without rights
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || exit 0
gives 125 trace -o "$(head -c 3000 /dev/zero | tr '\0' x)" true
has err '^kvis: cannot write x+\.\.\. File ?name too long$'
for_nobody
mkdir mine && touch mine/a.kvis && chmod 700 mine
while IFS='|' read -r want args regex; do
    as_user $args </dev/null
    status "$want"
    has err "^kvis: .*$regex"
done <<END
125|trace -o mine/x true|cannot write mine/x: Permission denied
125|trace -u root true|only root can run a command as another user
125|trace --backend=hybrid true|--backend=hybrid: BPF needs root
125|replay mine/a.kvis|cannot read mine/a.kvis: Permission denied
125|proc -d 1|cannot watch processes: .*fix: run kvis as root
END
