/* events.h: the kinds of events and their fields. Text, JSON, recordings, replay, the report and Perfetto's trace use
 * these rows. To add a kind of event, add a row of EVENT_KINDS here and, in section md_ of kvis.c, the function that
 * fills it; model= in the call's row of tables/syscalls.tbl names this function. Recordings contain the names of kinds
 * and fields; therefore the order of rows does not matter. */
#ifndef KVIS_EVENTS_H
#define KVIS_EVENTS_H

/* The fields of events: name, type (enum ev_type of kvis.c), key in JSON. */
#define EVENT_FIELDS(X) \
    X(path, STR, "path") X(new_path, STR, "new_path") X(target, STR, "target") \
    X(writable, BOOL, "writable") X(access, SYM, "access") X(fd, NUM, "fd") X(kind, SYM, "kind") \
    X(bytes_read, SIZE, "bytes_read") X(bytes_written, SIZE, "bytes_written") \
    X(age_ns, NUM, "age_ns") X(opener_pid, NUM, "opener_pid") X(sock_type, SYM, "sock_type") \
    X(remote_addr, STR, "remote_addr") X(local_addr, STR, "local_addr") \
    X(in_progress, BOOL, "in_progress") X(backlog, NUM, "backlog") X(how, SYM, "how") \
    X(growth_bytes, SIZE, "growth_bytes") X(addr, ADDR, "addr") X(end_addr, ADDR, "end_addr") \
    X(size, SIZE, "size") X(prot, SYM, "prot") X(map_type, STR, "map_type") \
    X(old_addr, ADDR, "old_addr") X(old_size, SIZE, "old_size") X(bytes, SIZE, "bytes") \
    X(filename, STR, "filename") X(fd_kind, SYM, "target") X(src_name, STR, "src_name") \
    X(dst_name, STR, "dst_name") X(to_network, BOOL, "to_network") X(mode, SYM, "mode") \
    X(uid, NUM, "uid") X(gid, NUM, "gid") X(child_pid, NUM, "child_pid") \
    X(child_tid, NUM, "child_tid") X(ns_pid, NUM, "ns_pid") X(comm, STR, "comm") \
    X(program, STR, "program") X(argv, ARGV, "argv") X(argv_cut, BOOL, "argv_cut") \
    X(exit_pid, NUM, "exit_pid") X(code, NUM, "code") X(signal, SYM, "signal") \
    X(core, BOOL, "core") X(code_name, SYM, "code") X(sender_pid, NUM, "sender_pid") \
    X(region_name, STR, "region_name") X(region_start, ADDR, "region_start") \
    X(count, NUM, "count") X(dir, BOOL, "dir") X(name, STR, "name") X(call, SYM, "call") \
    X(flags, STR, "flags") X(duration_ns, DUR, "duration_ns") X(mode_bits, NUM, "mode") \
    X(abi, SYM, "abi") X(delay_ns, DUR, "delay_ns") X(cpu, NUM, "cpu") \
    X(name_changed, BOOL, "name_changed") X(path_from, SYM, "path_from") X(cpu_ns, DUR, "cpu_ns") \
    X(max_rss_bytes, SIZE, "max_rss_bytes") X(op, SYM, "op") X(device, STR, "device") \
    X(queue_ns, NUM, "queue_ns") X(more, BOOL, "more") X(value, ADDR, "value") \
    X(child_code, NUM, "child_code") X(child_signal, SYM, "child_signal") \
    X(server, STR, "server") X(answer, STR, "answer") X(failure, SYM, "failure") X(result, NUM, "result") \
    X(details, SYM, "details") X(creates, BOOL, "creates")

/* --perfetto: PX_ constants and names of the counters, and of the categories and arguments that events lack. The order
 * of rows is that of the trace. */
#define PERFETTO_COUNTERS(X) \
    X(HEAP, "heap") X(MAPPED, "mapped") X(READ, "bytes read") X(WRITTEN, "bytes written") \
    X(RECEIVED, "bytes received") X(SENT, "bytes sent") X(FILES, "open files") X(RSS, "RSS") X(MAX_RSS, "max RSS")
#define PERFETTO_CATEGORIES(X) \
    X(SYSCALL, "syscall") X(COMMAND, "command") X(COUNTER, "counter") X(FLOW, "flow") X(BLOCK, "block I/O") \
    X(QUEUE, "block queue") X(URING, "io_uring") X(OPEN, "open file") X(STATE, "state")
