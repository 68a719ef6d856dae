/* The report of kvis monitor; section mout_ of kvis.c describes its data. Each metric is a chart with a line
 * per instance, each distribution a heat map. They are drawn as SVG when they come into view; the style
 * sheet determines size and theme. Parts: data, text, charts, heat maps, pointer, the page. */
(() => {
const run = json("run"), facts = json("facts");

/* ---- data ---- */

const bytes = [...document.querySelectorAll("script[type='application/octet-stream']")].map(s =>
  Uint8Array.from(atob(s.textContent), c => c.charCodeAt(0)));
const all = new Uint8Array(bytes.reduce((n, b) => n + b.length, 0));
bytes.reduce((at, b) => (all.set(b, at), at + b.length), 0);
const W = new Uint32Array(all.buffer), V = new Float32Array(all.buffer);
const DIST = 2 ** 31, WORDS = facts.every === 1 ? 1 : 4; /* words per point */

const rows = facts.points.map(([n, from, to]) => ({ n, from, to }));
const points = new Map();             /* line => [[row, lowest, highest, mean, number of intervals]...] */
const cells = new Map();              /* heat map => [[row, [cell, count, cell, count...]]...] */

function readPoints(p) {
  const [line, first, n] = W.subarray(p, p + 3), list = [], point = (r, q) => WORDS === 1 ? [r, V[q], V[q], V[q], 1] : [r, V[q], V[q + 1], V[q + 2], W[q + 3]];
  for (let k = 0; k < n; k++) if (!isNaN(V[p + 3 + k * WORDS])) list.push(point(first + k, p + 3 + k * WORDS));
  points.set(line, list);
  return p + 3 + n * WORDS;
}
function readCell(p) {
  const map = cells.get(W[p] - DIST) ?? [];
  cells.set(W[p] - DIST, map);
  if (map.at(-1)?.[0] !== W[p + 1]) map.push([W[p + 1], []]);
  map.at(-1)[1].push(W[p + 2], W[p + 3]);
  return p + 4;
}
for (let at = 0; at < W.length;) at = W[at] < DIST ? readPoints(at) : readCell(at);
const FROM = rows[0]?.from ?? 0, TO = rows.at(-1)?.to ?? 1;
const push = (map, key, v) => map.has(key) ? map.get(key).push(v) : map.set(key, [v]);

/* ---- text ---- */

const num = v => Math.abs(v) >= 1e4 ? count(Math.round(v)) : String(+v.toPrecision(5));
const short = v => +v.toPrecision(5);
const UNITS = [num, v => num(v) + "/s", v => num(v * 100) + " %", v => size(short(v)), v => size(short(v)) + "/s",
  v => span(short(v * 1e9)), v => v.toFixed(1) + " °C", v => num(v / 1e6) + " MHz", v => span(short(v)), v => num(v) + " W",
  v => num(v) + " °C/s"];
const RATIO = 2, CELSIUS = 6;
/* Axes and captions have three digits; the tip at the pointer has more. */
const rough = text => text.replace(/\d[\d\u202f]*(\.\d+)?/, s => num(+(+s.replaceAll("\u202f", "")).toPrecision(3)));
const ROUGH = UNITS.map(f => v => rough(f(v)));
const ofCell = { nsecs: span, bytes: size, tasks: String };
const secs = ns => (ns / 1e9).toFixed(ns < 1e11 ? 2 : 0) + " s";
const at = ns => new Date((run.start_realtime_ns + ns) / 1e6).toLocaleTimeString("sv");
const when = r => secs(rows[r].to) + " · " + at(rows[r].to) + (rows[r].n > 1 ? ` · ${rows[r].n} intervals` : "");
const named = l => [l.part, l.dim ? `${l.dim} ${esc(l.name)}` : "", l.info ? `(${esc(l.info)})` : ""].filter(Boolean).join(" ") || "all";

/* ---- charts ---- */

const SVG = "http://www.w3.org/2000/svg";
const X = ns => (1000 * (ns - FROM) / (TO - FROM)).toFixed(1);
const LEGEND = 8;
const colour = k => k < LEGEND ? `var(--line${k})` : "var(--dim)";

/* Returns clock times for the axis, at most as many as fit. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400].map(s => s * 1e9);
function ticks() {
  const span = TO - FROM, step = STEPS.find(s => span / s <= 5) ?? 864e11 * Math.ceil(span / 864e11 / 5);
  const zone = new Date(run.start_realtime_ns / 1e6).getTimezoneOffset() * 6e10, first = run.start_realtime_ns - zone;
  const out = [];
  for (let t = Math.ceil((first + FROM) / step) * step - first; t <= TO; t += step)
    if (t >= FROM && (t - FROM) / span < .86) out.push([(t - FROM) / span, step < 6e10 ? at(t) : at(t).slice(0, 5)]);
  return out.length ? out : [[0, at(FROM)]];
}
const TICKS = ticks();

function axis() {
  return el("div", { className: "axis" }, ...TICKS.map(([k, text]) => {
    const s = el("span", {}, text);
    s.style.left = `calc(64px + ${k} * (100% - 64px))`;
    return s;
  }));
}

function shape(svg, d, props) {
  const p = document.createElementNS(SVG, "path");
  for (const [k, v] of Object.entries({ d, "vector-effect": "non-scaling-stroke", ...props })) p.setAttribute(k, v);
  svg.append(p);
}

/* A value is a horizontal line over its interval. Intervals without a value have no line. */
function drawLine(svg, l, y) {
  let d = "", band = "", last = -2, was;
  for (const [r, lo, hi, v] of l.points) {
    const a = X(rows[r].from), b = X(rows[r].to);
    d += (r === last + 1 ? v === was ? "" : `H${a}V${y(v)}` : (last >= 0 ? `H${X(rows[last].to)}` : "") + `M${a} ${y(v)}`);
    if (hi > lo) band += `M${a} ${y(hi)}H${b}V${y(lo)}H${a}Z`;
    last = r, was = v;
  }
  if (band) shape(svg, band, { fill: l.colour, stroke: l.colour, opacity: .45, "stroke-width": .7 });
  shape(svg, d + `H${X(rows[last].to)}`, { fill: "none", stroke: l.colour, "stroke-width": rows.length > 300 ? 1 : 1.5 });
}

/* Draws stacked areas. */
function drawStack(c, y) {
  const below = new Map();
  for (const l of c.drawn.filter(l => !l.off)) {
    let d = "", over = [], under = [], last = -2;
    const close = () => {
      if (over.length) d += `M${over.join("L")}L${under.reverse().join("L")}Z`;
      over = [], under = [];
    };
    for (const [r, , , v] of l.points) {
      const a = X(rows[r].from), b = X(rows[r].to), from = below.get(r) ?? 0;
      if (r !== last + 1) close();
      over.push(`${a} ${y(from + v)}`, `${b} ${y(from + v)}`), under.push(`${a} ${y(from)}`, `${b} ${y(from)}`);
      below.set(r, from + v), last = r;
    }
    close();
    shape(c.svg, d, { fill: l.colour, stroke: "none" });
  }
}

const seen = c => c.lines.filter(l => !l.off);

/* Returns the lowest and highest value of lines, and a function from values to y coordinates. */
function scale(c, lines) {
  const list = lines.flatMap(l => l.points);
  let hi = list.length ? highest(list, 2) : 1, lo = list.length ? lowest(list, 1) : 0;
  if (c.unit !== CELSIUS) lo = Math.min(lo, 0), hi = Math.max(hi, c.stack ? 1 : 0);
  if (hi === lo) hi = lo + 1;
  return [lo, hi, v => (98 - 96 * (v - lo) / (hi - lo)).toFixed(2)];
}

/* Lines that would look the same are drawn once, with one legend entry. Lines with the highest values come
 * first; those that do not fit into the legend are "others". */
function legend(c) {
  const same = new Map(), [, , y] = scale(c, c.lines);
  for (const l of c.lines) push(same, c.stack ? l.part : l.points.map(p => [p[0], y(p[1]), y(p[2]), y(p[3])].join()).join(" "), l);
  const groups = [...same.values()], peak = g => highest(g[0].points, 2);
  const most = new Set(groups.length > LEGEND ? [...groups].sort((a, b) => peak(b) - peak(a)).slice(0, LEGEND - 1) : groups);
  const shown = groups.filter(g => most.has(g)), others = groups.filter(g => !most.has(g));
  shown.forEach((g, k) => g.forEach(l => l.colour = colour(k)));
  others.forEach(g => g.forEach(l => l.colour = colour(LEGEND)));
  c.drawn = c.stack ? c.lines : [...others, ...shown].map(g => g[0]);
  c.legend = shown.map(g => [g.length > 3 ? `${named(g[0])} and ${g.length - 1} more` : g.map(named).join(", "), g]);
  if (others.length) c.legend.push([`others (${others.flat().length})`, others.flat()]);
}
const lowest = (list, k) => list.reduce((a, p) => Math.min(a, p[k]), Infinity);
const highest = (list, k) => list.reduce((a, p) => Math.max(a, p[k]), -Infinity);

function drawChart(c) {
  const [lo, hi, y] = scale(c, seen(c));
  c.svg.replaceChildren();
  if (c.stack) drawStack(c, y);
  else for (const l of c.lines.some(l => l.off) ? c.lines : c.drawn) if (!l.off) drawLine(c.svg, l, y);
  c.high.textContent = ROUGH[c.unit](hi);
  c.low.textContent = ROUGH[c.unit](lo);
}

/* Describes a chart in words. */
function inWords(c) {
  const list = c.lines.flatMap(l => l.points), f = ROUGH[c.unit];
  const mean = list.reduce((a, p) => a + p[3] * p[4], 0) / list.reduce((a, p) => a + p[4], 0);
  const lo = f(lowest(list, 1)), hi = f(highest(list, 2));
  return lo === hi ? lo : `${lo} – ${hi}` + (c.lines.length > 1 ? "" : `, mean ${f(mean)}`);
}

function tellChart(c, r) {
  const f = UNITS[c.unit], list = seen(c).map(l => [l, l.points.find(p => p[0] === r)]).filter(x => x[1]);
  list.sort((a, b) => b[1][3] - a[1][3]);
  return list.slice(0, 20).map(([l, [, lo, hi, v]]) => (c.several ? named(l) + "  " : "") + f(v)
    + (hi > lo ? `  (${f(lo)} – ${f(hi)})` : "")).join("\n") + (list.length > 20 ? `\n… ${list.length - 20} more` : "")
    || "no value at that time";
}

/* Joins p50, p90, p99 and max of a metric into one chart. */
function joined(charts) {
  const PART = /_(p50|p90|p99|max)(?=(_ns|_bytes)?$)/, whole = new Map(), out = [];
  const base = c => c.name.replace(PART, "");
  for (const c of charts) if (PART.test(c.name)) push(whole, base(c), c);
  for (const c of charts) {
    const parts = whole.get(base(c));
    if (!PART.test(c.name) || parts.length < 4) out.push(c);
    else if (parts[0] === c)
      out.push({ ...c, name: c.name.replace(PART, "_{p50,p90,p99,max}"), find: parts.map(p => p.name).join(" "), lines: parts.flatMap(p => p.lines.map(l => ({ ...l, part: p.name.match(PART)[1] }))) });
  }
  return out;
}

/* ---- heat maps: time on the x axis, values on the y axis, counts as shades ---- */

const SHADES = 8, COLUMNS = 600;
const low = q => q < 16 ? q : (16 + (q - 16) % 4 * 4) * 2 ** Math.floor((q - 16) / 4);

function drawHeat(h) {
  const step = Math.ceil(rows.length / COLUMNS), columns = new Map();
  for (const [r, list] of h.points) {
    const k = Math.floor(r / step), col = columns.get(k) ?? new Map();
    columns.set(k, col);
    for (let i = 0; i < list.length; i += 2) col.set(list[i], (col.get(list[i]) ?? 0) + list[i + 1]);
  }
  /* counts per second, because columns can differ in length */
  const rate = [], paths = Array(SHADES).fill("");
  for (const [k, col] of columns) {
    const a = rows[k * step], b = rows[Math.min((k + 1) * step, rows.length) - 1];
    for (const [q, n] of col) rate.push([q, n * 1e9 / (b.to - a.from || 1), X(a.from), X(b.to)]);
  }
  const most = Math.log1p(highest(rate, 1)), height = 100 / (h.last - h.first + 1);
  for (const [q, v, x0, x1] of rate) {
    const y = k => (100 - (q - h.first + k) * height).toFixed(2);
    paths[Math.min(SHADES - 1, Math.floor(SHADES * Math.log1p(v) / most))] += `M${x0} ${y(1)}H${x1}V${y(0)}H${x0}z`;
  }
  h.svg.replaceChildren();
  paths.forEach((d, k) => d && shape(h.svg, d, { fill: "var(--accent)", "fill-opacity": (k + 1) / SHADES, "shape-rendering": "crispEdges" }));
}

const between = (h, q) => low(q + 1) - low(q) === 1 ? h.show(low(q)) : `${h.show(low(q))} – ${h.show(low(q + 1))}`;

function tellHeat(h, r, q) {
  const list = h.points.find(p => p[0] === r)?.[1] ?? [];
  let n = 0, here = 0;
  for (let i = 0; i < list.length; i += 2) n += list[i + 1], here += list[i] === q ? list[i + 1] : 0;
  return `${between(h, q)}: ${here === 2 ** 32 - 1 ? "at least " : ""}${count(here)} of ${count(n)}`;
}

/* ---- the tip at the pointer ---- */

const now = { c: null, r: 0, q: 0 };

function rowAt(t) {
  let a = 0, b = rows.length - 1;
  while (a < b) {
    const m = (a + b) >> 1;
    if (rows[m].to < t) a = m + 1;
    else b = m;
  }
  return a;
}

/* Shows the values of a row at a position in the window, and the row's time in all charts. */
function tell(c, r, q, x, y) {
  Object.assign(now, { c, r, q });
  const t = $("tip"), mid = (rows[r].from + rows[r].to) / 2;
  document.body.style.setProperty("--at", (mid - FROM) / (TO - FROM));
  document.body.classList.add("told");
  t.hidden = false;
  t.textContent = when(r) + "\n" + (c.heat ? tellHeat(c, r, q) : tellChart(c, r));
  t.style.left = Math.max(4, Math.min(x + 14, innerWidth - t.offsetWidth - 4)) + "px";
  t.style.top = Math.max(4, y + 18 + t.offsetHeight > innerHeight ? y - t.offsetHeight - 8 : y + 18) + "px";
}

function tellNothing() {
  $("tip").hidden = true;
  document.body.classList.remove("told");
}

/* Shows the tip of the keyboard's position. */
function tellHere(c, r, q) {
  const box = c.svg.getBoundingClientRect(), k = (rows[r].to - FROM) / (TO - FROM);
  tell(c, r, q, box.left + k * box.width, c.heat ? box.bottom - (q - c.first + .5) / (c.last - c.first + 1) * box.height : box.top);
}

function onKey(c, e) {
  const step = e.shiftKey ? 10 : 1, here = now.c === c ? now : { r: rows.length - 1, q: c.first };
  const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], Home: [-1e9, 0], End: [1e9, 0] };
  if (e.key === "Escape") return tellNothing();
  const [dr, dq] = moves[e.key] ?? [];
  if (dr === undefined || (dq && !c.heat)) return;
  e.preventDefault();
  tellHere(c, Math.max(0, Math.min(rows.length - 1, here.r + dr)), Math.max(c.first, Math.min(c.last, here.q + dq)));
}

