/* The report of kvis diff: draws the object of --json and the command runs of both recordings (df_page in
 * kvis.c). All tables have the same columns. Parts: numbers, tables, timelines, the page. */
(() => {
const d = json("diff"), lines = json("timelines"), SIDES = ["a", "b"];
const PROC = d.a.backend === "proc";

/* ---- numbers ---- */

const known = r => r.a !== undefined && r.b !== undefined;
const change = r => (r.b ?? 0) - (r.a ?? 0);
const shown = (v, f) => v === undefined ? "n/a" : v === null ? "–" : f(v);
const signed = (v, f) => v ? (v > 0 ? "+" : "−") + f(Math.abs(v)) : f(0);
const percent = r => !known(r) ? "" : r.a === null ? "new" : r.b === null ? "gone" : r.a ? signed((r.b / r.a - 1) * 100, v => v.toFixed(1) + "\u00a0%") : "";
const both = (x, y, f = count) => (x === y ? [x] : [x, y]).map(v => shown(v, f).replaceAll(" ", "\u00a0")).join(f === count ? "\u00a0→\u00a0" : " →\u00a0");
const worse = r => !known(r) || !change(r) ? "" : change(r) > 0 ? "more" : "less";

/* A row: name, number in A and in B (null: the recording has no such row; undefined: unknown), function that formats the
 * numbers, and texts of further columns. */
const row = (name, a, b, f, ...more) => ({ name, a, b, f, more });
const side = (r, key) => SIDES.map(k => r[k] === null ? null : r[k]?.[key]);

/* ---- tables ---- */

const MOST = 2000;

function line(r, most) {
  const bars = el("td", { className: "bars" });
  if (known(r)) for (const k of SIDES) {
    const b = el("b", { className: k });
    b.style.width = 100 * (r[k] ?? 0) / (most || 1) + "%";
    bars.append(b);
  }
  const cell = (text, cls = "n") => el("td", { className: cls, textContent: text });
  return el("tr", {}, el("th", { scope: "row", textContent: esc(r.name) }), ...r.more.map(t => cell(t, "n two")), cell(shown(r.a, r.f)), cell(shown(r.b, r.f)),
    cell(known(r) ? signed(change(r), r.f) : "n/a", "n " + worse(r)), cell(percent(r), "n " + worse(r)), bars);
}

/* Adds a section with the rows in the order of the JSON. some: number of rows shown at first. */
function table(id, title, what, first, more, rows, some = 10) {
  if (!rows.length) return;
  const scale = new Map();              /* sizes and times have separate scales */
  for (const r of rows) scale.set(r.f, Math.max(scale.get(r.f) ?? 0, r.a ?? 0, r.b ?? 0));
  const body = el("tbody"), heads = [first, ...more, "A", "B", "change", "%", "A above B"];
  const fill = n => body.replaceChildren(...rows.slice(0, n).map(r => line(r, scale.get(r.f))));
  const all = el("button", { textContent: `all ${count(rows.length)} rows`, hidden: rows.length <= some });
  all.onclick = () => {
    fill(MOST);
    all.replaceWith(rows.length > MOST ? `the first ${count(MOST)} of ${count(rows.length)} rows; --json has all` : "");
  };
  fill(some);
  $("changes").append(el("section", { id, className: PROC || more.length > 2 ? "large" : "" }, el("h2", { textContent: title }), el("p", { textContent: what }),
    el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((t, i) => el("th", { scope: "col", className: i ? "n" : "", textContent: t })))), body), all));
}

const NUMBERS = [["wall time", "wall_ns", span], ["CPU time", "cpu_ns", span, 1], ["user CPU time", "user_cpu_ns", span, 1],
  ["system CPU time", "system_cpu_ns", span, 1], ["waiting for a CPU", "sched_wait_ns", span], ["waits for a CPU", "sched_waits", count],
  ["disk requests", "block_ios", count], ["total time of disk requests", "block_io_ns", span], ["peak memory of a process", "max_rss", size, 1],
  ["commands", "commands", count], ["processes", "processes", count], ["threads", "threads", count], ["calls", "syscalls", count],
  ["files: read", "file_in", size], ["files: written", "file_out", size], ["sockets: received", "net_in", size], ["sockets: sent", "net_out", size],
  ["processes that failed", "exited_nonzero", count], ["processes killed", "killed", count], ["lost records", "lost", count]];

