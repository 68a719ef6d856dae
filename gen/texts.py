#!/usr/bin/env python3
"""texts.py: writes the texts that kvis prints unchanged into out/texts/: the manual pages and completions of manual/ with their
parts filled in, which include the lists of `kvis help` and `kvis help metrics|findings|fields`, and the dashboard of
`kvis monitor --grafana`.

A {{PART}} in a file of manual/ is a row of ONCE or EACH below; {{PART COMMAND}} is the part of one command. {{date}} and
{{version}} are kept: the Makefile fills them in. Run the generators of headers first: they check the tables.
"""
import json, os, re, shlex, sys

GEN = os.path.dirname(os.path.abspath(__file__))


def read(name):
    with open(os.path.join(GEN, name), encoding="utf-8") as f:
        return f.read()


def rows(name):
    """The lines of a table, without comments and empty lines."""
    return [line for line in read(f"tables/{name}.tbl").split("\n") if line.strip() and not line.lstrip().startswith("#")]


# --- the tables ---

class Row:
    """A row of a table: its kind, its name, and the values of its columns."""
    def __init__(self, kind, name, **columns):
        self.kind, self.name, self.columns = kind, name, columns

    def __getitem__(self, column):
        return self.columns.get(column, "")


def read_blocks(name, kinds):
    """Rows `KIND NAME`, with a column in each indented line below."""
    blocks, rest = [], []
    for line in rows(name):
        kind, _, value = line.strip().partition(" ")
        if line[0] == " ":
            blocks[-1].columns[kind] = value.strip()
        elif kind in kinds:
            blocks.append(Row(kind, value.strip()))
        else:
            rest.append(line.split())
    return blocks, rest


def read_metrics():
    """Rows `KIND [ID] NAME COLUMN=VALUE ...`, with a text in the line below."""
    table, groups = [], []
    for line in rows("metrics"):
        if line[0] == " ":
            table[-1].columns["text"] = line.strip()
            continue
        kind, *words = shlex.split(line)
        if kind == "groups":
            groups = words
        elif kind not in ("unlisted", "section", "line", "key"):
            ident = words.pop(0) if kind in ("self", "source", "metric", "distribution") else ""
            table.append(Row(kind, words[0], id=ident, **dict(w.split("=", 1) for w in words[1:])))
    return table, groups


METRICS, GROUPS = read_metrics()
UNITS = {r.name: r for r in METRICS if r.kind == "unit"}
DIMENSIONS = {r.name: r for r in METRICS if r.kind == "dimension"}
SOURCES = {r["id"].lower(): r for r in METRICS if r.kind == "source"}
MEASURED = [r for r in METRICS if r.kind in ("metric", "distribution")]
MACROS = {"MET_GROUPS": ", ".join(GROUPS)}

BLOCKS, ARGUMENTS = read_blocks("options", ("command", "option", "check"))
ARGUMENTS = {words[1]: words[2] for words in ARGUMENTS if words[0] == "argument"}
COMMANDS = [r for r in BLOCKS if r.kind == "command"]
NAMES = [c.name for c in COMMANDS]


class Option:
    def __init__(self, row):
        self.letter, self.long, rest = re.fullmatch(r"(?:-(\w))?(?:, )?(?:--([a-z.-]+))?(.*)", row.name).groups()
        self.optional = rest.startswith("[=")
        self.arg = rest[2:-1] if self.optional else rest[1:]
        self.completed = ARGUMENTS.get(self.arg)
        self.values = row["values"]
        self.commands = NAMES if row["of"] == "all" else row["of"].split()
        self.help = re.sub("{([A-Z_]+)}", lambda m: MACROS[m[1]], row["help"].replace("{values}", self.values))


OPTIONS = [Option(r) for r in BLOCKS if r.kind == "option"]


def options(c):
    return [o for o in OPTIONS if c.name in o.commands]


# --- man(7) ---

def escaped(s):
    return s.replace("°", "").replace("\\", "\\e").replace("-", "\\-")  # man(7) is ASCII: degrees are "C" alone