function onPoint(c, e) {
  const box = c.svg.getBoundingClientRect(), k = (e.clientX - box.left) / box.width, up = (box.bottom - e.clientY) / box.height;
  const q = c.first + Math.floor(up * (c.last - c.first + 1));
  tell(c, rowAt(FROM + k * (TO - FROM)), Math.max(c.first, Math.min(c.last, q)), e.clientX, e.clientY);
}

/* ---- the page ---- */

const draw = c => (c.heat ? drawHeat : drawChart)(c);
const views = new Map();
const watch = new IntersectionObserver(list => {
  for (const e of list) if (e.isIntersecting) draw(views.get(e.target)), watch.unobserve(e.target);
}, { rootMargin: "300px" });

function chip(c, [text, lines]) {
  const mark = el("i"), b = el("button", { className: "chip" }, mark, text);
  mark.style.background = lines[0].colour;
  b.setAttribute("aria-pressed", "true");
  b.onclick = () => {
    const off = !lines[0].off;
    for (const l of lines) l.off = off;
    b.setAttribute("aria-pressed", String(!off));
    drawChart(c);
  };
  return b;
}

/* Makes the figure of a chart or heat map: name, description, plot, legend. */
function figure(c) {
  c.svg = document.createElementNS(SVG, "svg");
  c.svg.setAttribute("viewBox", "0 0 1000 100");
  c.svg.setAttribute("preserveAspectRatio", "none");
  c.high = el("span", { className: "high" }), c.low = el("span", { className: "low" });
  c.plot = el("div", { className: "plot", tabIndex: 0 }, c.svg, c.high, c.low);
  c.plot.setAttribute("role", "img");
  c.plot.setAttribute("aria-label", `${c.title}: ${c.words}`);
  c.plot.onpointermove = c.plot.onpointerdown = e => onPoint(c, e);
  c.plot.onpointerleave = tellNothing;
  c.plot.onblur = tellNothing;
  c.plot.onkeydown = e => onKey(c, e);
  const name = el("button", { onclick: () => c.view.classList.toggle("large"), title: (c.help ? c.help + " " : "") + "(click to enlarge or shrink)" }, c.title);
  c.view = el("figure", {}, el("figcaption", {}, name, el("span", {}, c.words)), c.plot, axis());
  c.view.dataset.name = c.title;
  if (c.several) c.view.append(el("div", { className: "chips" }, ...c.legend.map(g => chip(c, g))));
  views.set(c.view, c);
  watch.observe(c.view);
  return c.view;
}

