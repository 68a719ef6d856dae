# nest: vectors, messages and sets are read by BPF, and agree with those from ptrace.
# kernels: all
# timeout: 60
. /tests/lib.sh

t_needs_hybrid
nests() { # nests FILE: the calls with nested arguments, without numbers that differ between runs
    sed -n 's/^\[[^]]*\] //; s/ <[0-9][^<>]*>$//; s/pid=[0-9]*/pid/g; s/\(pipe\|socket\):\[[0-9]*\]/\1/g; s/0x[0-9a-f]\{6,\}/address/g; s/, left {[^}]*}//; s/ \{1,\}= / = /
        s/^\(process_vm_[a-z]*\)([0-9]*/\1(pid/; /^p\{0,1\}\(readv\|writev\|select\)/p; /^\(sendm\|recvm\|vmsplice\|process_vm\)/p' "$1"
}
for b in ptrace hybrid; do
    echo | kvis trace -v --backend=$b -o $b -- "$BIN/nest" >nest.out 2>&1
    t_is "nest by $b: exit status" 0 $?
    rm -f a\ name* of\ the*
    nests $b >$b.calls
done
t_is "nest: the calls" 1 $(($(wc -l <ptrace.calls) > 200))
t_ok "nest: the same by both backends" diff ptrace.calls hybrid.calls