/* Returns the totals that a recording has. For some of them, 0 means unknown. */
function whole() {
  const get = (k, key, unknown) => unknown && !d[k][key] ? undefined : d[k][key];
  return NUMBERS.filter(([, key]) => d.a[key] || d.b[key]).map(([name, key, f, unknown]) => row(name, get("a", key, unknown), get("b", key, unknown), f));
}

const PARTS = [["on a CPU", "on_cpu_ns"], ["waiting for a CPU", "runq_ns"], ["waiting for a disk", "disk_ns"], ["blocked", "other_ns"]];

/* Divides the time of all calls, and of each call. */
function waits() {
  const rows = [], sums = PARTS.map(([what, key]) => row("all calls: " + what, ...SIDES.map(k =>
    d.calls.reduce((s, c) => c[k]?.[key] === undefined ? s : (s ?? 0) + c[k][key], undefined)), span));
  for (const c of d.calls)
    for (const [what, key] of PARTS) rows.push(row(`${c.name}: ${what}`, ...side(c, key), span));
  const has = r => (r.a || r.b) && change(r);
  return sums.some(known) ? [...sums.filter(r => r.a || r.b), ...rows.filter(has).sort((x, y) => Math.abs(change(y)) - Math.abs(change(x)))] : [];
}

const failures = c => both(c.a?.failed ?? 0, c.b?.failed ?? 0);

function tables() {
  table("whole", "The whole run", "", "number", [], whole(), MOST);
  table("commands", "Commands", "Time that each command ran while none of its children did.", "command", ["runs", "failed", ...PROC ? ["CPU time"] : []],
    d.commands.map(c => row(c.name, ...side(c, "own_ns"), span, both(...side(c, "runs")), failures(c), ...PROC ? [both(...side(c, "cpu_ns"), span)] : [])));
  table("calls", "Calls", "Time from the call to its return.", "call", ["calls", "p50", "p99"],
    d.calls.filter(c => c.change || c.a.calls !== c.b.calls).map(c => row(c.name, ...side(c, "total_ns"), span, both(...side(c, "calls")),
      both(...side(c, "p50_ns"), span), both(...side(c, "p99_ns"), span))));
  table("waits", "Waits", "Parts of the time of calls.", "call", [], waits());
  table("files", "Files", "Bytes read and written.", "file", ["opens"], d.files.map(f => row(f.name, ...side(f, "bytes"), size, both(...side(f, "opens")))));
  table("peers", "Network", "Bytes sent and received.", "address", ["opens"], d.peers.map(p => row(p.name, ...side(p, "bytes"), size, both(...side(p, "opens")))));
  table("failed", "Failed calls", "Number of failures, by call and error.", "call", [], d.failed.map(f => row(`${f.name} ${f.error}`, f.a, f.b, count)));
}

/* ---- timelines ---- */

const COLOURS = 8, LANE = 16, LANES = 60;

/* Puts each run into the first free lane, below its parent. Returns the number of lanes. */
function lanes(runs) {
  const free = [];
  for (const r of runs) {
    let k = free.findIndex(t => t <= r.from);
    if (k < 0) k = free.length;
    free[k] = r.to;
    r.lane = k;
  }
  return free.length;
}

function ruler(end) {
  const unit = 10 ** Math.floor(Math.log10(end / 4)), step = [5, 2, 1].map(k => k * unit).find(s => end / s >= 4) ?? unit, axis = el("div", { className: "axis" });
  for (let t = 0; t <= end; t += step) {
    const mark = el("span", { textContent: +(t / 1e9).toPrecision(4) + " s" });
    mark.style.left = 100 * t / end + "%";
    axis.append(mark);
  }
  return axis;
}