function makeCharts() {
  const list = facts.charts.map(c => ({ ...c, lines: c.lines.map(([line, dim, name, info]) => ({ dim, name, info, points: points.get(line) })) }));
  return joined(list).map(c => {
    c.lines.sort((a, b) => !!a.dim - !!b.dim);  /* draw the sum below the others */
    legend(c);
    return { ...c, title: c.name, words: inWords(c), group: facts.sources[c.source], first: 0, last: 0,
      several: c.lines.length > 1 || named(c.lines[0]) !== "all",
      zero: c.lines.every(l => l.points.every(p => !p[1] && !p[2])) };
  });
}

/* The charts at the top: values of the machine that belong together. */
const OVERVIEW = {
  "CPU time": { user_ratio: "user", nice_ratio: "nice", system_ratio: "system", irq_ratio: "interrupts", softirq_ratio: "softirqs",
    steal_ratio: "stolen", iowait_ratio: "idle, I/O wait" },
  "run queue": { procs_running: "runnable tasks", procs_blocked: "tasks waiting for I/O", load1: "load over 1 minute" },
  "memory": { memory_total_bytes: "total", memory_available_bytes: "available", memory_cached_bytes: "page cache", memory_anon_bytes: "programs" },
  "disks": { disk_read_bytes_per_second: "read", disk_written_bytes_per_second: "written" },
  "power": { power_package_watts: "package", power_dram_watts: "DRAM" },
};
function overview(charts) {
  return Object.entries(OVERVIEW).flatMap(([title, parts]) => {
    const of = charts.filter(c => c.name in parts);
    const lines = Object.keys(parts).flatMap(name => (of.find(c => c.name === name)?.lines ?? []).filter(l => !l.dim)
      .map(l => ({ ...l, part: parts[name], info: "" })));
    if (!lines.length) return [];
    const c = { title, lines, unit: of[0].unit, find: Object.keys(parts).join(" "), several: true, first: 0, last: 0, stack: of[0].unit === RATIO };
    if (c.stack) c.lines = lines.filter(l => l.part === "user" || highest(l.points, 2) > 0);
    c.words = c.stack ? "100 %: all CPUs" : inWords(c);
    legend(c);
    return [c];
  });
}

