#!/bin/sh
# -e, -z, -Z, -x and -P show exactly the calls that they select. Calls that -e trace= excludes are not shown as zero: in text and
# JSON, the summary omits values that depend on them. A regular expression applies as a whole, however long it is; an expression that
# is invalid or matches no call is an error with its reason, and the command does not run.
# tier: gate asan
# timeout: 90
# needs: /bin/kill
. "$TESTS/lib/lib.sh"
names() { js "sorted({c['name'] for c in E if c['type'] == 'syscall'})"; }
# Most selections are made on a recording, which shows what the live run would have shown (see the case replay).
mkdir in
cd in || exit 1
fresh() { rm -rf -- *; }
for scene in names failing; do
    fresh
    gives 0 trace -v -w ../$scene.kvis -- "$BIN/chg" $scene
done
only() { # only 'names in JSON' ARG...
    wanted=$1; shift
    fresh
    gives 0 trace -v --json=json "$@" -- "$BIN/chg" names
    eq "$*" "$wanted" "$(names)"
    run replay -v --json=json "$@" ../names.kvis
    eq "replay $*" "$wanted" "$(names)"
}
only "['openat']" -e openat
only "['link', 'linkat']" -e 'trace=/^link(at)?$'
only "[]" -e trace=none
some_of() { run replay -v --json=json -e "trace=$1" ../names.kvis; }
some_of openat,mkdir,mkdirat; eq "a list" "['mkdir', 'mkdirat', 'openat']" "$(names)"
some_of /^mkdir; eq "a start" "['mkdir', 'mkdirat']" "$(names)"
some_of 'openat,?nosuchcall'; eq "a call that may be unknown" "['openat']" "$(names)"
fresh
run trace -v --json=json -e trace=%file -- "$BIN/chg" names
want "{'openat', 'mkdir', 'rename', 'symlink', 'unlinkat', 'execve'} <= {c['name'] for c in E if c['type'] == 'syscall'}"
want "not {'write', 'mmap', 'brk', 'exit_group'} & {c['name'] for c in E if c['type'] == 'syscall'}"
some_of file,memory # classes without the %, as strace had them
want "{'openat', 'mmap'} <= {c['name'] for c in E if c['type'] == 'syscall'} and not calls('write')"
fresh
run trace -v --json=json -e 'trace=!openat,write' -- "$BIN/chg" names
want "not calls('openat') and not calls('write') and calls('mkdir') and calls('mmap')"
some_of '!%file'
want "not calls('openat') and not calls('mkdir') and calls('write')"
run replay -v --json=json -e openat -e mkdir ../names.kvis
want "calls('openat') or calls('mkdir')"
for bad in trace=nosuchcall nosuchcall trace=%nosuchclass 'trace=/[' status=nonsense trace= what=ever; do
    gives 2 trace -e "$bad" -- /bin/true
    eq "-e $bad: lines" 1 "$(grep -c '^kvis: ' err)"
    has err "$(echo "$bad" | sed 's/.*[=%]//;s/\[/\\[/')"
done
fresh
run trace -v --json=json -e status=failed -- "$BIN/opens" calls
want "len(calls('openat')) >= 6 and all(c['error'] for c in E if c['type'] == 'syscall')"
hasnt err '<0\.000000[>:]' # what is shorter than 1 us has nanoseconds
# A connect under way has not failed, for lines as for counts, by both backends.
cat >away.py <<'P'
import socket
for flags in socket.SOCK_NONBLOCK, 0:  # under way; a refusal
    print(socket.socket(socket.AF_INET, socket.SOCK_STREAM | flags).connect_ex(("127.0.0.1", 1)))
P
for b in $(backends); do
    run trace -v --backend=$b -e trace=connect -e status=failed -- python3 away.py
    hasnt err EINPROGRESS
    run trace -v --backend=$b -e trace=connect -e status=successful -- python3 away.py
    has err 'connect\(.* = -1 EINPROGRESS'
    for option in -Z -z; do
        run trace -c $option --backend=$b -e trace=connect -- python3 away.py
        eq "what connect returns" "115 111" "$(echo $(cat out))"
        eq "$b $option" 1 "$(awk '$NF == "connect" { n = $4 } END { print n + 0 }' err)"
    done
done
# Calls without an event are shown as with -v.
run trace -e trace=getppid -- /bin/sh -c :
has err 'getppid\(\) += [0-9]+'
for opt in -Z -x --failed-only; do
    run replay -v $opt ../failing.kvis
    has err 'openat\(.*here/under.* = -1 ENOTDIR'
    hasnt err '(openat|close|mmap)\(.* = [0-9]'
done
for opt in -z '-e status=successful' --successful-only; do
    run replay -v $opt --json=json ../failing.kvis
    hasnt err ' = -1 E'
    has err 'openat\(.* = 3'
    want "all(not c['error'] for c in E if c['type'] == 'syscall')"
done
fresh
run trace --json=json -P '*/data' -- "$BIN/io" files
want "{e['filename'] for e in by('write')} <= {'$PWD/data'} and sum(e['bytes'] for e in by('write') if 'error' not in e) == 195"
want "all(e['path'].endswith('/data') for e in by('open'))"
fresh
run trace -e trace=openat --json=json -- "$BIN/io" files # without -v: events of those calls
want "len(by('open', path='$PWD/data')) == 1 and not by('mmap') and not by('syscall')"

