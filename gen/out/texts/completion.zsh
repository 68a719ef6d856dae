#compdef kvis opensnoop execsnoop exitsnoop
_kvis() {
  local cmd=$service
  local -a cmds
  cmds=(
  'trace:Show which files, sockets, memory and processes a command uses'
  'open:Show every file that is opened, on the whole machine or by COMMAND'
  'replay:Show a recording made with kvis trace -w or kvis proc -w'
  'diff:Compare two recordings: show what changed, and where the time went'
  'proc:Show every command that runs, with its arguments, time and exit status'
  'execsnoop:Show each exec as it happens, in the format of bcc'\''s execsnoop'
  'exitsnoop:Show each exit as it happens, in the format of bcc'\''s exitsnoop'
  'monitor:Show what the CPUs, memory, disks and scheduler of a machine are doing'
  'diagnose:Find what slows this machine down, and which processes cause it'
  'check:Show what kvis can do on this machine, and how to fix what does not work'
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
    {'*-p+','*--attach='}'[trace the running process PID, its threads and its new child processes; repeatable]:PID:_pids' \
    '*--all''[show the system calls of all processes without stopping any process; with -c\: count the calls]' \
    '*--cgroup=''[show the system calls of processes in the cgroup (v2) at PATH and in cgroups below it; with -c\: count the calls]:PATH:_files' \
    {'*-v','*--verbose'}'[print every system call with its decoded arguments, result and time]' \
    {'*-q','*--quiet'}'[print only the summary; -qq\: not even the summary]' \
    {'*-c','*--summary-only'}'[print only a table of system calls\: number, errors, time, p50, p99, max]' \
    {'*-C','*--summary'}'[after the summary, also print the table of system calls, where their time went, and failures]' \
    {'*-i+','*--interval='}'[print the table of system calls every SECS seconds (implies -C, unless -c is given)]:SECS: ' \
    '*--by=''[also print the number, errors and time of system calls for each process]:pid: ' \
    {'*-S+','*--summary-sort-by='}'[sort the table of system calls by time|calls|errors|name|avg-time|p50|p99|max]:KEY:(time calls errors name avg-time p50 p99 max)' \
    {'*-e+','*--trace='}'[show only system calls and signals that match EXPR\: trace=NAME,%CLASS,/REGEX (! inverts the set; ?NAME\: no error if NAME is unknown), status=failed,... or signal=NAME,...]:EXPR: ' \
    {'*-P+','*--trace-path='}'[show only system calls on files whose path matches GLOB, including calls on descriptors of such files; repeatable]:GLOB:_files' \
    {'*-z','*--successful-only'}'[show only system calls that succeeded]' \
    {'*-Z','*--failed-only'}'[show only system calls that failed]' \
    '*--min-duration=''[show only system calls that took at least TIME, such as 10ms, 2s or 500us]:TIME: ' \
    '*-x''[show only system calls that failed (same as -Z)]' \
    {'*-s+','*--string-limit='}'[show at most N bytes of each string argument (default 32)]:N: ' \
    {'*-t','*--absolute-timestamps'}'[print the time of day of each event; -tt\: with microseconds; -ttt\: as seconds since 1970]' \
    {'*-r','*--relative-timestamps'}'[print the time since the previous event; with -t\: also the time of day]' \
    '*--json=-''[write events as JSON lines to FILE; without FILE\: to stdout, instead of text]::[=FILE]:_files' \
    {'*-o+','*--output='}'[write the text output to FILE instead of stderr]:FILE:_files' \
    {'*-w+','*--write='}'[write a recording of this run to FILE, for kvis replay (with -v\: of every system call)]:FILE:_files' \
    '*--report=-''[write an HTML page that shows the whole run (default FILE\: report.html)]::[=FILE]:_files' \
    '*--max-report-events=''[limit the HTML report to the N most important events (default 2000000)]:N: ' \
    '*--perfetto=''[write every system call to FILE, for the trace viewer ui.perfetto.dev]:FILE:_files' \
    '*--folded=''[write the time in system calls to FILE as stacks for flame graphs]:FILE:_files' \
    '*--faults''[show page faults, by memory region]' \
    '*--page-faults''[show page faults, by memory region (same as --faults)]' \
    '*--no-filter''[also show routine events\: program start-up, memory, libraries, reads of /proc]' \
    '*--color=''[choose when to color the text output\: auto|always|never]:WHEN:(auto always never)' \
    {'*-u+','*--user='}'[run the command as user USER]:USER:_users' \
    {'*-E+','*--env='}'[set environment variable VAR of the command to VAL; without =VAL\: remove VAR]:VAR[=VAL]: ' \
    {'*-d+','*--duration='}'[stop tracing after SECS seconds]:SECS: ' \
    '*--until-exit''[stop tracing when the command exits, even if its descendants still run]' \
    '*--kill-on-exit''[kill all traced processes when kvis ends or is killed]' \
    '*--no-accel''[use ptrace without a seccomp filter\: every system call stops its thread]' \
    '*--no-follow''[trace only the first thread of the command, without other threads and child processes (uses ptrace)]' \
    '*--same-cpu''[run kvis and the command on the same CPU, which is faster, but visible to the command]' \
    '*--backend=''[choose how kvis records system calls\: auto|ptrace|hybrid|observe (hybrid\: BPF and ptrace; observe\: BPF only; auto\: hybrid or observe if it works, else ptrace)]:NAME:(auto ptrace hybrid observe)' \
    '*--no-ebpf''[do not measure how long system calls waited for a CPU or a disk]' \
    '*--min-sched-delay=''[show each wait for a CPU that took at least US microseconds (default 10000)]:US: ' \
    '*--ring=''[set the size of the ring buffer for recorded system calls (default 4M; observe backend\: 16M to 64M, depending on the memory of the machine)]:SIZE: ' \
    {'*-f','*--follow-forks'}'[accepted for compatibility with strace, without effect\: kvis always traces child processes]' \
    {'*-y','*--decode-fds'}'[accepted for compatibility with strace, without effect\: kvis always shows which file a file descriptor refers to]' \
    {'*-T','*--syscall-times'}'[accepted for compatibility with strace, without effect\: -v always prints the time that each system call took]' \
    {'*-h','*--help'}'[print this help text]' '(-):command: _command_names -e' '*::arguments:_normal' ;;
  open) _arguments -s -S \
    '*--backend=''[choose how kvis follows COMMAND\: auto|bpf|ptrace (auto\: bpf if it works, else ptrace)]:NAME:(auto bpf ptrace)' \
    {'*-T','*--timestamp'}'[print the time of each open in seconds, relative to the first row]' \
    {'*-U','*--print-uid'}'[print the user ID of the process that opened each file]' \
    {'*-x','*--failed'}'[show only opens that failed]' \
    {'*-p+','*--pid='}'[show only opens by process PID]:PID:_pids' \
    {'*-t+','*--tid='}'[show only opens by thread TID]:TID:_pids' \
    {'*-u+','*--uid='}'[show only opens by processes of user UID]:UID: ' \
    {'*-n+','*--name='}'[show only opens by commands whose name contains NAME]:NAME: ' \
    {'*-f+','*--flag-filter='}'[show only opens with FLAG, such as O_WRONLY; repeatable (one matching FLAG is enough)]:FLAG: ' \
    {'*-P+','*--path='}'[show only opens of files whose absolute path matches GLOB; repeatable]:GLOB:_files' \
    {'*-e','*--extended-fields'}'[print the flags and the mode of each open, in octal]' \
    {'*-F','*--full-path'}'[print the absolute path of each file]' \
    {'*-d+','*--duration='}'[stop tracing after SECS seconds]:SECS: ' \
    {'*-c','*--command'}'[run the remaining arguments as COMMAND (the default); a single argument that contains blanks is run by a shell]' \
    '*--json=-''[write the output as JSON lines to stdout or FILE]::[=FILE]:_files' \
    {'*-o+','*--output='}'[write the text output to FILE]:FILE:_files' \
    '*--no-exec''[do not show executable files opened by execve]' \
    '*--ring=''[set the size of the ring buffer for recorded opens (default 1M)]:SIZE: ' \
    {'*-h','*--help'}'[print this help text]' '(-):command: _command_names -e' '*::arguments:_normal' ;;
  replay) _arguments -s -S \
    {'*-v','*--verbose'}'[print every system call, if the recording was made with -v]' \
    {'*-q','*--quiet'}'[print only the summary; -qq\: not even the summary]' \
    {'*-c','*--summary-only'}'[print only a table of system calls\: number, errors, time, p50, p99, max]' \
    {'*-C','*--summary'}'[after the summary, also print the table of system calls, where their time went, and failures]' \
    '*--by=''[also print the number, errors and time of system calls for each process]:pid: ' \
    {'*-S+','*--summary-sort-by='}'[sort the table of system calls by time|calls|errors|name|avg-time|p50|p99|max]:KEY:(time calls errors name avg-time p50 p99 max)' \
    {'*-e+','*--trace='}'[show only system calls and signals that match EXPR\: trace=NAME,%CLASS,/REGEX (! inverts the set; ?NAME\: no error if NAME is unknown), status=failed,... or signal=NAME,...]:EXPR: ' \
    {'*-P+','*--trace-path='}'[show only system calls on files whose path matches GLOB, including calls on descriptors of such files; repeatable]:GLOB:_files' \
    {'*-z','*--successful-only'}'[show only system calls that succeeded]' \
    {'*-Z','*--failed-only'}'[show only system calls that failed]' \
    '*--min-duration=''[show only system calls that took at least TIME, such as 10ms, 2s or 500us]:TIME: ' \
    '*-x''[show only system calls that failed (same as -Z)]' \
    {'*-t','*--absolute-timestamps'}'[print the time of day of each event; -tt\: with microseconds; -ttt\: as seconds since 1970]' \
    {'*-r','*--relative-timestamps'}'[print the time since the previous event; with -t\: also the time of day]' \
    '*--json=-''[write events as JSON lines to FILE; without FILE\: to stdout, instead of text]::[=FILE]:_files' \
    {'*-o+','*--output='}'[write the text output to FILE instead of stderr]:FILE:_files' \
    {'*-w+','*--write='}'[write a recording of the events that -e, -P, -z and -Z select to FILE]:FILE:_files' \
    '*--report=-''[write an HTML page that shows the whole run (default FILE\: report.html)]::[=FILE]:_files' \
    '*--max-report-events=''[limit the HTML report to the N most important events (default 2000000)]:N: ' \
    '*--perfetto=''[write the run to FILE, for the trace viewer ui.perfetto.dev]:FILE:_files' \
    '*--folded=''[write the time in system calls to FILE as stacks for flame graphs]:FILE:_files' \
    '*--no-filter''[also show routine events\: program start-up, memory, libraries, reads of /proc]' \
    '*--color=''[choose when to color the text output\: auto|always|never]:WHEN:(auto always never)' \
    '*--min-sched-delay=''[show each recorded wait for a CPU that took at least US microseconds]:US: ' \
    '*--tree''[print the commands as a tree when all commands have ended]' \
    {'*-h','*--help'}'[print this help text]' '*:recording:_files' ;;
  diff) _arguments -s -S \
    '*--json=-''[write the comparison as one JSON object to stdout or FILE]::[=FILE]:_files' \
    {'*-o+','*--output='}'[write the text output to FILE]:FILE:_files' \
    '*--report=-''[write an HTML page that compares both runs (default FILE\: report.html)]::[=FILE]:_files' \
    '*--by=''[group commands by program name or by whole command line\: program|line (default program)]:KEY:(program line)' \
    '*--fail-above=''[exit with status 1 if run B took more than PCT percent longer than run A]:PCT: ' \
    '*--no-filter''[also compare files that the text output omits by default\: libraries, and files below /proc, /sys and /dev]' \
    {'*-h','*--help'}'[print this help text]' '*:recording:_files' ;;
  proc) _arguments -s -S \
    {'*-w+','*--write='}'[write a recording of all processes to FILE, for kvis replay]:FILE:_files' \
    '*--report=-''[write an HTML page that shows the whole run (default FILE\: report.html)]::[=FILE]:_files' \
    '*--max-report-events=''[limit the HTML report to the N most important events (default 2000000)]:N: ' \
    '*--perfetto=''[write the run to FILE, for the trace viewer ui.perfetto.dev]:FILE:_files' \
    '*--folded=''[write the CPU time of commands to FILE as stacks for flame graphs]:FILE:_files' \
    '*--backend=''[choose how kvis follows COMMAND\: auto|bpf|ptrace (auto\: bpf if it works, else ptrace)]:NAME:(auto bpf ptrace)' \
    {'*-d+','*--duration='}'[stop tracing after SECS seconds]:SECS: ' \
    '*--json=-''[write the output as JSON lines to stdout or FILE]::[=FILE]:_files' \
    {'*-o+','*--output='}'[write the text output to FILE]:FILE:_files' \
    '*--tree''[print the commands as a tree when all commands have ended]' \
    '*--live''[also print a row when a command starts]' \
    {'*-x','*--failed'}'[also show execs that failed]' \
    '*--forks''[also show processes that never call exec]' \
    {'*-T','*--threads'}'[also show a row for each thread]' \
    {'*-p+','*--pid='}'[show only process PID and its descendants]:PID:_pids' \
    {'*-u+','*--uid='}'[show only processes of user UID]:UID: ' \
    {'*-n+','*--name='}'[show only commands whose name contains NAME]:NAME: ' \
    {'*-l+','*--line='}'[show only commands whose command line matches REGEX]:REGEX: ' \
    '*--min-duration=''[show only commands that took at least TIME, such as 10ms, 2s or 500us]:TIME: ' \
    '*--cgroup=''[show only processes in the cgroup (v2) at PATH and in cgroups below it]:PATH:_files' \
    {'*-f+','*--format='}'[choose the output format\: text|json|execsnoop|exitsnoop (json\: one JSON object per completed command)]:FORMAT:(text json execsnoop exitsnoop)' \
    '*--env=''[add the environment variables NAME,... of each command to the JSON output]:NAME,...: ' \
    '*--gantt=''[write a Gantt chart of the 100 longest commands to FILE, for Mermaid]:FILE:_files' \
    '*--ring=''[set the size of the BPF ring buffer for process records, shared by all CPUs (default 4M)]:SIZE: ' \
    {'*-h','*--help'}'[print this help text]' '(-):command: _command_names -e' '*::arguments:_normal' ;;
  execsnoop) _arguments -s -S \
    {'*-d+','*--duration='}'[stop tracing after SECS seconds]:SECS: ' \
    {'*-o+','*--output='}'[write the text output to FILE]:FILE:_files' \
    {'*-T','*--time'}'[print the time of day of each exec]' \
    {'*-t','*--timestamp'}'[print the time of each exec, in seconds since kvis started]' \
    {'*-U','*--print-uid'}'[print the user ID of each process]' \
    {'*-x','*--fails'}'[also show execs that failed]' \
    {'*-q','*--quote'}'[put quotes around the arguments of each command]' \
    '*--max-args=''[print at most N arguments of each command (default\: all)]:N: ' \
    {'*-u+','*--uid='}'[show only processes of user UID]:UID: ' \
    {'*-n+','*--name='}'[show only commands whose name contains NAME]:NAME: ' \
    {'*-l+','*--line='}'[show only commands whose command line matches REGEX]:REGEX: ' \
    {'*-c+','*--cgroup='}'[show only processes in the cgroup (v2) at PATH and in cgroups below it]:PATH:_files' \
    '*--ring=''[set the size of the BPF ring buffer for process records, shared by all CPUs (default 4M)]:SIZE: ' \
    {'*-h','*--help'}'[print this help text]' ;;
  exitsnoop) _arguments -s -S \
    {'*-d+','*--duration='}'[stop tracing after SECS seconds]:SECS: ' \
    {'*-o+','*--output='}'[write the text output to FILE]:FILE:_files' \
    {'*-t','*--timestamp'}'[print the time of day of each exit]' \
    {'*-x','*--failed'}'[show only processes that exited with a status other than 0 or were killed]' \
    {'*-T','*--threaded'}'[print a row for each thread]' \
    {'*-p+','*--pid='}'[show only the exit of process PID]:PID:_pids' \
    {'*-u+','*--uid='}'[show only processes of user UID]:UID: ' \
    {'*-n+','*--name='}'[show only commands whose name contains NAME]:NAME: ' \
    {'*-c+','*--cgroup='}'[show only processes in the cgroup (v2) at PATH and in cgroups below it]:PATH:_files' \
    '*--ring=''[set the size of the BPF ring buffer for process records, shared by all CPUs (default 4M)]:SIZE: ' \
    {'*-h','*--help'}'[print this help text]' ;;
  monitor) _arguments -s -S \
    {'*-i+','*--interval='}'[print the metrics every SECS seconds (default 1)]:SECS: ' \
    {'*-n+','*--count='}'[stop monitoring after COUNT intervals]:COUNT: ' \
    {'*-d+','*--duration='}'[stop monitoring after SECS seconds]:SECS: ' \
    {'*-c+','*--collectors='}'[show only metrics of the groups or sources in LIST; a source is the first word of an output line, such as stat; groups\: cpu, sched, mem, numa, io, fs, thermal, net, limits, errors, uncore, vhost, busy, cgroups, virtio]:LIST: ' \
    {'*-p+','*--pid='}'[also show metrics of process PID, and count hardware events only in the given processes; repeatable]:PID:_pids' \
    {'*-e+','*--event='}'[count only the hardware event EVENT\: rNNN, PMU/event=N,umask=N/ or a name from --list-events; repeatable, up to 4 times]:EVENT: ' \
    '*--list-events''[list the names of hardware events that this machine can count, and exit]' \
    '*--cgroup=''[also show the metrics of the cgroup (v2) at PATH]:PATH:_files' \
    '*--per-cpu''[also show the metrics of each CPU]' \
    '*--histogram''[also show distributions\: CPU waits, run-queue lengths, disk-request times]' \
    '*--json=-''[write the metrics as one JSON line per interval to stdout or FILE]::[=FILE]:_files' \
    '*--csv=-''[write one CSV row per value to stdout or FILE]::[=FILE]:_files' \
    '*--report=-''[write an HTML page with charts and heat maps (default FILE\: report.html)]::[=FILE]:_files' \
    '*--prometheus=''[write metrics for Prometheus to FILE at each interval (node_exporter reads only *.prom)]:FILE:_files' \
    '*--listen=''[serve the metrics for Prometheus at http\://ADDR\:PORT/metrics; without ADDR\: only to this machine]:[ADDR\:]PORT: ' \
    '*--grafana''[print a Grafana dashboard for the metrics as JSON, and exit]' \
    {'*-o+','*--output='}'[write the text output to FILE]:FILE:_files' \
    '*--path.procfs=''[use DIR as the /proc of the machine]:DIR:_files -/' \
    '*--path.sysfs=''[use DIR as the /sys of the machine]:DIR:_files -/' \
    '*--path.rootfs=''[use DIR as the root directory of the machine, including /proc and /sys]:DIR:_files -/' \
    {'*-h','*--help'}'[print this help text]' '(-):command: _command_names -e' '*::arguments:_normal' ;;
  diagnose) _arguments -s -S \
    {'*-d+','*--duration='}'[watch the machine for SECS seconds (default 10; with COMMAND\: until it ends)]:SECS: ' \
    {'*-v','*--verbose'}'[show all findings with their rules, all checked resources, and why metrics are unavailable]' \
    '*--rules=''[also apply the rules in FILE; kvis-diagnose(1) describes the format]:FILE:_files' \
    '*--threshold=''[change the threshold of RULE to VALUE, as in cpu-busy=80%; repeatable; kvis help findings lists the rules]:RULE=VALUE: ' \
    {'*-p+','*--pid='}'[also check how long process PID waits for a CPU, and count hardware events only in the given processes; repeatable]:PID:_pids' \
    '*--cgroup=''[also show the metrics of the cgroup (v2) at PATH]:PATH:_files' \
    '*--virtio''[also watch virtio rings, with kprobes that run for each request]' \
    '*--json=-''[write the findings as one JSON object to stdout or FILE]::[=FILE]:_files' \
    '*--report=-''[write an HTML page of the findings and all metrics (default FILE\: report.html)]::[=FILE]:_files' \
    {'*-o+','*--output='}'[write the text output to FILE]:FILE:_files' \
    '*--path.procfs=''[use DIR as the /proc of the machine]:DIR:_files -/' \
    '*--path.sysfs=''[use DIR as the /sys of the machine]:DIR:_files -/' \
    '*--path.rootfs=''[use DIR as the root directory of the machine, including /proc and /sys]:DIR:_files -/' \
    {'*-h','*--help'}'[print this help text]' '(-):command: _command_names -e' '*::arguments:_normal' ;;
  check) _arguments -s -S \
    {'*-v','*--verbose'}'[show every feature, and how to fix each one that does not work]' \
    '*--json=-''[write the output as JSON lines to stdout or FILE]::[=FILE]:_files' \
    '*--path.procfs=''[use DIR as the /proc of the machine]:DIR:_files -/' \
    '*--path.sysfs=''[use DIR as the /sys of the machine]:DIR:_files -/' \
    '*--path.rootfs=''[use DIR as the root directory of the machine, including /proc and /sys]:DIR:_files -/' \
    {'*-h','*--help'}'[print this help text]' '*:command:->commands' ;;
  help) _arguments '--man' ':command:->commands' ;;
  completion) _arguments ':shell:(bash zsh fish)' ;;
  esac
  [[ $state != commands ]] || _describe -t commands command cmds
}
[[ $funcstack[1] = _kvis ]] && _kvis "$@" ||
  compdef _kvis \
    kvis opensnoop execsnoop exitsnoop