function makeHeat([map, name, unit, source, dim, thing]) {
  const list = cells.get(map), h = { heat: true, points: list, group: facts.sources[source] };
  const used = list.flatMap(p => p[1].filter((_, k) => k % 2 === 0));
  h.first = used.reduce((a, q) => Math.min(a, q)), h.last = used.reduce((a, q) => Math.max(a, q));
  h.show = v => ofCell[unit](v);
  h.title = name + (dim ? ` · ${dim} ${esc(thing)}` : "");
  h.words = count(list.reduce((a, p) => a + p[1].reduce((n, v, k) => n + (k % 2 ? v : 0), 0), 0)) + " in all";
  figure(h);
  h.high.textContent = rough(h.show(low(h.last + 1))), h.low.textContent = rough(h.show(low(h.first)));
  return h;
}

function section(group, list) {
  const why = facts.unavailable.filter(u => facts.sources[u.source] === group);
  const s = el("section", { id: "g-" + group }, el("h2", {}, group), el("div", { className: "charts" }, ...list.map(c => c.view ?? figure(c))));
  if (why.length) s.append(el("details", {}, el("summary", {}, `not available (${why.length})`),
    el("ul", {}, ...why.map(u => el("li", {}, el("b", {}, u.source), ` ${u.metrics.join(", ")}: ${esc(u.reason)}`)))));
  const a = el("a", { href: "#g-" + group }, group);
  $("groups").append(a);
  $("charts").append(s);
}