# -e status= and signal=, as strace(1) has them. exit_group never returns: it is unfinished.
status_of() { # status_of SET: which ways of ending are there
    gives 0 replay -v --json=json -e "status=$1" ../failing.kvis
    js "sorted({'none' if c['ret'] is None else 'bad' if c['error'] else 'ok' for c in E if c['type'] == 'syscall'})"
}
eq successful "['ok']" "$(status_of successful)"
eq failed "['bad']" "$(status_of failed)"
eq unfinished "['none']" "$(status_of unfinished)"
want "[c['name'] for c in E if c['type'] == 'syscall'] == ['exit_group']"
has err 'exit_group\(0\) += \?'; hasnt err 'openat\('
eq unavailable "[]" "$(status_of unavailable)"
eq detached "[]" "$(status_of detached)"
eq '!successful' "['bad', 'none']" "$(status_of '!successful')"
eq two "['none', 'ok']" "$(status_of successful,unfinished)"
eq '!failed,unfinished' "['ok']" "$(status_of '!failed,unfinished')"
eq all "['bad', 'none', 'ok']" "$(status_of all)"
eq none "[]" "$(status_of none)"
eq '!none' "['bad', 'none', 'ok']" "$(status_of '!none')"
for s in detached '!detached'; do # what kvis lets go of in the middle of a call
    run trace -v -d 1 --until-exit --no-accel --json=json -e status=$s -e trace=/nanosleep -- /bin/sleep 2
    eq "status=$s" $([ $s = detached ] && echo 1 || echo 0) "$(js "len([c for c in E if c['type'] == 'syscall'])")"
done
for only in -z -Z --min-duration=1us "-P /dev/null"; do # the table of -C is there, of those calls
    gives 0 trace -C $only -- /bin/sh -c 'cat </dev/null; cat nosuch; exit 0'
    has err ' usecs/call '
done
run trace -v --json=json --min-duration=100ms -- sleep 0.2
want "calls('clock_nanosleep') and all(c['duration_ns'] is None or c['duration_ns'] >= 10**8 for c in by('syscall'))"
signals() { js "'+'.join(sorted({e['signal'] for e in by('signal')}))"; }
sends='trap : USR1 USR2 36; kill -USR1 $$; kill -USR2 $$; /bin/kill -36 $$; exit 0' # and SIGCHLD comes
run trace --json=json -e signal=usr1,SIGUSR2 -- /bin/sh -c "$sends"
eq live 'SIGUSR1+SIGUSR2' "$(signals)"
run trace -w ../signals.kvis -- /bin/sh -c "$sends"
signals_of() { # signals_of SET: which signals are shown
    gives 0 replay --json=json -e "signal=$1" ../signals.kvis
    signals
}
eq all 'SIGCHLD+SIGRT_4+SIGUSR1+SIGUSR2' "$(signals_of all)"
eq none '' "$(signals_of none)"
eq names 'SIGUSR1+SIGUSR2' "$(signals_of usr1,SIGUSR2)"
eq numbers 'SIGRT_4+SIGUSR1' "$(signals_of 10,36)"
eq '!' 'SIGCHLD+SIGRT_4' "$(signals_of '!USR1,SIGUSR2')"
eq 'as glibc counts' 'SIGRT_4+SIGUSR1' "$(signals_of USR1,RTMIN+2)"
eq 'the first' '' "$(signals_of RTMIN,sigrtmax)"
eq 'from the end' 'SIGRT_4' "$(signals_of sigrtmax-28)"
eq '!all' '' "$(signals_of '!all')"
for bad in status= status=ok status=failed,nope 'status=!' signal= signal=NOPE signal=0 signal=65 signal=9x signal=RTMIN+ signal=RTMIN+31 signal=RTMAX+1 'signal=USR1,none'; do
    gives 2 trace -e "$bad" -- /bin/true
    has err '^kvis: --trace: .*allowed values'
done

for accel in "" --no-accel; do
    gives 0 trace $accel -C -e trace=openat --json=json -- /bin/sh -c 'cat /etc/passwd >copy; kill -0 $$'
    hasnt err '^  (files|network) '
    want "'file_bytes_read' not in S and S['exit_code'] == 0"
    want "{e['type'] for e in E} <= {'open', 'exec', 'spawn_process', 'exit_thread', 'exit_process', 'signal'}"
    want "S['syscalls'] == len(by('open')) and len(by('open', path='/etc/passwd')) == 1"
    run trace $accel -c -e trace=openat -- /bin/sh -c 'cat /etc/passwd >copy'
    has err ' openat$'; hasnt err ' (execve|close|read|clone|vfork)$'
done
run trace --json=json -- cat /etc/passwd
want "S['file_bytes_read'] > 0"

any= # 62 characters that match every name: only the text after them decides
for i in 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1; do any="$any.*"; done
for backend in $(backends); do
    for regex in "$any^close\$" '^clo{1}se$' 'nothing|^c[[:lower:]]ose$|none'; do
        gives 0 trace -v -q --backend=$backend -e "trace=/$regex" --json=json -- cat /dev/null
        want '{c["name"] for c in by("syscall")} == {"close"}'
    done
    gives 0 trace -v -q --backend=$backend -e "trace=!/$any^close\$" --json=json -- cat /dev/null
    want '"openat" in {c["name"] for c in by("syscall")} and "close" not in {c["name"] for c in by("syscall")}'
done
refused() { # refused EXPR REASON
    gives 2 trace -e "trace=$1" -- touch not-there
    has err "^kvis: --trace: .*$2"
    [ ! -e not-there ] || fail "the command ran"
}
refused "/$any(" 'is not a valid regular expression: .+'
refused "?/a\\" 'is not a valid regular expression: .+'
refused "close,/${any}nosuch" "no system call or class is named '/\.\*"
refused "/$(head -c 5000 /dev/zero | tr '\0' x)" "no system call or class is named '/xxx"
