# strace: kvis trace -v sees each call, result, file, byte, process and signal that strace sees.
# kernels: arm64
# with: strace
# timeout: 240
. /tests/lib.sh
# (On x86_64 the case trace_strace does this on the host, with larger programs.)

t_both_sh 300
for scene in forks vfork; do t_both "proc.$scene" "$BIN/proc" "$scene"; done
echo "# $(cut -d " " -f 1 /proc/uptime) s"
t_both threads "$BIN/diff_threads"
echo "# $(cut -d " " -f 1 /proc/uptime) s"
for scene in dup kinds cloexec; do t_both "fd.$scene" "$BIN/fd" "$scene"; done
t_both io.files "$BIN/io" files
t_both mem.maps "$BIN/mem" maps