function filter() {
  const q = $("q").value.toLowerCase();
  let n = 0;
  for (const c of views.values()) {
    c.view.hidden = !(c.find + " " + c.title).toLowerCase().includes(q) || (c.zero && !$("zeros").checked);
    n += !c.view.hidden;
  }
  for (const s of document.querySelectorAll("main section:not(#g-findings)")) s.hidden = q && !s.querySelector("figure:not([hidden])");
  $("count").textContent = `${n} of ${views.size} charts`;
}

function notes() {
  const out = [];
  if (facts.every > 1)
    out.push(`${facts.intervals} intervals are shown as ${rows.length} points of up to ${facts.every} intervals each: a line shows the mean, and the band `
      + "around it the minimum and maximum. Heat maps show sums.");
  if (facts.backwards) out.push(`Kernel counters that decreased (ignored): ${facts.backwards}.`);
  if (facts.dropped) out.push(`${facts.dropped} devices, processes or other instances are omitted because there were too many.`);
  if (facts.numbers_dropped) out.push(`${facts.numbers_dropped} metrics have no chart because there were too many.`);
  $("note").hidden = !out.length;
  $("note").textContent = out.join("\n");
}

/* ---- findings of kvis diagnose ---- */

const labels = o => Object.entries(o ?? {}).map(([k, v]) => ` ${k} ${esc(String(v))}`).join("");
const numbers = f => f.evidence.map(e => el("li", {}, (e.says ?? `${e.metric} = ${e.text}`) + labels(e.labels)
  + (e.source ? ` (threshold from: ${e.source})` : "")));