function timeline(k, runs, end, colour) {
  const n = lanes(runs), box = el("div", { className: "lanes" }), { shorter, least_ns } = lines[k], name = k.toUpperCase();
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", `timeline of ${name}: ${count(runs.length)} commands`);
  box.style.height = LANE * Math.min(n, LANES) + "px";
  for (const r of runs) {
    if (r.lane >= LANES) continue;
    const bar = el("span", { className: colour.has(r.name) ? "" : "rest", textContent: esc(r.name),
      title: `${esc(r.name)}, pid ${r.pid}\n${span(r.from)} – ${span(r.to)}: ${span(r.to - r.from)}${r.failed ? ", failed" : ""}` });
    bar.style.cssText = `left:${100 * r.from / end}%;width:${100 * (r.to - r.from) / end}%;top:${LANE * r.lane}px;--fill:var(--line${colour.get(r.name)})`;
    box.append(bar);
  }
  const stop = el("i");
  stop.style.left = 100 * d[k].wall_ns / end + "%";
  box.append(stop);
  const notes = [span(d[k].wall_ns), `${count(d[k].commands || runs.length + shorter)} commands`, ...shorter ? [`${count(shorter)} shorter than ${span(least_ns)} are not drawn`] : [],
    ...n > LANES ? [`${count(n - LANES)} more concurrent rows are not drawn`] : []];
  return el("figure", {}, el("figcaption", {}, el("b", { textContent: `${name}: ${esc(d[k].file)}` }), el("span", { textContent: notes.join(" · ") })), ruler(end), box);
}

function timelines() {
  const runs = SIDES.map(k => lines[k].runs.map(([from, ns, pid, failed, name]) => ({ from: Math.max(from, 0), to: Math.max(from + ns, 0), pid, failed, name }))
    .sort((x, y) => x.from - y.from || y.to - x.to));
  if (!runs[0].length && !runs[1].length) return;
  const end = [...runs.flat().map(r => r.to), d.a.wall_ns, d.b.wall_ns].reduce((x, y) => Math.max(x, y), 1);
  const here = new Set(runs.flat().map(r => r.name)), names = [...d.commands.map(c => c.name).filter(n => here.has(n)), ...here];
  const colour = new Map([...new Set(names)].slice(0, COLOURS).map((n, i) => [n, i]));
  $("runs").append(el("h2", { textContent: "Timelines" }), el("p", { textContent: "Both timelines begin with the exec of the command, and have the same scale." }),
    ...SIDES.map((k, i) => timeline(k, runs[i], end, colour)), el("p", { className: "chips" }, ...[...colour].map(([n, i]) => {
      const mark = el("i");
      mark.style.background = `var(--line${i})`;
      return el("span", {}, mark, esc(n));
    }), el("span", {}, el("i", { className: "end" }), "end of the command")));
}

/* ---- the page ---- */

/* Adds a line about the largest change of each kind. */
function stand() {
  const say = (what, r, id) => r && known(r) && change(r) && $("stands").append(el("li", {}, el("b", { textContent: what }), el("span", {},
    el("a", { href: "#" + id, textContent: esc(r.name).slice(-60) }), ` ${both(r.a, r.b, r.f)}${percent(r) && ` (${percent(r)})`}`)));
  const most = (list, key, f) => list.length ? row(list[0].name, ...side(list[0], key), f) : undefined;
  const run = whole(), one = name => run.find(r => r.name === name);
  say("Time", one("wall time"), "whole");
  say("CPU", one("CPU time"), "whole");
  say("Memory", one("peak memory of a process"), "whole");
  say("Command", most(d.commands, "own_ns", span), "commands");
  say("Call", most(d.calls, "total_ns", span), "calls");
  say("File", most(d.files, "bytes", size), "files");
  say("Network", most(d.peers, "bytes", size), "peers");
}

const notes = [d.other_calls && "Different calls were traced (-e): only calls traced in both recordings are compared; opens and bytes of files and addresses include only traced calls.",
  ...SIDES.map(k => d[k].lost === null && `The number of lost records of ${k.toUpperCase()} is unknown.`),
  ...SIDES.map(k => d[k].lost && `${count(d[k].lost)} records of ${k.toUpperCase()} were lost.`),
  !PROC && !d.calls.some(c => c.change !== undefined) && "A recording lacks the times of calls: record with -v, -c or -C.",
  !PROC && !waits().length && "The parts of the time of calls are unknown: only the hybrid backend records them.",
  d.left_out && `${count(d.left_out)} processes or commands are omitted, because there were too many at the same time or their names took too much memory.`].filter(Boolean);
$("note").hidden = !notes.length;
$("note").textContent = notes.join("\n");
$("command").textContent = lines.command;
$("where").textContent = esc(`A: ${d.a.file} (${d.a.backend}) · B: ${d.b.file} (${d.b.backend})`) + " · names that differ by chance share one row, with * for the differing part";
document.title = "kvis diff: " + lines.command.slice(0, 80);
stand();
timelines();
tables();
document.body.dataset.ready = "1";
})();
