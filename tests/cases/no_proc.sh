#!/bin/sh
# kvis works alone in a directory without /proc and /dev, and does not report a resource as healthy if it cannot see it there.
# tier: gate
# timeout: 60
# needs: root unshare
# covers: O5
. "$TESTS/lib/lib.sh"
mkdir root root/bin
cp "$KVIS" root/kvis
${CC:-cc} -static -o root/bin/true -x c - 2>/dev/null <<'C' || skip "no static libc"
#include <fcntl.h>
#include <unistd.h>
int main(void) { int fd = open("made", O_CREAT | O_WRONLY, 0600); return write(fd, "12345", 5) != 5; }
C
unshare -m chroot root /kvis trace --json=/json -- /bin/true >out 2>err 9>&- </dev/null
st=$?
status 0
cp root/json json
want "by('open', path='/made') and sum(e['bytes'] for e in by('write', filename='/made')) == 5"
for opt in -v -c --faults --no-accel; do
    unshare -m chroot root /kvis trace $opt -- /bin/true >out 2>err 9>&- </dev/null || fail "$opt: $?"
done
# by ptrace, too: who did it, only /proc could tell
bare_open() { unshare -m chroot root /kvis open --backend=ptrace -o /rows --json=/json "$@" -- /bin/true >out 2>err 9>&- </dev/null; st=$?; }
bare_open -U; status 0
has root/rows '^n/a +[0-9]+ +true +3 +0 made$'
cp root/json json
want "[(e['name'], e.get('uid')) for e in by('open', call='execve') + by('open', name='made')] == [('/bin/true', None), ('made', None)]"
bare_open -u 0; status 125
has err '^kvis: -u: the ptrace backend reads users of processes from /proc, which is not mounted; fix: mount '
unshare -m chroot root /kvis proc --backend=ptrace -- /bin/true >out 2>err 9>&- </dev/null && fail "proc by ptrace"
has err '^kvis: kvis proc with the ptrace backend reads arguments and times from /proc, which is not mounted; fix: mount '
unshare -m chroot root /kvis diagnose -d 0.2 >out 2>err 9>&- </dev/null || fail "diagnose: $?"
has out '^kvis diagnose: [0-9.]+ s of .* \(Linux [^ ,]*\)$' # how many CPUs is not known
has out '^No metric can be read here'
hasnt out 'Nothing is saturated'