def man(s):
    """Text in lines that are short enough for man's linter; none begins with a macro."""
    lines = [""]
    for k, word in enumerate(s.split(" ")):
        if k and len(lines[-1]) + len(word.encode()) > 68:
            lines.append("")
        elif k:
            lines[-1] += " "
        word = escaped(word)
        lines[-1] += "\\&" + word if not lines[-1] and word[:1] in (".", "'") else word
    return "\n".join(lines)


def synopsis(c):
    return f".B kvis {c.name} \\fR{man(c['usage'])}\n"


def command_list(c):
    return f".TP\n\\fBkvis {c.name}\\fR\n{man(c['help'])}.\n"


def option_list(c):
    text = ""
    for o in options(c):
        text += ".TP\n"
        if o.letter:
            text += f"\\fB\\-{o.letter}\\fR" + (", " if o.long else " " if o.arg else "")
        if o.long:
            text += f"\\fB\\-\\-{man(o.long)}\\fR"
        if o.arg:
            text += f"\\fI[={o.arg}]\\fR" if o.optional else f"=\\fI{o.arg}\\fR" if o.long else f"\\fI{o.arg}\\fR"
        text += f"\n{man(o.help)}\n"
    return text


# --- lists: sections (heading, introduction, items); an item is a title and a text of man(7) ---

def fields():
    """The kinds of events with the fields that each has in JSON."""
    text = read("events.h")
    keys = dict(re.findall(r'X\((\w+), [A-Z]+, "(\w+)"\)', text))
    items = []
    for row in text[text.index("define EVENT_KINDS"):].split("\n    X(")[1:]:
        kind = re.search('"([a-z_]+)"', row)[1]
        lines = [""]
        for field in re.findall(r"\bEV_(\w+)", row):
            key = "result" if (kind, field) == ("io_uring", "code") else keys[field]  # as out_json_key() of kvis.c
            if lines[-1] and len(lines[-1]) + len(key) > 70:
                lines.append("")
            lines[-1] += (" " if lines[-1] else "") + key
        items.append((kind, "\n".join(lines)))
    return [("", "", items)]


def digits(v):
    return f"{v:.0f}" if abs(v) >= 100 else f"{v:.3g}"


def size(v):
    for unit in "BKMGT":
        if v < 1024 or unit == "T":
            return f"{v:.0f} B" if unit == "B" else f"{v:.1f} {unit}B"
        v /= 1024


def amount(v, unit):
    """A threshold, in the unit in which it is shown."""
    if unit == "ratio":
        return digits(v * 100) + " %"
    if unit == "rate":
        return (f"{v:.4g}" if v < 1000 else f"{v:.0f}") + "/s"
    if unit in ("bytes", "byte_rate"):
        return size(v) + ("/s" if unit == "byte_rate" else "")
    if unit == "celsius":
        return f"{v:.1f} °C"
    if unit in ("seconds", "ns"):
        ms = v * (1e3 if unit == "seconds" else 1e-6)
        return f"{ms:.4g} ms" if ms < 1000 else f"{ms / 1000:.6g} s"
    return f"{v:.6g}"


def findings():
    """The rules of kvis diagnose, with their thresholds; X stands for the device, process or cgroup."""
    rules, rest = read_blocks("rules", ("rule",))
    by_id = {r["id"]: r for r in MEASURED}
    words, like = {}, {}
    for kind, name, *more in rest:
        if kind == "words":
            words[name] = " ".join(more)
        elif kind == "number":
            words[name], like[name] = " ".join(more[4:]), more[3]
    items = []
    for r in rules:
        text = r["finding"].replace("%t", "X")
        number, compare, limit = r["when"].split()
        limit = float(limit)
        if limit > 1e-6:  # else the threshold is: any
            metric = like.get(number, number)
            if metric not in by_id:
                metric = re.sub("_(P50|P90|P99|MAX)$", "", metric)
            said = words.get(number, "%")
            said = said.replace("#", digits(limit)) if "#" in said else \
                said.replace("%", amount(limit, UNITS[by_id[metric]["unit"]]["shown"]))
            text += f" (at {'most' if compare == '<=' else 'least'}: {said})"
        items.append((r.name, man(text) + "."))
    return [("", "", items)]