#define PERFETTO_ARGS(X) \
    X(ARGS, "args") X(RET, "ret") X(ERROR, "error") X(ON_CPU, "on_cpu_ns") X(RUNQ, "runq_ns") X(DISK, "disk_ns") \
    X(PID, "pid")

/* The events that change a counter: kind, counter, field, and how: 1 adds the field's value, -1 subtracts it, 0
 * adds 1, and IS sets the counter to the value. */
#define PERFETTO_COUNTS(X) \
    X(BRK, HEAP, growth_bytes, 1) X(MMAP, MAPPED, size, 1) X(MUNMAP, MAPPED, size, -1) \
    X(MREMAP, MAPPED, size, 1) X(MREMAP, MAPPED, old_size, -1) X(READ, READ, bytes, 1) X(WRITE, WRITTEN, bytes, 1) \
    X(RECV, RECEIVED, bytes, 1) X(SEND, SENT, bytes, 1) X(OPEN, FILES, fd, 0) X(ACCEPT, FILES, fd, 0) \
    X(RSS, RSS, bytes, IS) X(EXIT_PROCESS, MAX_RSS, max_rss_bytes, IS)

/* The kinds of events: EK_ constant, category, treatment in text output (enum ev_how), name in JSON, line of text, and
 * fields in the order of JSON. In a line, {field} is a value and {field:8} a right-aligned value. A line can have
 * alternatives, separated by '|': text output uses the first alternative whose fields all have values. NULL: text
 * output omits the event. */
