/* summary.h: the numbers and the lists that a summary has, by hand. Text, JSON, recordings, replay and
 * diff walk them (kvis.c, section st_). Recordings name the numbers; columns that are recorded keep their order. */
#ifndef KVIS_SUMMARY_H
#define KVIS_SUMMARY_H

/* A number: its key in JSON; its name in recordings and in diff's JSON (NULL: it is made of what is recorded); where it
 * is; when it is known (enum st_known); its line of text, where it has one of its own. */
#define SUMMARY_NUMBERS(X) \
    X("duration_ns", "duration_ns", st_run.duration_ns, ALWAYS, NULL) \
    X("file_bytes_read", "file_in", st.file_in, IO, "Files read:") \
    X("file_bytes_written", "file_out", st.file_out, IO, "Files written:") \
    X("net_bytes_sent", "net_out", st.net_out, IO, "Net sent:") \
    X("net_bytes_received", "net_in", st.net_in, IO, "Net received:") \
    X("other_bytes_read", "other_in", st.other_in, OTHER_IO, "Other read:") \
    X("other_bytes_written", "other_out", st.other_out, OTHER_IO, "Other written:") \
    X("files_read", NULL, st.files_read, FILES, NULL) \
    X("files_written", NULL, st.files_written, FILES, NULL) \
    X("syscalls", "syscalls", st.syscalls, CALLS, NULL) \
    X("events", NULL, out.events, ALWAYS, NULL) \
    X("lost", "lost", st_run.lost, ALWAYS, NULL) \
    X("processes", "processes", ps.processes, TREE, NULL) \
    X("threads", "threads", ps.threads, MODEL, NULL) \
    X("commands", "commands", st_run.commands, COMMANDS, NULL) \
    X("cpu_ns", "cpu_ns", st_run.cpu_ns, CPU, NULL) \
    X("user_cpu_ns", "user_cpu_ns", st_run.user_ns, CPU_PARTS, NULL) \
    X("system_cpu_ns", "system_cpu_ns", st_run.system_ns, CPU_PARTS, NULL) \
    X("peak_rss_bytes", "max_rss", st.max_rss, PEAK, NULL) \
    X("most_processes", "most_processes", ps.most_processes, MODEL, NULL) \
    X(NULL, "ended", st.ended, RECORDED, NULL) \
    X("exited_nonzero", "exited_nonzero", st.exited_nonzero, MODEL, NULL) \
    X("killed", "killed", st.killed, MODEL, NULL) \
    X("orphans", "orphans", st.orphans, MODEL, NULL) \
    X("page_faults", "faults", st.faults, FAULTS, NULL) \
    X("page_fault_bytes", NULL, st.fault_bytes, FAULTS, NULL) \
    X("major_faults", "major_faults", st.major_faults, MAJOR, NULL) \
    X(NULL, "no_major", st.no_major, RECORDED, NULL) \
    X("lost_faults", "fault_lost", st.fault_lost, FAULTS, NULL) \
    X("unreadable", "unreadable", mem.unreadable, CALLS, NULL) \
    X("io_uring_submitted", "uring", st.uring, URING, NULL) \
    X("io_uring_results", "uring_done", st.uring_done, URING_DONE, NULL) \
    X("lost_io_uring", "uring_lost", st.uring_lost, URING_DONE, NULL) \
    X("records", "records", st_run.records, CALLS, NULL) \
    X("throttle_stops", "throttled", st_run.throttled, MODEL, NULL) \
    X("stops", "stops", st_run.stops, STOPS, NULL) \
    X("bpf_ns", "bpf_ns", st_run.bpf_ns, BPF, NULL) \
    X("bpf_runs", "bpf_runs", st_run.bpf_runs, BPF, NULL) \
    /* what the tables and lists had no room for */ \
    X("names_overflow", "names_overflow", nm.overflow, MODEL, NULL) \
    X("mappings_overflow", "mappings_overflow", vm.overflow, MODEL, NULL) \
    X("names_dropped", "names_dropped", st.names_dropped, MODEL, NULL) \
    X("names_dropped_most_bytes", "dropped_most", st.dropped_most, MODEL, NULL) \
    X(NULL, "files_dropped", st.files_dropped, RECORDED, NULL) \
    X(NULL, "peers_dropped", st.peers_dropped, RECORDED, NULL) \
    X(NULL, "connections_dropped", st.connections_dropped, RECORDED, NULL) \
    X("subprocesses_overflow", "programs_other", st.programs_other, MODEL, NULL) \
    X("failed_other", "failed_other", st.failed_other, CALLS, NULL) \
    X(NULL, "where_other", st.where_other, RECORDED, NULL) \
    X(NULL, "untabled", st.untabled, RECORDED, NULL)

/* Columns of the lists. C: the row's struct and member, its type (enum st_type), the sinks that have it (COL_), its key
 * in JSON (NULL: not there, or all that a row is). P: what is made of the row as a whole. */
#define FILE_COLUMNS(C, P) \
    P(PATH, JSON, "path") C(name, kind, KIND, JSON, "kind") C(name, in_bytes, NUMBER, JSON, "bytes_read") \
    C(name, out_bytes, NUMBER, JSON, "bytes_written") C(name, opens, NUMBER, JSON, "opens")
#define PEER_COLUMNS(C, P) \
    P(SOCK_TYPE, JSON, "sock_type") P(ADDRESS, JSON, "remote_addr") C(name, out_bytes, NUMBER, JSON, "bytes_sent") \
    C(name, in_bytes, NUMBER, JSON, "bytes_received")
#define CONNECTION_COLUMNS(C, P) \
    P(CONNECTION, JSON, NULL)
#define PROGRAM_COLUMNS(C, P) \
    P(FILE, BOTH, NULL)