def dimensions(m):
    """The dimensions by which a metric is counted."""
    return [t for t in DIMENSIONS.values() if t.name != "none" and (t["pmc"] if m["of"] == "pmc" else t.name == m["of"])]


def metric_item(m):
    ending = UNITS[m["unit"]]["json"]
    parts = ["_p50", "_p90", "_p99", "_max"] if m.kind == "distribution" else [""]
    counted = ", ".join(t["label"] for t in dimensions(m))
    title = m.name + ", ".join(part + ending for part in parts)
    return title + (f" ({counted})" if counted else ""), man(m["text"]) + "."


def metrics():
    return [(f"{s.name} (group {s['group']})", man(f"From {s['from']}; see {s['cite']}."),
             [metric_item(m) for m in MEASURED if m["source"] == name]) for name, s in SOURCES.items()]


def man_list(name, sections):
    """A list of a manual page, between comments by which emb_list() of kvis.c finds it."""
    text = "".join((f".SS {heading}\n{about}\n" if heading else "") + "".join(f".TP\n{escaped(title)}\n{text}\n" for title, text in items)
                   for heading, about, items in sections)
    if re.search(r"\\[^-]", text):
        sys.exit(f"gen/texts.py: list {name}: kvis help {name} knows no escape except \\-")
    return f'.\\" list {name}\n{text}.\\" end\n'


# --- completions ---

def quoted(s, colon=False):
    """Text for a quoted string of the shell; colon: escape it for _arguments of zsh, which splits there."""
    return (s.replace(":", "\\:") if colon else s).replace("'", "'\\''")


def bash_values(c):
    kinds = {"words": "WORD", "files": "FILE", "directories": "DIR", "processes": "PID", "users": "USER"}
    text = ""
    for o in options(c):
        spelled = ([f"-{o.letter}"] if o.letter else []) + ([f"--{o.long}"] if o.long else [])
        if o.arg:
            text += f"    {'|'.join(f'{c.name}:{s}' for s in spelled)}) v='{'=' if o.optional else ''}{o.values or kinds[o.completed]}' ;;\n"
    return text


def bash_words(c):
    words = {"nothing": "", "command": "COMMAND", "recordings": "FILE", "commands": "".join(n + "|" for n in NAMES)}
    opts = ""
    for o in options(c):
        opts += f"-{o.letter} " if o.letter else ""
        opts += f"--{o.long}{'=' if o.arg and not o.optional else ''} " if o.long else ""
    return f"    {c.name}) opts='{opts}' v='{words[c['takes']]}' ;;\n"


def zsh_commands(c):
    return f"  '{c.name}:{quoted(c['help'])}'\n"


def zsh_row(o):
    """One word for a form of the option; zsh expands {-x,--long} to a word for each form."""
    kinds = {"words": " ", "files": "_files", "directories": "_files -/", "processes": "_pids", "users": "_users"}
    forms = ([f"'*-{o.letter}{'+' if o.arg else ''}'"] if o.letter else [])
    if o.long:
        forms.append(f"'*--{o.long}{'' if not o.arg else '=-' if o.optional else '='}'")
    text = f" \\\n    {forms[0] if len(forms) == 1 else '{' + ','.join(forms) + '}'}'[{quoted(o.help, True)}]"
    if o.arg:
        arg = quoted(o.arg, True)
        text += (f"::[={arg}]:" if o.optional else f":{arg}:") + (f"({o.values.replace('|', ' ')})" if o.values else kinds[o.completed])
    return text + "'"


def zsh_options(c):
    words = {"nothing": "", "recordings": " '*:recording:_files'", "commands": " '*:command:->commands'",
             "command": " '(-):command: _command_names -e' '*::arguments:_normal'"}
    return f"  {c.name}) _arguments -s -S{''.join(map(zsh_row, options(c)))}{words[c['takes']]} ;;\n"


