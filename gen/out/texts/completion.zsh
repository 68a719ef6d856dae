#compdef kvis opensnoop execsnoop exitsnoop
_kvis() {
  local cmd=$service
  local -a cmds
  cmds=(
  'trace:Show the files, sockets, memory and processes a program asks for'
  'open:Show every file that is opened, on this machine or by COMMAND'
  'replay:Show a recording made with kvis trace -w or kvis proc -w'
  'diff:Compare two recordings: what changed, and where the time went'
  'proc:Show every command that runs: arguments, time, exit status'
  'execsnoop:Show execs as they happen, as bcc'\''s execsnoop does'
  'exitsnoop:Show exits as they happen, as bcc'\''s exitsnoop does'
  'monitor:Show what the CPUs, memory, disks and scheduler of a machine do'
  'diagnose:Find what limits this machine, and which processes cause it'
  'check:Show what works on this machine, and how to fix the rest'
  'help:the options of a command'
  'completion:completions for a shell'
  )
  case $cmd in
  opensnoop) cmd=open ;;
  execsnoop|exitsnoop) ;;
  *)
    if (( CURRENT == 2 )); then
      _describe -t commands command cmds
      return
    fi
    shift words
    (( CURRENT-- ))
    cmd=$words[1] ;;
  esac
  case $cmd in
  trace) _arguments -s -S \
    '*-p+[watch a running process, its threads and new children; repeatable]:PID:_pids' \
    '*--attach=[watch a running process, its threads and new children; repeatable]:PID:_pids' \
    '*--all[show or count (-c) the calls of all processes, without stopping them]' \
    '*--cgroup=[show or count (-c) the calls of this cgroup (v2) and cgroups below it]:PATH:_files' \
    '*-v[print every call, decoded, with its result and time]' \
    '*--verbose[print every call, decoded, with its result and time]' \
    '*-q[print only the summary; -qq\: not even the summary]' \
    '*--quiet[print only the summary; -qq\: not even the summary]' \
    '*-c[print only a table of calls\: errors, time, p50, p99, max]' \
    '*--summary-only[print only a table of calls\: errors, time, p50, p99, max]' \
    '*-C[also print the table of calls, where the time went, and failures, after the summary]' \
    '*--summary[also print the table of calls, where the time went, and failures, after the summary]' \
    '*-i+[print the table every SECS seconds (implies -C, unless -c is given)]:SECS: ' \
    '*--interval=[print the table every SECS seconds (implies -C, unless -c is given)]:SECS: ' \
    '*--by=[also print calls, errors and time of each process]:pid: ' \
    '*-S+[sort the table by time|calls|errors|name|avg-time|p50|p99|max]:KEY:(time calls errors name avg-time p50 p99 max)' \
    '*--summary-sort-by=[sort the table by time|calls|errors|name|avg-time|p50|p99|max]:KEY:(time calls errors name avg-time p50 p99 max)' \
    '*-e+[show only what EXPR selects\: trace=NAME,%class,/regex,?maybe or !set; status=failed,...; signal=NAME,...]:EXPR: ' \
    '*--trace=[show only what EXPR selects\: trace=NAME,%class,/regex,?maybe or !set; status=failed,...; signal=NAME,...]:EXPR: ' \
    '*-P+[show only calls that touch this path, by name or descriptor; repeatable]:GLOB:_files' \
    '*--trace-path=[show only calls that touch this path, by name or descriptor; repeatable]:GLOB:_files' \
    '*-z[show only calls that succeeded]' \
    '*--successful-only[show only calls that succeeded]' \
    '*-Z[show only calls that failed]' \
    '*--failed-only[show only calls that failed]' \
    '*--min-duration=[show only calls that took at least TIME\: 10ms, 2s, 500us]:TIME: ' \
    '*-x[show only calls that failed (as in bcc'\''s tools)]' \
    '*-s+[show at most N bytes of a string (default 32)]:N: ' \
    '*--string-limit=[show at most N bytes of a string (default 32)]:N: ' \
    '*-t[print the time of day; -tt\: with microseconds, -ttt and more\: as seconds since 1970]' \
    '*--absolute-timestamps[print the time of day; -tt\: with microseconds, -ttt and more\: as seconds since 1970]' \
    '*-r[print the time since the previous line; with -t\: both]' \
    '*--relative-timestamps[print the time since the previous line; with -t\: both]' \
    '*--json=-[write JSON lines to FILE; without FILE to stdout, instead of text events]::[=FILE]:_files' \
    '*-o+[write the text to FILE instead of stderr]:FILE:_files' \
    '*--output=[write the text to FILE instead of stderr]:FILE:_files' \
    '*-w+[record the run to FILE, for kvis replay (with -v\: every call)]:FILE:_files' \
    '*--write=[record the run to FILE, for kvis replay (with -v\: every call)]:FILE:_files' \
    '*--report=-[write an HTML page with the whole run (default report.html)]::[=FILE]:_files' \
    '*--max-report-events=[keep the N most important events in the report (default 2000000)]:N: ' \
    '*--perfetto=[write a trace of every call for ui.perfetto.dev]:FILE:_files' \
    '*--chrome-json=[write a trace in Chrome'\''s JSON format, for other viewers]:FILE:_files' \
    '*--folded=[write the time in calls as stacks for flame graphs]:FILE:_files' \
    '*--folded-by=[choose what the stacks of --folded count\: time|cpu|runq|disk|blocked|bytes (default time)]:KEY:(time cpu runq disk blocked bytes)' \
    '*--faults[show page faults, by memory region]' \
    '*--page-faults[show page faults, by memory region (as --faults)]' \
    '*--no-filter[also show start-up, memory, libraries and reads of /proc]' \
    '*--color=[color the text\: auto|always|never]:WHEN:(auto always never)' \
    '*-u+[run the command as USER]:USER:_users' \
    '*--user=[run the command as USER]:USER:_users' \
    '*-E+[set the variable VAR for the command; without =VAL, remove it]:VAR[=VAL]: ' \
    '*--env=[set the variable VAR for the command; without =VAL, remove it]:VAR[=VAL]: ' \
    '*-d+[stop after SECS seconds]:SECS: ' \
    '*--duration=[stop after SECS seconds]:SECS: ' \
    '*--until-exit[end with the command, not with its last descendant]' \
    '*--kill-on-exit[kill all traced processes when kvis ends or is killed]' \
    '*--no-accel[use ptrace without a seccomp filter\: every call stops its thread]' \
    '*--no-follow[trace only the command itself, with ptrace\: no other processes or threads]' \
    '*--same-cpu[run kvis and the command on one CPU\: faster, but the command can see it]' \
    '*--backend=[choose how calls are recorded\: auto|ptrace|hybrid|observe]:NAME:(auto ptrace hybrid observe)' \
    '*--no-ebpf[do not show how long calls waited for a CPU or a disk]' \
    '*--bpf-stats[measure the time of the BPF programs, which makes them slower (hybrid)]' \
    '*--min-sched-delay=[show waits for a CPU of US microseconds or more (default 10000)]:US: ' \
    '*--ring=[set the size of the ring buffer for recorded calls (default 4M; observe\: 16M to 64M)]:SIZE: ' \
    '*-f[follow children (always on)]' \
    '*--follow-forks[follow children (always on)]' \
    '*-y[show descriptors by name (always on)]' \
    '*--decode-fds[show descriptors by name (always on)]' \
    '*-T[print the time of each call (always on with -v)]' \
    '*--syscall-times[print the time of each call (always on with -v)]' \
    '*-h[print this help]' \
    '*--help[print this help]' '(-):command: _command_names -e' '*::arguments:_normal' ;;
  open) _arguments -s -S \
    '*--backend=[choose how COMMAND is followed\: auto|bpf|ptrace (auto\: bpf if possible)]:NAME:(auto bpf ptrace)' \
    '*-T[print the seconds since the first row]' \
    '*--timestamp[print the seconds since the first row]' \
    '*-U[print the user ID]' \
    '*--print-uid[print the user ID]' \
    '*-x[show only opens that failed]' \
    '*--failed[show only opens that failed]' \
    '*-p+[show only this process]:PID:_pids' \
    '*--pid=[show only this process]:PID:_pids' \
    '*-t+[show only this thread]:TID:_pids' \
    '*--tid=[show only this thread]:TID:_pids' \
    '*-u+[show only processes of this user]:UID: ' \
    '*--uid=[show only processes of this user]:UID: ' \
    '*-n+[show only commands whose name contains NAME]:NAME: ' \
    '*--name=[show only commands whose name contains NAME]:NAME: ' \
    '*-f+[show only opens with this flag, such as O_WRONLY; repeatable\: any of the flags matches]:FLAG: ' \
    '*--flag-filter=[show only opens with this flag, such as O_WRONLY; repeatable\: any of the flags matches]:FLAG: ' \
    '*-P+[show only these absolute paths; repeatable]:GLOB:_files' \
    '*--path=[show only these absolute paths; repeatable]:GLOB:_files' \
    '*-e[print the flags and the mode of each open, in octal]' \
    '*--extended-fields[print the flags and the mode of each open, in octal]' \
    '*-F[print absolute paths]' \
    '*--full-path[print absolute paths]' \
    '*-d+[stop after SECS seconds]:SECS: ' \
    '*--duration=[stop after SECS seconds]:SECS: ' \
    '*-c[treat the rest as COMMAND (optional); the shell runs a single word with blanks]' \
    '*--command[treat the rest as COMMAND (optional); the shell runs a single word with blanks]' \
    '*--json=-[write JSON lines to stdout or FILE]::[=FILE]:_files' \
    '*-o+[write the rows to FILE]:FILE:_files' \
    '*--output=[write the rows to FILE]:FILE:_files' \
    '*--no-exec[omit the program files that execve opens]' \
    '*--ring=[set the size of the ring buffer (default 1M)]:SIZE: ' \
    '*-h[print this help]' \
    '*--help[print this help]' '(-):command: _command_names -e' '*::arguments:_normal' ;;
  replay) _arguments -s -S \
    '*-v[print every call (if it was recorded with -v)]' \
    '*--verbose[print every call (if it was recorded with -v)]' \
    '*-q[print only the summary; -qq\: not even the summary]' \
    '*--quiet[print only the summary; -qq\: not even the summary]' \
    '*-c[print only a table of calls\: errors, time, p50, p99, max]' \
    '*--summary-only[print only a table of calls\: errors, time, p50, p99, max]' \
    '*-C[also print the table of calls, where the time went, and failures, after the summary]' \
    '*--summary[also print the table of calls, where the time went, and failures, after the summary]' \
    '*--by=[also print calls, errors and time of each process]:pid: ' \
    '*-S+[sort the table by time|calls|errors|name|avg-time|p50|p99|max]:KEY:(time calls errors name avg-time p50 p99 max)' \
    '*--summary-sort-by=[sort the table by time|calls|errors|name|avg-time|p50|p99|max]:KEY:(time calls errors name avg-time p50 p99 max)' \
    '*-e+[show only what EXPR selects\: trace=NAME,%class,/regex,?maybe or !set; status=failed,...; signal=NAME,...]:EXPR: ' \
    '*--trace=[show only what EXPR selects\: trace=NAME,%class,/regex,?maybe or !set; status=failed,...; signal=NAME,...]:EXPR: ' \
    '*-P+[show only calls that touch this path, by name or descriptor; repeatable]:GLOB:_files' \
    '*--trace-path=[show only calls that touch this path, by name or descriptor; repeatable]:GLOB:_files' \
    '*-z[show only calls that succeeded]' \
    '*--successful-only[show only calls that succeeded]' \
    '*-Z[show only calls that failed]' \
    '*--failed-only[show only calls that failed]' \
    '*--min-duration=[show only calls that took at least TIME\: 10ms, 2s, 500us]:TIME: ' \
    '*-x[show only calls that failed (as in bcc'\''s tools)]' \
    '*-t[print the time of day; -tt\: with microseconds, -ttt and more\: as seconds since 1970]' \
    '*--absolute-timestamps[print the time of day; -tt\: with microseconds, -ttt and more\: as seconds since 1970]' \
    '*-r[print the time since the previous line; with -t\: both]' \
    '*--relative-timestamps[print the time since the previous line; with -t\: both]' \
    '*--json=-[write JSON lines to FILE; without FILE to stdout, instead of text events]::[=FILE]:_files' \
    '*-o+[write the text to FILE instead of stderr]:FILE:_files' \
    '*--output=[write the text to FILE instead of stderr]:FILE:_files' \
    '*-w+[record to FILE the events that -e, -P, -z and -Z select]:FILE:_files' \
    '*--write=[record to FILE the events that -e, -P, -z and -Z select]:FILE:_files' \
    '*--report=-[write an HTML page with the whole run (default report.html)]::[=FILE]:_files' \
    '*--max-report-events=[keep the N most important events in the report (default 2000000)]:N: ' \
    '*--perfetto=[write a trace for ui.perfetto.dev]:FILE:_files' \
    '*--chrome-json=[write a trace in Chrome'\''s JSON format, for other viewers]:FILE:_files' \
    '*--folded=[write the time in calls as stacks for flame graphs]:FILE:_files' \
    '*--folded-by=[choose what the stacks of --folded count\: time|cpu|runq|disk|blocked|bytes (default time)]:KEY:(time cpu runq disk blocked bytes)' \
    '*--no-filter[also show start-up, memory, libraries and reads of /proc]' \
    '*--color=[color the text\: auto|always|never]:WHEN:(auto always never)' \
    '*--min-sched-delay=[show waits for a CPU of US microseconds or more]:US: ' \
    '*--tree[print the commands as a tree after all have ended]' \
    '*-h[print this help]' \
    '*--help[print this help]' '*:recording:_files' ;;
  diff) _arguments -s -S \
    '*--json=-[write one JSON object to stdout or FILE]::[=FILE]:_files' \
    '*-o+[write the text to FILE]:FILE:_files' \
    '*--output=[write the text to FILE]:FILE:_files' \
    '*--report=-[write an HTML page with both runs, side by side (default report.html)]::[=FILE]:_files' \
    '*--by=[compare commands by program|line (default program)]:KEY:(program line)' \
    '*--fail-above=[exit with status 1 if B took over PCT percent more time than A]:PCT: ' \
    '*--no-filter[also show libraries, /proc, /sys and /dev in text]' \
    '*-h[print this help]' \
    '*--help[print this help]' '*:recording:_files' ;;
  proc) _arguments -s -S \
    '*-w+[record all processes to FILE, for kvis replay]:FILE:_files' \
    '*--write=[record all processes to FILE, for kvis replay]:FILE:_files' \
    '*--report=-[write an HTML page with the whole run (default report.html)]::[=FILE]:_files' \
    '*--max-report-events=[keep the N most important events in the report (default 2000000)]:N: ' \
    '*--perfetto=[write a trace for ui.perfetto.dev]:FILE:_files' \
    '*--chrome-json=[write a trace in Chrome'\''s JSON format, for other viewers]:FILE:_files' \
    '*--folded=[write the CPU time of commands as stacks for flame graphs]:FILE:_files' \
    '*--backend=[choose how COMMAND is followed\: auto|bpf|ptrace (auto\: bpf if possible)]:NAME:(auto bpf ptrace)' \
    '*-d+[stop after SECS seconds]:SECS: ' \
    '*--duration=[stop after SECS seconds]:SECS: ' \
    '*--json=-[write JSON lines to stdout or FILE]::[=FILE]:_files' \
    '*-o+[write the rows to FILE]:FILE:_files' \
    '*--output=[write the rows to FILE]:FILE:_files' \
    '*--tree[print the commands as a tree after all have ended]' \
    '*--live[also print a row when a command starts]' \
    '*-x[also show execs that failed]' \
    '*--failed[also show execs that failed]' \
    '*--forks[also show processes that never call exec]' \
    '*-T[also show threads]' \
    '*--threads[also show threads]' \
    '*-p+[show only this process and its descendants]:PID:_pids' \
    '*--pid=[show only this process and its descendants]:PID:_pids' \
    '*-u+[show only processes of this user]:UID: ' \
    '*--uid=[show only processes of this user]:UID: ' \
    '*-n+[show only commands whose name contains NAME]:NAME: ' \
    '*--name=[show only commands whose name contains NAME]:NAME: ' \
    '*-l+[show only command lines that match REGEX]:REGEX: ' \
    '*--line=[show only command lines that match REGEX]:REGEX: ' \
    '*--min-duration=[show only commands that took at least TIME\: 10ms, 2s, 500us]:TIME: ' \
    '*--cgroup=[show only this cgroup (v2) and cgroups below it]:PATH:_files' \
    '*-f+[set the output format\: text|json|execsnoop|exitsnoop (json\: for workflow-telemetry-action)]:FORMAT:(text json execsnoop exitsnoop)' \
    '*--format=[set the output format\: text|json|execsnoop|exitsnoop (json\: for workflow-telemetry-action)]:FORMAT:(text json execsnoop exitsnoop)' \
    '*--env=[add these environment variables of each command to --json]:NAME,...: ' \
    '*--gantt=[write a chart of the 100 longest commands for mermaid]:FILE:_files' \
    '*--ring=[set the size of the ring buffer (default 4M)]:SIZE: ' \
    '*-h[print this help]' \
    '*--help[print this help]' '(-):command: _command_names -e' '*::arguments:_normal' ;;
  execsnoop) _arguments -s -S \
    '*-d+[stop after SECS seconds]:SECS: ' \
    '*--duration=[stop after SECS seconds]:SECS: ' \
    '*-o+[write the rows to FILE]:FILE:_files' \
    '*--output=[write the rows to FILE]:FILE:_files' \
    '*-T[print the time of day]' \
    '*--time[print the time of day]' \
    '*-t[print the seconds since the first row]' \
    '*--timestamp[print the seconds since the first row]' \
    '*-U[print the user ID]' \
    '*--print-uid[print the user ID]' \
    '*-x[also show execs that failed]' \
    '*--fails[also show execs that failed]' \
    '*-q[put quotes around the arguments]' \
    '*--quote[put quotes around the arguments]' \
    '*--max-args=[print at most N arguments (default\: all)]:N: ' \
    '*-u+[show only processes of this user]:UID: ' \
    '*--uid=[show only processes of this user]:UID: ' \
    '*-n+[show only commands whose name contains NAME]:NAME: ' \
    '*--name=[show only commands whose name contains NAME]:NAME: ' \
    '*-l+[show only command lines that match REGEX]:REGEX: ' \
    '*--line=[show only command lines that match REGEX]:REGEX: ' \
    '*-c+[show only this cgroup (v2) and cgroups below it]:PATH:_files' \
    '*--cgroup=[show only this cgroup (v2) and cgroups below it]:PATH:_files' \
    '*--ring=[set the size of the ring buffer (default 4M)]:SIZE: ' \
    '*-h[print this help]' \
    '*--help[print this help]' ;;
  exitsnoop) _arguments -s -S \
    '*-d+[stop after SECS seconds]:SECS: ' \
    '*--duration=[stop after SECS seconds]:SECS: ' \
    '*-o+[write the rows to FILE]:FILE:_files' \
    '*--output=[write the rows to FILE]:FILE:_files' \
    '*-t[print the time of day]' \
    '*--timestamp[print the time of day]' \
    '*-x[show only processes that failed]' \
    '*--failed[show only processes that failed]' \
    '*-T[print a row for each thread]' \
    '*--threaded[print a row for each thread]' \
    '*-p+[show only this process]:PID:_pids' \
    '*--pid=[show only this process]:PID:_pids' \
    '*-u+[show only processes of this user]:UID: ' \
    '*--uid=[show only processes of this user]:UID: ' \
    '*-n+[show only commands whose name contains NAME]:NAME: ' \
    '*--name=[show only commands whose name contains NAME]:NAME: ' \
    '*-c+[show only this cgroup (v2) and cgroups below it]:PATH:_files' \
    '*--cgroup=[show only this cgroup (v2) and cgroups below it]:PATH:_files' \
    '*--ring=[set the size of the ring buffer (default 4M)]:SIZE: ' \
    '*-h[print this help]' \
    '*--help[print this help]' ;;
  monitor) _arguments -s -S \
    '*-i+[print the metrics every SECS seconds (default 1)]:SECS: ' \
    '*--interval=[print the metrics every SECS seconds (default 1)]:SECS: ' \
    '*-n+[stop after COUNT intervals]:COUNT: ' \
    '*--count=[stop after COUNT intervals]:COUNT: ' \
    '*-d+[stop after SECS seconds]:SECS: ' \
    '*--duration=[stop after SECS seconds]:SECS: ' \
    '*-c+[show only these groups or sources; groups\: cpu, sched, mem, numa, io, fs, thermal, net, limits, errors, uncore, vhost, busy, cgroups, virtio]:LIST: ' \
    '*--collectors=[show only these groups or sources; groups\: cpu, sched, mem, numa, io, fs, thermal, net, limits, errors, uncore, vhost, busy, cgroups, virtio]:LIST: ' \
    '*-p+[also check how long PID waits for a CPU; hardware counters then cover only PID; repeatable]:PID:_pids' \
    '*--pid=[also check how long PID waits for a CPU; hardware counters then cover only PID; repeatable]:PID:_pids' \
    '*--cgroup=[also show the metrics of this cgroup (v2)]:PATH:_files' \
    '*--per-cpu[also show the metrics of each CPU]' \
    '*--histogram[also show distributions\: run-queue waits and lengths, disk requests]' \
    '*--json=-[write one JSON line per interval to stdout or FILE]::[=FILE]:_files' \
    '*--csv=-[write one CSV row per value to stdout or FILE]::[=FILE]:_files' \
    '*--report=-[write an HTML page with charts and heat maps (default report.html)]::[=FILE]:_files' \
    '*--prometheus=[write Prometheus metrics to FILE at each interval (textfile collector\: .prom)]:FILE:_files' \
    '*--listen=[serve Prometheus metrics over HTTP at /metrics; without ADDR, to this machine only]:[ADDR\:]PORT: ' \
    '*--grafana[print a Grafana dashboard for these metrics as JSON, and exit]' \
    '*-o+[write the text to FILE]:FILE:_files' \
    '*--output=[write the text to FILE]:FILE:_files' \
    '*--path.procfs=[read the machine'\''s /proc from DIR]:DIR:_files -/' \
    '*--path.sysfs=[read the machine'\''s /sys from DIR]:DIR:_files -/' \
    '*--path.rootfs=[read the machine'\''s root directory, with /proc and /sys, from DIR]:DIR:_files -/' \
    '*-h[print this help]' \
    '*--help[print this help]' ;;
  diagnose) _arguments -s -S \
    '*-d+[watch for SECS seconds (default 10; with a command\: until its end)]:SECS: ' \
    '*--duration=[watch for SECS seconds (default 10; with a command\: until its end)]:SECS: ' \
    '*-v[show all findings with their rules, all resources, and unavailable metrics]' \
    '*--verbose[show all findings with their rules, all resources, and unavailable metrics]' \
    '*-p+[also check how long PID waits for a CPU; hardware counters then cover only PID; repeatable]:PID:_pids' \
    '*--pid=[also check how long PID waits for a CPU; hardware counters then cover only PID; repeatable]:PID:_pids' \
    '*--cgroup=[also show the metrics of this cgroup (v2)]:PATH:_files' \
    '*--virtio[also watch virtio rings, with kprobes on each request]' \
    '*--json=-[write one JSON object to stdout or FILE]::[=FILE]:_files' \
    '*--report=-[write an HTML page of the findings and all metrics (default report.html)]::[=FILE]:_files' \
    '*-o+[write the text to FILE]:FILE:_files' \
    '*--output=[write the text to FILE]:FILE:_files' \
    '*--path.procfs=[read the machine'\''s /proc from DIR]:DIR:_files -/' \
    '*--path.sysfs=[read the machine'\''s /sys from DIR]:DIR:_files -/' \
    '*--path.rootfs=[read the machine'\''s root directory, with /proc and /sys, from DIR]:DIR:_files -/' \
    '*-h[print this help]' \
    '*--help[print this help]' '(-):command: _command_names -e' '*::arguments:_normal' ;;
  check) _arguments -s -S \
    '*-v[show every ability that was tried, and how to fix those that do not work]' \
    '*--verbose[show every ability that was tried, and how to fix those that do not work]' \
    '*--json=-[write JSON lines to stdout or FILE]::[=FILE]:_files' \
    '*--path.procfs=[read the machine'\''s /proc from DIR]:DIR:_files -/' \
    '*--path.sysfs=[read the machine'\''s /sys from DIR]:DIR:_files -/' \
    '*--path.rootfs=[read the machine'\''s root directory, with /proc and /sys, from DIR]:DIR:_files -/' \
    '*-h[print this help]' \
    '*--help[print this help]' '*:command:->commands' ;;
  help) _arguments '--man' ':command:->commands' ;;
  completion) _arguments ':shell:(bash zsh fish)' ;;
  esac
  [[ $state != commands ]] || _describe -t commands command cmds
}
[[ $funcstack[1] = _kvis ]] && _kvis "$@" ||
  compdef _kvis \
    kvis opensnoop execsnoop exitsnoop
