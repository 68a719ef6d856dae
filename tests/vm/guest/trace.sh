# trace: common uses of `kvis trace`, with busybox and its pipelines, as root and as an ordinary user.
# kernels: all
# timeout: 60
. /tests/lib.sh

pipeline='echo one two >f; cat f | tr a-z A-Z | tee g; (exit 3); echo $? >>g; cat nothere; ls / | sort >h'

both() { # both WHO RUN: the tests as user WHO; RUN is the command that switches to this user
    who=$1 run=$2
    mkdir "$who"
    chmod 777 "$who"
    cd "$who" || exit
    t_run $run kvis trace --json=json -- sh -c "$pipeline"
    t_is "$who: output" "ONE TWO" "$(cat out)"
    t_is "$who: exit status" 0 "$st"
    t_json "$who: the tree of processes" json "len(by('exit_process')) >= 6 and S['lost'] == 0 and S['exit_code'] == 0"
    t_json "$who: the file written" json "sum(e['bytes'] for e in by('write', filename='$PWD/f')) == 8"
    t_json "$who: and read" json "[f['bytes_read'] for f in S['files'] if f['path'] == '$PWD/f'] == [8]"
    t_json "$who: what is not there" json "[e['error'] for e in by('open', path='$PWD/nothere')] == ['ENOENT']"
    t_ok "$who: -v" $run kvis trace -v -- cat f
    t_has "$who: -v names the call" err 'openat\(AT_FDCWD, "f", O_RDONLY.*= 3'
    t_has "$who: -v has the bytes" err 'sendfile(64)?\(.*= 8'
    t_ok "$who: -c" $run kvis trace -c -- sh -c 'cat f; cat f'
    t_has "$who: -c counts" err '^ .*read'
    cd ..
}
both root ''
both user user

printf '#!/bin/sh\nwhile :; do cat /proc/self/stat >/dev/null; done\n' >loop
sh loop &
target=$!
children() { [ "$(grep -c '"type":"exec"' json 2>/dev/null)" -gt 3 ]; }
(until_true 15 children; kill $target) &
t_ok "root: -p follows a shell and its children" kvis trace --json=json -p $target
t_json "and their children" json "len({e['pid'] for e in by('exec')}) > 2 and S['lost'] == 0"
t_json "to the shell's end" json "by('exit_process', exit_pid=$target)[0]['signal'] == 'SIGTERM'"