def fish_commands(c):
    link = f"complete -c {c['link']} -w 'kvis {c.name}'\n" if c["link"] else ""
    return f"{link}complete -c kvis -n __fish_use_subcommand -a {c.name} -d '{quoted(c['help'])}'\n"


def fish_options(c):
    kinds = {"words": "", "files": " -F", "directories": " -a '(__fish_complete_directories)'",
             "processes": " -a '(__fish_complete_pids)'", "users": " -a '(__fish_complete_users)'", None: ""}
    mine = f"__kvis_at {c.name} "
    text = ""
    for o in options(c):
        text += mine[:-1] + (f" -s {o.letter}" if o.letter else "") + (f" -l {o.long}" if o.long else "")
        if o.arg and not o.optional:
            text += " -r" if not o.values and o.completed == "files" else " -x"
        text += f" -a '{o.values.replace('|', ' ')}'" if o.values else kinds[o.completed]
        text += f" -d '{quoted(o.help)}'\n"
    if c["takes"] == "recordings":
        text += mine + "-F\n"
    elif c["takes"] == "commands":
        text += f"{mine}-a '{''.join(n + ' ' for n in NAMES)}'\n"
    elif c["takes"] == "command":  # a command follows the options, some of which take a value
        skipped = "".join((f" -{o.letter}" if o.letter else "") + f" --{o.long}" for o in options(c) if o.arg and not o.optional)
        text += f"{mine}-a '(__fish_complete_subcommand --fcs-skip=2 --{skipped})'\n"
    return text


# --- the Grafana dashboard: a row for a few groups, a panel for each title in metrics.tbl ---

GRAFANA_ROWS = {"Machine": ("cpu", "mem", "net", "thermal"), "Scheduler": ("sched",), "Disks": ("io",), "virtio": ("virtio",)}
GRAFANA_UNITS = {"number": "short", "rate": "cps", "ratio": "percentunit", "bytes": "bytes", "byte_rate": "Bps", "seconds": "s",
                 "celsius": "celsius", "celsius_rate": "short", "hertz": "hertz", "ns": "s", "watts": "watt"}
GRAFANA_QUOTIENTS = {"ipc": ("kvis_perf_instructions_total", "kvis_perf_cpucycles_total")}
GRAFANA_SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def prom(m):
    """A metric's own name in Prometheus, with its labels; "": derived from its name and unit."""
    pattern, key = SOURCES[m["source"]]["prom"], m["key"]
    if m["prom"] or m.kind != "metric" or not pattern or not key or key.endswith("*"):
        return m["prom"]
    return pattern.replace("*", key.replace(" ", "_"))


def grafana_expr(m):
    """The rate of a counter, the 99th percentile of a distribution, the value of any other metric; over all CPUs together,
    because there may be hundreds."""
    unit, own = UNITS[m["unit"]], prom(m).partition("{")[0]
    where, rate = '{instance=~"$instance"}', "[$__rate_interval]"
    name = "kvis_" + (own or m.name + unit["prom"])
    if m.kind == "distribution":
        return f"histogram_quantile(0.99, rate({name}_bucket{where}{rate}))"
    if m.name in GRAFANA_QUOTIENTS:  # a mean over CPUs would give an idle CPU the same weight as a busy one
        return " / ".join(f"sum without (cpu) (rate({n}{where}{rate}))" for n in GRAFANA_QUOTIENTS[m.name])
    expr = f"rate({name}{where}{rate})" if unit["counter"] else name + where
    if m["of"] in ("cpu", "pmc"):
        expr = f"{'sum' if unit['counter'] else 'avg'} without (cpu) ({expr})"
    untyped = unit["counter"] and own and not own.endswith("_total")  # in the units of the kernel
    return expr + (f" * {float(unit['scale']):.0f}" if untyped and float(unit["scale"]) > 1 else "")


def grafana_legend(m):
    """The legend of a line: its labels or its metric, and its device, process or the like."""
    labels = re.findall(r"[{,](\w+)=", prom(m))
    legend = "".join("{{%s}} " % label for label in labels) or m.name
    of = m["of"] or "none"
    return legend + (" {{%s}}" % DIMENSIONS[of]["label"] if of not in ("none", "cpu", "pmc") else "")