#define FAILED_COLUMNS(C, P) \
    C(st_failed, row, CALL, BOTH, "name") C(st_failed, err, ERROR, BOTH, "error") \
    C(st_failed, count, NUMBER, BOTH, "count")
#define LEFT_COLUMNS(C, P) \
    C(st_left, pid, SIGNED, BOTH, "pid") C(st_left, fd, SIGNED, BOTH, "fd") C(st_left, kind, KIND, BOTH, "kind") \
    C(st_left, comm, TEXT, RECORDED, NULL) C(st_left, sock, WORD, BOTH, "sock_type") \
    C(st_left, name, NAME, BOTH, "path")
#define WHERE_COLUMNS(C, P) \
    C(st_where, row, CALL, ALL, "name") C(st_where, on, NAME, RECORDED, NULL) \
    C(st_where, calls, NUMBER, ALL, "calls") C(st_where, ns, NUMBER, ALL, "duration_ns") \
    C(st_where, cpu, NUMBER, ALL, "on_cpu_ns") C(st_where, runq, NUMBER, ALL, "runq_ns") \
    C(st_where, disk, NUMBER, ALL, "disk_ns") P(REST, JSON, "other_ns") C(st_where, on, NAME, JSON, "on")
#define DELAYS_COLUMNS(C, P) \
    C(st_delays, count, NUMBER, RECORDED, NULL) C(st_delays, sum_ns, NUMBER, RECORDED, NULL) \
    C(st_delays, max_ns, NUMBER, RECORDED, NULL) C(st_delays, hist, COUNTS, RECORDED, NULL)
#define IO_COLUMNS(C, P) \
    C(st_io, took.count, NUMBER, RECORDED, NULL) C(st_io, took.sum_ns, NUMBER, RECORDED, NULL) \
    C(st_io, took.max_ns, NUMBER, RECORDED, NULL) C(st_io, read, NUMBER, RECORDED, NULL) \
    C(st_io, written, NUMBER, RECORDED, NULL) C(st_io, lost, NUMBER, RECORDED, NULL) \
    C(st_io, took.hist, COUNTS, RECORDED, NULL)
#define TOOK_COLUMNS(C, P) \
    C(st_took, row, CALL, BOTH, "name") C(st_took, calls, NUMBER, BOTH, "calls") \
    C(st_took, ns, NUMBER, BOTH, "duration_ns")
#define PROCESS_COLUMNS(C, P) \
    C(st_process, pid, SIGNED, BOTH, "pid") C(st_process, comm, TEXT, BOTH, "comm") \
    C(st_process, ns, NUMBER, BOTH, "duration_ns") C(st_process, ended, TEXT, BOTH, "ended")

/* The lists, in their order in text and JSON: struct st_list of kvis.c says what the columns are. COLS: which columns
 * they have; ROWS: a table of so many rows; NAMES: the names that are such, and how many of them were dropped. */
#define SUMMARY_LISTS \
    { "files", "files_overflow", .known = ST_MODEL, COLS(FILE), NAMES(st_is_file, &st.files_dropped), \
      .text = st_text_top_files }, \
    { "peers", "peers_overflow", .known = ST_MODEL, COLS(PEER), NAMES(st_is_peer, &st.peers_dropped) }, \
    { "connections", "connections_overflow", .known = ST_MODEL, COLS(CONNECTION), \
      NAMES(st_is_connection, &st.connections_dropped), .text = st_text_connections }, \
    { "subprocesses", NULL, .known = ST_MODEL, .record = REC_PROGRAM, COLS(PROGRAM), \
      ROWS(st.program, ST_PROGRAMS), .n = &st.n_programs }, \
    { "failed", NULL, .known = ST_CALLS, .record = REC_FAILED, COLS(FAILED), ROWS(st.failed, ST_ERRNOS), \
      .sparse = true, .add = st_add_failed, .text = st_text_failed }, \
    { "open_at_exit", "open_at_exit_count", &st.n_left, .known = ST_MODEL, .record = REC_LEFT, COLS(LEFT), \
      ROWS(st.left, ST_LEFT_OPEN), .n = &st.n_left, .together = true, .text = st_text_left }, \
    { "where_time_went", "where_time_went_overflow", &st.where_other, .known = ST_TIMES, .record = REC_WHERE, \
      COLS(WHERE), ROWS(st.where, ST_WHERE), .sparse = true, .numbered = true, .top = st_where_top, \
      .add = st_add_where, .text = st_text_where }, \
    { .known = ST_TIMES, .record = REC_WAITS, COLS(WHERE), ROWS(st.waits, SC_N), .sums = true, .sparse = true, \
      .add = st_add_waits, .json = st_json_call_time }, \
    { .known = ST_TIMES, .record = REC_DELAYS, COLS(DELAYS), ROWS(&st.delays, 1), .n = &st.n_delays, \
      .text = st_text_waits, .json = st_json_sched }, \
    { .known = ST_BLOCK_IO, .record = REC_IO, COLS(IO), ROWS(&st.io, 1), .n = &st.n_io, \
      .text = st_text_block_io, .json = st_json_block_io }, \
    { "time_in_calls", NULL, .known = ST_CALLS, .record = REC_TOOK, COLS(TOOK), ROWS(st.took, SC_N), \
      .sparse = true, .add = st_add_took }, \
    { "longest_processes", NULL, .known = ST_MODEL, .record = REC_LONGEST, COLS(PROCESS), \
      ROWS(st.longest, ST_PROCESSES), .n = &st.n_longest }, \
    { "failed_processes", NULL, .known = ST_MODEL, .record = REC_FAILED_PROCESS, COLS(PROCESS), \
      ROWS(st.failed_process, ST_PROCESSES), .n = &st.n_failed_processes },

#endif
