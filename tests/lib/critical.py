"""Used by the cases proc_critical and proc_report: the critical path of a command, by the definition in the manual."""


def critical_path(steps, root):
    """(pid, begin) -> its own time, for each step on the path of the process `root`. A step is (begin, end, pid, parent's pid):
    a command, or a process. Its end waited for the child that ended last, and before that one began for the one before."""
    own = {}

    def walk(step):
        begin, t, pid, _ = step
        own[pid, begin] = t - begin
        while ended := [s for s in steps if s[3] == pid and begin <= s[0] and s[1] <= t and (s[2], s[0]) not in own]:
            last = max(ended, key=lambda s: s[1])
            own[pid, begin] -= last[1] - last[0]
            t = last[0]
            walk(last)

    mine = sorted(s for s in steps if s[2] == root)
    for step in reversed(mine):
        walk(step)
    assert sum(own.values()) == mine[-1][1] - mine[0][0], "the parts are not the whole"
    return own
