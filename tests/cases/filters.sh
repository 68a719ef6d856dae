#!/bin/sh
# timeout: 90
# What -e, -z, -Z, -x and -P let through.
. "$TESTS/lib.sh"
names() { js "sorted({c['name'] for c in E if c['type'] == 'syscall'})"; }
only() { # only 'names in JSON' ARG...
    wanted=$1; shift
    run trace -v --json=json "$@" -- "$BIN/chg" names
    status 0
    eq "$*" "$wanted" "$(names)"
}
rm -rf d e; fresh() { rm -rf ./*; }
fresh; only "['openat']" -e openat
fresh; only "['openat']" -e trace=openat
fresh; only "['mkdir', 'mkdirat', 'openat']" -e trace=openat,mkdir,mkdirat
fresh; only "['mkdir', 'mkdirat']" -e trace=/^mkdir
fresh; only "['link', 'linkat']" -e 'trace=/^link(at)?$'
fresh; only "['openat']" -e 'trace=openat,?nosuchcall'
fresh; only "[]" -e trace=none
for class in file desc network memory process signal ipc creds clock; do
    fresh
    run trace -v --json=json -e trace=%$class -- "$BIN/chg" names
    status 0
done
fresh
run trace -v --json=json -e trace=%file -- "$BIN/chg" names
want "{'openat', 'mkdir', 'rename', 'symlink', 'unlinkat', 'execve'} <= {c['name'] for c in calls('openat') + E if c['type'] == 'syscall'}"
want "not {'write', 'mmap', 'brk', 'exit_group'} & {c['name'] for c in E if c['type'] == 'syscall'}"
fresh
run trace -v --json=json -e trace=file,memory -- "$BIN/chg" names # classes without the %, as strace had them
want "{'openat', 'mmap'} <= {c['name'] for c in E if c['type'] == 'syscall'} and not calls('write')"
fresh
run trace -v --json=json -e 'trace=!openat,write' -- "$BIN/chg" names
want "not calls('openat') and not calls('write') and calls('mkdir') and calls('mmap')"
fresh
run trace -v --json=json -e 'trace=!%file' -- "$BIN/chg" names
want "not calls('openat') and not calls('mkdir') and calls('write')"
fresh
run trace -v --json=json -e openat -e mkdir -- "$BIN/chg" names
want "calls('openat') or calls('mkdir')"
for bad in trace=nosuchcall nosuchcall trace=%nosuchclass 'trace=/[' status=nonsense trace= what=ever; do
    run trace -e "$bad" -- /bin/true
    status 2
    eq "-e $bad: lines" 1 "$(grep -c '^kvis: ' err)"
    has err "$(echo "$bad" | sed 's/.*[=%]//;s/\[/\\[/')"
done
fresh
run trace -v --json=json -e status=failed -- "$BIN/chg" failing
want "len(calls('openat')) >= 6 and all(c['error'] for c in E if c['type'] == 'syscall')"
for opt in -Z -x --failed-only; do
    fresh
    run trace -v $opt -- "$BIN/chg" failing
    has err 'openat\(.*absent.* = -1 ENOENT'
    hasnt err '(openat|close|mmap)\(.* = [0-9]'
done
for opt in -z '-e status=successful' --successful-only; do
    fresh
    run trace -v $opt --json=json -- "$BIN/chg" failing
    hasnt err ' = -1 E'
    has err 'openat\(.* = 3'
    want "all(not c['error'] for c in E if c['type'] == 'syscall')"
done
fresh
run trace -v --json=json -P "$PWD/d/*" -- "$BIN/chg" names
has err 'unlinkat\(.*x'
has err 'renameat\(.*"b3"' # into d
hasnt err '"b"|mmap|getcwd'
fresh
run trace --json=json -P '*/data' -- "$BIN/io" files
want "{e['filename'] for e in by('write')} <= {'$PWD/data'} and sum(e['bytes'] for e in by('write')) == 195"
want "all(e['path'].endswith('/data') for e in by('open'))"
fresh
run trace -e trace=openat --json=json -- "$BIN/io" files # without -v: events of those calls
want "len(by('open', path='$PWD/data')) == 1 and not by('mmap') and not by('syscall')"
