#!/bin/sh
# -u runs the command as another user, with that user's groups and HOME. It and the hybrid backend depend on capabilities, not
# on user ID 0; the command that -u runs does not inherit them.
# tier: gate asan
# timeout: 60
# needs: root setpriv
. "$TESTS/lib/lib.sh"
chmod 777 .
gives 0 trace -u nobody --json=json -- /bin/sh -c 'id -u; id -g; id -un; echo x >mine'
eq "id" "65534 65534 nobody" "$(tr '\n' ' ' <out | sed 's/ $//')"
eq "owner" nobody "$(stat -c %U mine)"
want "by('open', path='$PWD/mine')"
run trace -u 65534 -- /bin/sh -c 'id -u; cat /proc/self/status'
has out '^65534$'; has out 'CapEff:.0+$'

# Root without CAP_SYS_PTRACE, as in containers: process_vm_readv(2) is refused for the other user, ptrace(2) is not.
setpriv --bounding-set=-sys_ptrace --inh-caps=-all "$KVIS" trace --backend=ptrace -v -u nobody --json=json -- cat /etc/passwd >out 2>err 9>&-
eq "status without CAP_SYS_PTRACE" 0 $?
want "by('open', path='/etc/passwd')"
want "[e for e in by('syscall', name='openat') if e['args'][1] == '/etc/passwd']"
# All groups that list the user, however long their line and however many they are.
id -G nobody >/dev/null || exit 1
python3 - <<'END'
many = ",".join(f"member{i:05}" for i in range(2000))
with open("group", "w") as f:
    f.write("nogroup:x:65534:\n")
    f.write(f"first:x:70001:nobody,{many}\nlast:x:70002:{many},nobody\nmiddle:x:70003:{many},nobody,{many}\n")
    f.write(f"none:x:70004:{many}\nnot:x:70005:nobody2,xnobody\n")
    f.writelines(f"g{i}:x:{80000 + i}:nobody\n" for i in range(600))
with open("passwd", "w") as f:
    f.write(f"long:x:4000:4000:{'x' * 8000}nobody:x:0:0::/:/bin/sh\n") # one line, of a user with a long name
    f.write("nobody:x:65534:65534:nobody:/:/bin/sh\n")
END
unshare -m sh -c 'mount --bind group /etc/group && mount --bind passwd /etc/passwd && exec "$@"' sh \
    "$KVIS" trace -u nobody -- id -G >out 2>err 9>&- || fail "with another /etc/group"
{ echo 65534; seq 70001 70003; seq 80000 80599; } | tr '\n' ' ' | sed 's/ $//' >want
tr ' ' '\n' <out | sort -n | tr '\n' ' ' | sed 's/ $//' >got
cmp -s want got || fail "groups: $(wc -w <got) of $(wc -w <want)"

# Lines without a valid uid and gid are ignored: a uid of 0 would be root.
printf '%s\n' 'root:x:0:0::/:/bin/sh' bob carl:x dave:x:: erin:x:1234:5x gina:x::1:::: hal:x:4294967296:1:::: ida:x:1234::::: \
    fine:x:1234:1235::/:/bin/sh >passwd
for user in bob carl dave erin gina hal ida 4294967296 no-such-user-here fine; do
    unshare -m sh -c 'mount --bind passwd /etc/passwd && exec "$@"' sh "$KVIS" trace -qq --backend=ptrace -u $user -- id -u >out 2>err 9>&-
    if [ $user = fine ]; then eq "uid of $user" 1234 "$(cat out)"; else eq "uid of $user" "" "$(cat out)"; has err "no user $user in /etc/passwd"; fi
done
printf 'none:x::fine\nbig:x:4294967296:fine\nlast:x:66:bob,fine' >group # no newline at the end
unshare -m sh -c 'mount --bind group /etc/group && mount --bind passwd /etc/passwd && exec "$@"' sh \
    "$KVIS" trace -qq -u fine -- id -G >out 2>err 9>&-
eq "groups of malformed lines" "1235 66" "$(cat out)"
needs_hybrid
caps=+sys_admin,+bpf,+perfmon,+sys_ptrace,+setuid,+setgid,+dac_override,+dac_read_search
as() { # as CAPS CMD...: as nobody, with these capabilities
    with=$1; shift
    setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$with" --ambient-caps "$with" "$@"
}
as $caps "$KVIS" trace --json=json -- /bin/sh -c 'id -u' >out 2>err 9>&-
eq "as nobody with all capabilities" "0 65534" "$? $(cat out)"
want "S['backend'] == 'hybrid'"
as $caps "$KVIS" trace -u daemon -- /bin/sh -c 'id -u; cat /proc/self/status' >out 2>err 9>&- || fail "-u"
eq "-u daemon" "$(id -u daemon)" "$(head -n 1 out)"
has out '^CapEff:.0+$'; has out '^CapPrm:.0+$'; has out '^CapAmb:.0+$'
as +setuid,+setgid "$KVIS" trace --backend=hybrid -- /bin/true >out 2>err 9>&-
eq "without CAP_BPF and CAP_SYS_ADMIN" 125 $?
has err '^kvis: --backend=hybrid: BPF needs root, or CAP_BPF and CAP_PERFMON'
