# blocked: a call that kvis meets with -p by ptrace has no duration on any architecture (arm64 and riscv64 restore its registers).
# kernels: x86-6.1 arm64 riscv64
# timeout: 60
. /tests/lib.sh
mkfifo gate
cat <gate >/dev/null &
pid=$!
exec 8>gate
until_true 20 grep -q '^\(63\|0\) ' /proc/$pid/syscall # read(2)
sleep 0.5
kvis trace -v -p $pid --backend=ptrace --json=json -o text 2>err 8>&- &
kvis=$!
until_true 20 grep -q '"type":"blocked"' json
t_has "the call is known" json '"type":"blocked","call":"read","fd":0,'
echo x >&8
until_true 20 grep -q '"name":"write"' json
exec 8>&-
wait $kvis
t_is "exit status" 0 $?
t_is "durations of read(2): only the second is known" 2 "$(grep '"name":"read"' json | sed 's/.*"duration_ns":\([a-z0-9]*\).*/\1/' | sed '1s/null/first/; 2s/[0-9]\{5,\}/second/' | grep -c 'first\|second')"
