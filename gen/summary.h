/* summary.h: the numbers and lists of the summary. This file is written by hand; section st_ of kvis.c turns it into
 * tables, over which JSON, recordings, replay and diff iterate. Recordings contain the names of numbers, but not the
 * names of columns: a change of the recorded columns, or of the order of columns, needs a new REC_VERSION. */
#ifndef KVIS_SUMMARY_H
#define KVIS_SUMMARY_H

/* Each number of the summary has a key in JSON (NULL: not in JSON), a name in recordings and in the JSON of kvis diff
 * (NULL: derived from other numbers), a member of struct summary, and a condition for showing it (enum st_known). */
#define SUMMARY_NUMBERS(X) \
    X("duration_ns", "duration_ns", duration_ns, ALWAYS) \
    X("file_bytes_read", "file_in", file_in, IO) \
    X("file_bytes_written", "file_out", file_out, IO) \
    X("net_bytes_sent", "net_out", net_out, IO) \
    X("net_bytes_received", "net_in", net_in, IO) \
    X("other_bytes_read", "other_in", other_in, IO) \
    X("other_bytes_written", "other_out", other_out, IO) \
    X("files_read", NULL, files_read, FILES) \
    X("files_written", NULL, files_written, FILES) \
    X("syscalls", "syscalls", syscalls, CALLS) \
    X("events", NULL, events, ALWAYS) \
    X("lost", "lost", lost, LOST) \
    X("processes", "processes", processes, TREE) \
    X("threads", "threads", threads, MODEL) \
    X("commands", "commands", commands, COMMANDS) \
    X("cpu_ns", "cpu_ns", cpu_ns, CPU) \
    X("user_cpu_ns", "user_cpu_ns", user_ns, CPU_PARTS) \
    X("system_cpu_ns", "system_cpu_ns", system_ns, CPU_PARTS) \
    X("peak_rss_bytes", "max_rss", max_rss, PEAK) \
    X("most_processes", "most_processes", most_processes, MODEL) \
    X(NULL, "ended", ended, RECORDED) \
    X("exited_nonzero", "exited_nonzero", exited_nonzero, MODEL) \
    X("killed", "killed", killed, MODEL) \
    /* orphans: processes whose parent exited before them and did not wait(2) for them */ \
    X("orphans", "orphans", orphans, MODEL) \
    X("page_faults", "faults", faults, FAULTS) \
    X("page_fault_bytes", NULL, fault_bytes, FAULTS) \
    X("major_faults", "major_faults", major_faults, MAJOR) \
    /* no_major: 1 if kvis cannot see major page faults in this run */ \
    X(NULL, "no_major", no_major, STATE) \
    X("lost_faults", "fault_lost", fault_lost, FAULTS) \
    X("unreadable", "unreadable", unreadable, CALLS) \
    X("io_uring_submitted", "uring", uring, URING) \
    X("io_uring_results", "uring_done", uring_done, URING_DONE) \
    X("lost_io_uring", "uring_lost", uring_lost, LOST_URING) \
    X("records", "records", records, CALLS) \
    /* waits_lost: lost records of waits for a CPU; text has a line for such long waits only */ \
    X("lost_waits", "waits_lost", waits_lost, LOST_WAITS) \
    X("throttle_stops", "throttled", throttled, THROTTLED) \
    X("stops", "stops", stops, STOPS) \
    /* *_overflow, *_dropped, *_other: numbers of entries that did not fit into a table or list */ \
    X("names_dropped", "names_dropped", names_dropped, MODEL) \
    X("names_dropped_most_bytes", "dropped_most", dropped_most, MODEL) \
    /* left_open: number of descriptors that were open when their process ended, even if open_at_exit is full */ \
    X(NULL, "left_open", left_open, RECORDED) \
    X(NULL, "files_dropped", files_dropped, RECORDED) \
    X(NULL, "peers_dropped", peers_dropped, RECORDED) \
    X(NULL, "connections_dropped", connections_dropped, RECORDED) \
    X("subprocesses_overflow", "programs_other", programs_other, MODEL) \
    X("failed_other", "failed_other", failed_other, CALLS) \
    /* late_connects: calls of connect(2) that returned EINPROGRESS and failed later */ \
    X(NULL, "late_connects", late_connects, RECORDED) \
    X(NULL, "where_other", where_other, RECORDED) \
    X(NULL, "untabled", untabled, RECORDED) \
    /* tables: 1 if the run counted calls for the table of -c, 2 if also for that of --by=pid */ \
    X(NULL, "tables", tables, STATE) \
    /* not_run: the exit status of kvis if it could not run the command; text then has no summary */ \
    X(NULL, "not_run", not_run, STATE) \
    /* lost_unknown: 1 if kvis could not read the counters of its BPF programs */ \
    X(NULL, "lost_unknown", lost_unknown, STATE)

/* Columns of the lists. C: a column that is a member of the row's struct. The arguments are the struct, the member, the
 * type (enum st_type), the sinks that show the column (COL_), and the key in JSON (NULL: not in JSON, or the row has
 * only this value). P: a column that is computed from the whole row. */
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
    C(st_where, row, CALL, BOTH, "name") \
    C(st_where, time.calls, NUMBER, BOTH, "calls") C(st_where, time.ns, NUMBER, BOTH, "duration_ns") \
    C(st_where, time.cpu, NUMBER, BOTH, "on_cpu_ns") C(st_where, time.runq, NUMBER, BOTH, "runq_ns") \
    C(st_where, time.disk, NUMBER, BOTH, "disk_ns") P(BLOCKED, JSON, "other_ns") C(st_where, on, NAME, BOTH, "on")