def grafana_panel(number, x, y, title, shown):
    return {"id": number, "type": "timeseries", "title": title, "datasource": GRAFANA_SOURCE,
            "gridPos": {"x": x, "y": y, "w": 12, "h": 8},
            "fieldConfig": {"defaults": {"unit": GRAFANA_UNITS[UNITS[shown[0]["unit"]]["shown"]]}, "overrides": []},
            "targets": [{"refId": chr(ord("A") + k), "datasource": GRAFANA_SOURCE, "expr": grafana_expr(m),
                         "legendFormat": grafana_legend(m)} for k, m in enumerate(shown)]}


def grafana():
    titles = {}
    for m in MEASURED:
        if m["panel"]:
            titles.setdefault(m["panel"], []).append(m)
    panels, y = [], 0
    for row, groups in GRAFANA_ROWS.items():
        panels.append({"id": len(panels) + 1, "type": "row", "title": row, "gridPos": {"x": 0, "y": y, "w": 24, "h": 1}, "panels": []})
        shown = [t for t in titles.items() if SOURCES[t[1][0]["source"]]["group"] in groups]
        for k, (title, of_title) in enumerate(shown):
            panels.append(grafana_panel(len(panels) + 1, k % 2 * 12, y + 1 + k // 2 * 8, title, of_title))
        y += 1 + (len(shown) + 1) // 2 * 8
    instance = {"name": "instance", "type": "query", "datasource": GRAFANA_SOURCE, "refresh": 2, "includeAll": True, "multi": True,
                "query": "label_values(kvis_build_info, instance)"}
    board = json.dumps({"title": "kvis", "uid": "kvis", "tags": ["kvis"], "schemaVersion": 38, "refresh": "30s",
                       "time": {"from": "now-1h", "to": "now"},
                       "templating": {"list": [{"name": "datasource", "type": "datasource", "query": "prometheus"}, instance]},
                       "panels": panels}, separators=(",", ":"))
    return board.replace('{"id"', '\n{"id"') + "\n"  # a line per panel


# --- all of them ---

ONCE = {
    "fields": lambda: man_list("fields", fields()),
    "findings": lambda: man_list("findings", findings()),
    "metrics": lambda: man_list("metrics", metrics()),
    "screen_keys": lambda: read("manual/screen.keys"),
    "commands": lambda: "".join(n + " " for n in NAMES),
    "choices": lambda: "".join(n + "|" for n in NAMES),
}
EACH = {
    "usage": lambda c: f"  {c.name:10} {c['help']}\n",
    "synopsis": synopsis,
    "options": option_list,
    "command_list": command_list,
    "bash_values": bash_values,
    "bash_words": bash_words,
    "zsh_commands": zsh_commands,
    "zsh_options": zsh_options,
    "fish_commands": fish_commands,
    "fish_options": fish_options,
}


def fill(file):
    """A file of manual/ with its parts filled in. A part on a line of its own ends with its own newline."""
    def part(m):
        name, _, command = m[1].partition(" ")
        if name in EACH and (not command or command in NAMES):
            return "".join(EACH[name](c) for c in COMMANDS if command in ("", c.name))
        if name not in ONCE or command:
            sys.exit(f"gen/manual/{file}: there is no part {m[0].strip()}")
        return ONCE[name]()
    return re.sub("^{{([a-z_ ]+)}}\n|{{(?!date}}|version}})([a-z_ ]+)}}", lambda m: part([m[0], m[1] or m[2]]), read("manual/" + file),
                  flags=re.M)


def main():
    os.makedirs(os.path.join(GEN, "out/texts"), exist_ok=True)
    texts = {file: fill(file) for file in sorted(os.listdir(os.path.join(GEN, "manual")))}
    texts["grafana.json"] = grafana()
    for name, text in texts.items():
        with open(os.path.join(GEN, "out/texts", name), "w", encoding="utf-8") as f:
            f.write(text)


main()