#define EVENT_KINDS(X) \
    X(OPEN, FILE, 0, "open", "open {path} ({access})", \
      EV_path, EV_writable, EV_access, EV_creates, EV_fd, EV_dir, EV_name, EV_comm, EV_uid, EV_call, EV_flags, \
      EV_mode_bits, EV_duration_ns, EV_abi, EV_name_changed, EV_path_from) \
    X(CLOSE, FILE, 0, "close", NULL, \
      EV_fd, EV_path, EV_kind, EV_bytes_read, EV_bytes_written, EV_age_ns, EV_opener_pid) \
    X(LIST, FILE, 0, "list", "list {path} ({count} {how})|list {path}", \
      EV_path, EV_count, EV_more) \
    X(CONNECT, NET, 0, "connect", "connect {sock_type} → {remote_addr}", \
      EV_sock_type, EV_remote_addr, EV_local_addr, EV_fd, EV_in_progress, EV_duration_ns) \
    X(ACCEPT, NET, 0, "accept", \
      "accept {sock_type} {path} ← {remote_addr}|accept {sock_type} {path}" \
      "|accept {sock_type} ← {remote_addr}|accept {sock_type}", \
      EV_sock_type, EV_remote_addr, EV_local_addr, EV_fd, EV_path) \
    X(BIND, NET, 0, "bind", "bind {sock_type} {local_addr}", \
      EV_sock_type, EV_local_addr, EV_fd) \
    X(LISTEN, NET, 0, "listen", "listen {sock_type} {local_addr}|listen {sock_type}", \
      EV_sock_type, EV_local_addr, EV_backlog, EV_fd) \
    X(SHUTDOWN, NET, 0, "shutdown", "shutdown {sock_type} {remote_addr} ({how})|shutdown ({how})", \
      EV_sock_type, EV_remote_addr, EV_how, EV_fd) \
    X(BRK, MEM, 0, "brk", "brk {growth_bytes:8} heap", \
      EV_growth_bytes) \
    X(MMAP, MEM, 0, "mmap", \
      "mmap {size:9}  {map_type} ({prot}) at 0x{addr}-0x{end_addr}|mmap {size:9}  {map_type}", \
      EV_addr, EV_end_addr, EV_size, EV_prot, EV_map_type) \
    X(MUNMAP, MEM, 0, "munmap", "munmap {addr}-{end_addr} {size:8}", \
      EV_addr, EV_end_addr, EV_size) \
    X(MREMAP, MEM, 0, "mremap", "mremap {old_addr} {old_size} → {addr} {size}|mremap {old_addr}", \
      EV_addr, EV_end_addr, EV_size, EV_old_addr, EV_old_size) \
    X(MPROTECT, MEM, 0, "mprotect", "mprotect {addr}-{end_addr} {prot} {size:8}", \
      EV_addr, EV_end_addr, EV_size, EV_prot) \
    X(READ, FILE, EVENT_RUNS, "read", "read {bytes:9}  {filename}|read {filename}", \
      EV_bytes, EV_filename, EV_fd, EV_fd_kind) \
    X(WRITE, FILE, EVENT_RUNS, "write", "write {bytes:8}  {filename}|write {filename}", \
      EV_bytes, EV_filename, EV_fd, EV_fd_kind) \
    X(SEND, NET, EVENT_RUNS, "send", \
      "send {bytes:8} → {remote_addr} on {path}|send {bytes:8} → {remote_addr}" \
      "|send {bytes:8} on {path}|send {bytes:8}" \
      "|send → {remote_addr} on {path}|send → {remote_addr}|send on {path}|send", \
      EV_bytes, EV_fd, EV_sock_type, EV_remote_addr, EV_path, EV_name) \
    X(RECV, NET, EVENT_RUNS, "recv", \
      "recv {bytes:8} ← {remote_addr} on {path}|recv {bytes:8} ← {remote_addr}" \
      "|recv {bytes:8} on {path}|recv {bytes:8}" \
      "|recv ← {remote_addr} on {path}|recv ← {remote_addr}|recv on {path}|recv", \
      EV_bytes, EV_fd, EV_sock_type, EV_remote_addr, EV_path, EV_name) \
    X(RESOLVE, NET, EVENT_WITH_CALLS, "resolve", \
      "resolve {name} {kind} → {server}: {answer}|resolve {name} {kind} → {server} failed: {failure}" \
      "|resolve {name} {kind} → {server}", \
      EV_name, EV_kind, EV_server, EV_answer, EV_failure, EV_fd, EV_duration_ns) \
    X(COPY, FILE, 0, "copy_file_range", "copy {bytes:8}  {src_name} → {dst_name}|copy {src_name} → {dst_name}", \
      EV_bytes, EV_src_name, EV_dst_name) \
    X(SENDFILE, FILE, 0, "sendfile", \
      "sendfile {bytes:8}  {src_name} → {dst_name}|sendfile {src_name} → {dst_name}", \
      EV_bytes, EV_src_name, EV_dst_name, EV_to_network) \
    X(SPLICE, FILE, 0, "splice", "splice {bytes:8}  {src_name} → {dst_name}|splice {src_name} → {dst_name}", \
      EV_bytes, EV_src_name, EV_dst_name) \
    X(TEE, FILE, 0, "tee", "tee {bytes:8}  {src_name} → {dst_name}|tee {src_name} → {dst_name}", \
      EV_bytes, EV_src_name, EV_dst_name) \
    X(VMSPLICE, FILE, 0, "vmsplice", "vmsplice {bytes:8}  {filename}|vmsplice {filename}", \
      EV_bytes, EV_filename, EV_fd) \
    X(UNLINK, FILE, 0, "unlink", "unlink {path}", \
      EV_path) \
    X(RMDIR, FILE, 0, "rmdir", "rmdir {path}", \
      EV_path) \
    X(RENAME, FILE, 0, "rename", "rename {path} → {new_path} ({how})|rename {path} → {new_path}", \
      EV_path, EV_new_path, EV_how) \
    X(LINK, FILE, 0, "link", "link {path} → {new_path}", \
      EV_path, EV_new_path) \
    X(SYMLINK, FILE, 0, "symlink", "symlink {path} → {target}", \
      EV_path, EV_target) \
    X(MKDIR, FILE, 0, "mkdir", "mkdir {path} ({mode})", \
      EV_path, EV_mode) \
    X(MKNOD, FILE, 0, "mknod", "mknod {path} ({details})|mknod {path} ({mode})", \
      EV_path, EV_mode, EV_details) \
    X(TRUNCATE, FILE, 0, "truncate", "truncate {path} to {size}", \
      EV_path, EV_size) \
    X(CHMOD, FILE, 0, "chmod", "chmod {path} {mode}", \
      EV_path, EV_mode) \
    X(CHOWN, FILE, 0, "chown", "chown {path} {uid}:{gid}", \
      EV_path, EV_uid, EV_gid) \
    X(CHANGE, FILE, 0, "change", \
      "{call} {op} {path} ({details})|{call} {op} {path}|{call} {path} ({details})|{call} {path}|{call} {op}" \
      "|{call} ({details})|{call}", \
      EV_call, EV_op, EV_path, EV_details) \
    X(SPAWN, PROC, 0, "spawn_process", \
      "spawn process {child_pid} ({ns_pid} in its PID NS)|spawn process {child_pid}", \
      EV_child_pid, EV_ns_pid, EV_comm) \
    X(THREAD, PROC, 0, "spawn_thread", \
      "spawn thread {child_tid} ({ns_pid} in its PID NS)|spawn thread {child_tid}", \
      EV_child_tid, EV_ns_pid) \
    X(EXEC, PROC, 0, "exec", "exec {argv}|exec {program}", \
      EV_program, EV_argv, EV_argv_cut, EV_uid) \
    X(EXIT_THREAD, PROC, 0, "exit_thread", NULL, \
      EV_exit_pid, EV_code, EV_signal, EV_cpu_ns) \
    X(EXIT_PROCESS, PROC, EVENT_WITH_CALLS, "exit_process", "exit {code}|killed by {signal}|exit", \
      EV_exit_pid, EV_code, EV_signal, EV_core, EV_cpu_ns, EV_max_rss_bytes, EV_bytes_read, \
      EV_bytes_written, EV_comm) \
    X(SIGNAL, SIG, EVENT_WITH_CALLS, "signal", \
      "signal {signal} from {sender_pid} ({ns_pid} in its PID NS)" \
      "|signal {signal} from {sender_pid}: exit {child_code}" \
      "|signal {signal} from {sender_pid}: {code_name} {child_signal}" \
      "|signal {signal} from {sender_pid}, value 0x{value}" \
      "|signal {signal} from {sender_pid}|signal {signal} ({code_name}) @ 0x{addr}" \
      "|signal {signal} ({code_name}: {call})|signal {signal} ({code_name}), value 0x{value}" \
      "|signal {signal} ({code_name})", \
      EV_signal, EV_code_name, EV_sender_pid, EV_ns_pid, EV_addr, EV_value, EV_child_code, \
      EV_child_signal, EV_call) \
    X(FAULT, MEM, EVENT_WITH_CALLS, "fault", \
      "{kind} fault in {region_name} @ {addr} ({prot})" \
      "|fault in {region_name} @ {addr} ({prot})" \
      "|{kind} fault in {region_name} memory @ {addr}" \
      "|fault in {region_name} memory @ {addr}", \
      EV_addr, EV_region_name, EV_prot, EV_kind) \
    X(FAULT_GROUP, MEM, EVENT_WITH_CALLS, "fault_group", \
      "{count} {kind} faults in {region_name} @ {region_start} ({prot})" \
      "|{count} faults in {region_name} @ {region_start} ({prot})" \
      "|{count} {kind} faults in {region_name} memory @ {addr}" \
      "|{count} faults in {region_name} memory @ {addr}", \
      EV_count, EV_region_name, EV_region_start, EV_addr, EV_prot, EV_kind) \
    X(SCHED, PROC, 0, "sched_delay", "waited {delay_ns} for CPU {cpu}", \
      EV_delay_ns, EV_cpu) \
    X(BLOCKED, PROC, 0, "blocked", "in {call} {filename}|in {call}", \
      EV_call, EV_fd, EV_filename, EV_fd_kind) \
    X(LOST, MEM, EVENT_WITH_CALLS, "lost", "{count} {how}", \
      EV_count, EV_how) \
    X(SYSCALL, CALL, 0, "syscall", NULL, EV_comm) /* section out_ formats this kind */ \
    X(BLOCK, FILE, 0, "block_io", \
      "block I/O {duration_ns} ({bytes}) {device} {op}|block I/O {duration_ns} {op}", \
      EV_device, EV_op, EV_bytes, EV_duration_ns, EV_queue_ns) \
    X(URING, FILE, EVENT_WITH_CALLS, "io_uring", \
      "io_uring {op} {bytes}  {filename}|io_uring {op} {filename}|io_uring {op} {bytes}|io_uring {op}", \
      EV_op, EV_fd, EV_filename, EV_fd_kind, EV_bytes, EV_result, EV_duration_ns) \
    X(RSS, MEM, 0, "rss", NULL, \
      EV_bytes)

#endif