const culprits = f => f.culprits.map(({ metric, value, says, ...c }) => el("li", {}, `by${labels(c)}${says ? ": " + says : ""}`));

function finding(f) {
  const lost = f.lost_seconds_per_second > 0 ? `, ${+f.lost_seconds_per_second.toPrecision(3)} s lost per second` : "";
  return el("li", {}, el("b", {}, `${f.resource}: ${f.rule}`), ` (${f.severity})${lost}. ${f.sentence}.`,
    el("ul", {}, ...numbers(f), ...culprits(f), ...(f.kernel ? [el("li", {}, `kernel: ${esc(f.kernel)}`)] : [])),
    "next: ", el("code", {}, esc(f.next)));
}

function findings(d) {
  const use = r => ["utilization", "saturation", "errors"].filter(k => r[k]).map(k =>
    el("li", {}, `${r.name}, ${k}: ${r[k].says}${labels(r[k].labels)}`));
  $("charts").append(el("section", { id: "g-findings" }, el("h2", {}, "findings"),
    d.findings.length ? el("ol", {}, ...d.findings.map(finding)) : el("p", {}, "Nothing is saturated."),
    el("details", {}, el("summary", {}, "resources"), el("ul", {}, ...d.resources.flatMap(use))),
    el("details", {}, el("summary", {}, `not seen (${d.unseen.length})`),
      el("ul", {}, ...d.unseen.map(u => el("li", {}, `${u.what}: ${esc(u.why)}`))))));
  $("groups").append(el("a", { href: "#g-findings" }, "findings"));
}

document.title = "kvis monitor: " + run.host;
if ($("findings")) findings(json("findings"));
$("command").textContent = `on ${esc(run.host)}`;
$("where").textContent = `${esc(run.kernel)} ${esc(run.arch)} · ${new Date(run.start_realtime_ns / 1e6).toLocaleString("sv")} · `
  + `${secs(TO - FROM)} in ${facts.intervals} intervals of ${facts.interval_ns / 1e9} s · kvis ${esc(run.version)}`;
notes();
const charts = makeCharts(), heat = facts.heat.map(makeHeat), first = overview(charts);
if (first.length) section("overview", first);
for (const g of new Set(Object.values(facts.sources))) {
  const list = [...heat, ...charts].filter(c => c.group === g);
  if (list.length || facts.unavailable.some(u => facts.sources[u.source] === g)) section(g, list);
}
filter();
$("q").oninput = $("zeros").onchange = filter;
addEventListener("keydown", e => {
  if (e.key !== "/" || e.target.matches("input")) return;
  e.preventDefault();
  $("q").focus();
});
addEventListener("beforeprint", () => { for (const c of views.values()) if (!c.view.hidden && !c.svg.firstChild) draw(c); });
document.body.dataset.ready = "1";
})();
