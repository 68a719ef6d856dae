#!/bin/sh
# The hybrid backend and -u depend on capabilities, not on user ID 0; the command that -u runs does not inherit them.
# tier: gate asan
# timeout: 60
# needs: root setpriv
. "$TESTS/lib/lib.sh"
chmod 777 .
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