#define DELAYS_COLUMNS(C, P) \
    C(st_delays, count, NUMBER, RECORDED, NULL) C(st_delays, sum_ns, NUMBER, RECORDED, NULL) \
    C(st_delays, max_ns, NUMBER, RECORDED, NULL) C(st_delays, hist, COUNTS, RECORDED, NULL)
#define IO_COLUMNS(C, P) \
    C(st_io, took.count, NUMBER, RECORDED, NULL) C(st_io, took.sum_ns, NUMBER, RECORDED, NULL) \
    C(st_io, took.max_ns, NUMBER, RECORDED, NULL) C(st_io, read, NUMBER, RECORDED, NULL) \
    C(st_io, written, NUMBER, RECORDED, NULL) C(st_io, lost, NUMBER, RECORDED, NULL) \
    C(st_io, took.hist, COUNTS, RECORDED, NULL)
#define TOOK_COLUMNS(C, P) \
    C(st_row, row, CALL, BOTH, "name") C(st_row, calls, NUMBER, BOTH, "calls") \
    C(st_row, ns, NUMBER, BOTH, "duration_ns") C(st_row, known.calls, NUMBER, RECORDED, NULL) \
    C(st_row, known.ns, NUMBER, RECORDED, NULL) C(st_row, known.cpu, NUMBER, RECORDED, NULL) \
    C(st_row, known.runq, NUMBER, RECORDED, NULL) C(st_row, known.disk, NUMBER, RECORDED, NULL)
#define CHOSEN_COLUMNS(C, P) \
    C(st_row, row, CALL, RECORDED, NULL) C(st_row, calls, NUMBER, RECORDED, NULL) \
    C(st_row, errors, NUMBER, RECORDED, NULL) C(st_row, ns, RETURNED, RECORDED, NULL) \
    C(st_row, max_ns, NUMBER, RECORDED, NULL) C(st_row, hist, HIST, RECORDED, NULL)
#define CALLER_COLUMNS(C, P) \
    C(st_caller, pid, SIGNED, RECORDED, NULL) C(st_caller, comm, TEXT, RECORDED, NULL) \
    C(st_caller, calls, NUMBER, RECORDED, NULL) C(st_caller, errors, NUMBER, RECORDED, NULL) \
    C(st_caller, ns, NUMBER, RECORDED, NULL)
#define PROCESS_COLUMNS(C, P) \
    C(st_process, pid, SIGNED, BOTH, "pid") C(st_process, comm, TEXT, BOTH, "comm") \
    C(st_process, ns, NUMBER, BOTH, "duration_ns") C(st_process, ended, TEXT, BOTH, "ended")

/* The lists of the summary, in the order of JSON. struct st_list of kvis.c describes the members of an entry. COLS: the
 * columns of the list. ROWS: the rows are a table with the given maximum size. ONE: the table has a single row. NAMES:
 * the rows are the names that the given function selects; the second argument counts dropped names. */
#define SUMMARY_LISTS \
    { "files", "files_overflow", .known = ST_MODEL, COLS(FILE), NAMES(st_is_file, files_dropped) }, \
    { "peers", "peers_overflow", .known = ST_MODEL, COLS(PEER), NAMES(st_is_peer, peers_dropped) }, \
    { "connections", "connections_overflow", .known = ST_MODEL, COLS(CONNECTION), \
      NAMES(st_is_connection, connections_dropped) }, \
    { "subprocesses", NULL, .known = ST_MODEL, .record = REC_PROGRAM, COLS(PROGRAM), \
      ROWS(program, ST_PROGRAMS), .n = AT(n_programs) }, \
    { "failed", NULL, .known = ST_CALLS, .record = REC_FAILED, COLS(FAILED), ROWS(failed, ST_ERRNOS), \
      .sparse = true, .add = st_add_failed }, \
    { "open_at_exit", "open_at_exit_count", AT(left_open), .known = ST_MODEL, .record = REC_LEFT, COLS(LEFT), \
      ROWS(left, ST_LEFT_OPEN), .n = AT(n_left) }, \
    { "where_time_went", "where_time_went_overflow", AT(where_other), .known = ST_TIMES, .record = REC_WHERE, \
      COLS(WHERE), ROWS(where, ST_WHERE), .sparse = true, .top = st_where_top, .add = st_add_where }, \
    { .known = ST_TIMES, .record = REC_DELAYS, COLS(DELAYS), ONE(delays), .n = AT(n_delays), \
      .json = st_json_times }, \
    { .known = ST_BLOCK_IO, .record = REC_IO, COLS(IO), ONE(io), .n = AT(n_io), \
      .json = st_json_block_io }, \
    { "time_in_calls", NULL, .known = ST_CALLS, .record = REC_TOOK, COLS(TOOK), ROWS(row, ST_ROWS), \
      .sparse = true, .add = st_add_row }, \
    { .known = ST_RECORDED, .record = REC_ROW, COLS(CHOSEN), ROWS(chosen, ST_ROWS), .sparse = true, \
      .add = st_add_chosen }, \
    { .known = ST_RECORDED, .record = REC_CALLER, COLS(CALLER), ROWS(caller, ST_CALLERS), \
      .n = AT(n_callers), .add = st_add_caller }, \
    { "longest_processes", NULL, .known = ST_MODEL, .record = REC_LONGEST, COLS(PROCESS), \
      ROWS(longest, ST_PROCESSES), .n = AT(n_longest) }, \
    { "failed_processes", NULL, .known = ST_MODEL, .record = REC_FAILED_PROCESS, COLS(PROCESS), \
      ROWS(failed_process, ST_PROCESSES), .n = AT(n_failed_processes) },

#endif
