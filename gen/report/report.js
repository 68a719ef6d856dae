/* The report: reads the recording after this script (section rec_ of kvis.c describes the format), keeps
 * its events as columns, and draws them. Text of the traced program enters the page only through
 * textContent and canvas. Parts: data, errors, processes, text, colours, filter, fragment, grid, tabs,
 * timeline, selected interval, highlights, flame view, controls. */
"use strict";
(() => {
const run = json("run"), sum = json("summary"), facts = json("facts");
const PROC = run.backend === "proc";  /* recorded by kvis proc: processes without calls */
const pause = () => new Promise(go => { const c = new MessageChannel(); c.port1.onmessage = go; c.port2.postMessage(0); });

/* ---- data: columns of all events ---- */

const TYPE = { str: 0, num: 1, dur: 2, size: 3, addr: 4, bool: 5, sym: 6, argv: 7 };
const CATS = ["file", "net", "memory", "process", "signal", "call", "kernel"];
const KERNEL = 6, CALL = 5;
const N = facts.kept;
const KERNEL_LANES = { sched_delay: "kernel: waits for a CPU", block_io: "kernel: block I/O", io_uring: "kernel: io_uring" };
const kinds = facts.kinds.map(k => ({ name: k[0], cat: Object.hasOwn(KERNEL_LANES, k[0]) ? KERNEL : k[1], text: k[2] }));
const K = Object.assign(Object.create(null), Object.fromEntries(kinds.map((k, i) => [k.name, i])));
/* Ids of the parts of a call; fields of events have ids below 96. */
const F = { name: 200, abi: 201, waker: 202, wakerName: 203, slept: 204, raw: 210, txt: 220, str: 230, cut: 240, ret: 250, rettext: 251,
  child: 252, cpu: 253, runq: 254, disk: 255 };
const NOISE = 1, NORET = 2, TIMED = 4, LATE = 8, ADDR = 16, ANSWER = 32;

let n = 0, cut = 0;                   /* number of events; number of strings that kvis truncated (-s) */
const ts = new Float64Array(N), dur = new Float64Array(N).fill(-1), bytes = new Float64Array(N);
const kind = new Uint8Array(N), track = new Uint32Array(N), err = new Uint16Array(N), flag = new Uint8Array(N);
const off = new Uint32Array(N + 1);   /* index in fid and val of an event's first value */
let fid = new Uint8Array(N * 5 + 64), val = new Float64Array(N * 5 + 64), nv = 0;
const exact = new Map();              /* index in val => number that a double cannot hold */
const longer = new Map();             /* event that began before the run => its full duration */
const took = i => longer.get(i) ?? dur[i];
const strs = [], strOf = new Map();
const fields = [], layout = [];       /* fields and kinds of the recording */
const tracks = [], procs = [], byTid = new Map(), byPid = new Map(), arrows = [];
const callNames = [];                 /* ids of strings */
let begin = 0, end = sum ? sum.duration_ns : 0;

function intern(s) {
  let id = strOf.get(s);
  if (id === undefined) {
    strOf.set(s, id = strs.length);
    strs.push(s);
  }
  return id;
}

/* Returns the id of a string. Bytes that are not UTF-8 become U+FFFD; hexOf keeps the original bytes. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true }), strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const hexOf = new Map(), ofHex = new Map();
const hex = b => Array.from(b, x => x.toString(16).padStart(2, "0")).join("");
const stringHex = id => hexOf.get(id) ?? hex(new TextEncoder().encode(strs[id]));
function internBytes(b) {
  const s = decoder.decode(b);
  if (!s.includes("\ufffd")) return intern(s);
  try { return intern(strict.decode(b)); } catch { /* not valid UTF-8 */ }
  const h = hex(b);
  let id = ofHex.get(h);
  if (id !== undefined) return id;
  let out = "";
  for (let i = 0; i < b.length;) {
    const len = b[i] < 0x80 ? 1 : b[i] < 0xe0 ? 2 : b[i] < 0xf0 ? 3 : 4;
    try { out += strict.decode(b.subarray(i, i + len)), i += len; } catch { out += "\ufffd", i++; }
  }
  ofHex.set(h, id = strs.length);
  hexOf.set(id, h);
  strs.push(out);
  return id;
}

function put(f, v) {
  if (nv === fid.length) {
    const a = new Uint8Array(nv * 2), b = new Float64Array(nv * 2);
    a.set(fid); b.set(val);
    fid = a; val = b;
  }
  fid[nv] = f;
  val[nv++] = v;
}

const isText = f => f < F.name ? fields[f].type === TYPE.str || fields[f].type >= TYPE.sym
  : f === F.name || f === F.abi || f === F.wakerName || f === F.rettext || (f >= F.txt && f < F.ret);

/* Returns the index in val of a field of event i, or -1. */
function place(i, f) {
  for (let k = off[i]; k < off[i + 1]; k++) if (fid[k] === f) return k;
  return -1;
}

/* Returns the value of a field of event i, or undefined. */
function get(i, f) {
  const k = place(i, f);
  return k < 0 ? undefined : isText(f) ? strs[val[k]] : val[k];
}

const hexAt = k => BigInt.asUintN(64, exact.get(k) ?? BigInt(val[k])).toString(16);
const numberAt = k => exact.get(k) ?? val[k];

/* Like --json: numbers beyond 2^53 are text. */
const jsonNumber = k => exact.has(k) && (exact.get(k) > 2n ** 53n || exact.get(k) < -(2n ** 53n)) ? String(exact.get(k)) : val[k];

const field = {};                     /* name => id */
const of = (i, name) => name in field ? get(i, field[name]) : undefined;

function newProc(pid, t) {
  const p = { pid, idx: procs.length, name: "", argv: "", start: t, end: -1, kids: [], threads: [],
    code: "", cpu: 0, faults: 0, calls: 0, parent: null, early: false, execs: [], used: -1, rss: -1, read: -1, written: -1, own: -1 };
  procs.push(p);
  byPid.set(pid, p);
  return p;
}

function trackOf(pid, tid, t) {
  let k = byTid.get(tid);
  if (k && k.pid === pid) return k;
  const p = byPid.get(pid) || newProc(pid, t);
  k = { pid, tid, idx: tracks.length, proc: p, start: t, calls: [], points: [] };
  tracks.push(k);
  p.threads.push(k);
  byTid.set(tid, k);
  return k;
}

const USED = [["used", "cpu_ns"], ["rss", "max_rss_bytes"], ["read", "bytes_read"], ["written", "bytes_written"]];

/* Updates the processes from an event. */
function learn(i, k) {
  const t = ts[i], p = k.proc;
  switch (kinds[kind[i]].name) {
  case "spawn_process": case "spawn_thread": {
    const thread = kinds[kind[i]].name === "spawn_thread", id = of(i, thread ? "child_tid" : "child_pid");
    if (!thread && byPid.get(id) && (PROC || byPid.get(id).end >= 0)) byPid.delete(id), byTid.delete(id);
    const c = trackOf(thread ? k.pid : id, id, t);
    if (!thread && !c.proc.parent && c.proc !== p) {
      c.proc.parent = p;
      p.name ||= of(i, "comm") || "";
      c.proc.name = c.proc.name || p.name;
      p.kids.push(c.proc);
    }
    arrows.push({ from: k, to: c, t, i });
    break;
  }
  case "exec": {
    if (err[i]) break;
    const args = words(of(i, "argv") || ""), program = of(i, "program") || "";
    p.argv = args.join(" ");
    if (of(i, "argv_cut")) p.argv += " …";
    p.name = (/^\/(proc\/self\/exe|dev\/fd\/\d+)$/.test(program) && args[0] || program).replace(/.*\//s, "");
    p.execs.push({ t, argv: p.argv || p.name, i });
    break;
  }
  case "exit_process":
    p.end = t;
    p.code = of(i, "signal") ?? String(of(i, "code") ?? "");
    p.name ||= of(i, "comm") || "";
    for (const [key, name] of USED) p[key] = of(i, name) ?? -1;
    break;
  case "fault": p.faults++; break;
  case "fault_group": p.faults += of(i, "count") || 0; break;
  }
}

/* Reads the blocks, with pauses for the browser. */
async function read(tell) {
  const parts = [...document.querySelectorAll('script[type="application/octet-stream"]')];
  const slot = new Int32Array(4096).fill(-1);
  let last = -1, pid = 0, tid = 0, t0 = performance.now(), d, p, names = new Map();
  let big = 0n;                       /* the last number read, if beyond 2^53 */
  const num = () => {
    const at = p;
    let b = d[p++];
    if (b < 128) return b;
    let v = b & 127, m = 128;
    do { b = d[p++]; v += (b & 127) * m; m *= 128; } while (b > 127);
    if (v > Number.MAX_SAFE_INTEGER) {
      big = 0n;
      for (let i = p; i-- > at;) big = big << 7n | BigInt(d[i] & 127);
    }
    return v;
  };
  const znum = () => {
    const v = num();
    if (v > Number.MAX_SAFE_INTEGER) return Number(big = big & 1n ? -(big >> 1n) - 1n : big >> 1n);
    return v % 2 ? -(v + 1) / 2 : v / 2;
  };
  const putNumber = (f, v) => {
    if (Math.abs(v) > Number.MAX_SAFE_INTEGER) exact.set(nv, big);
    put(f, v);
  };
  const str = () => {
    const ref = num(), at = ref >>> 1;
    if (!(ref & 1)) return slot[at];
    const len = num(), id = internBytes(d.subarray(p, p + len));
    p += len;
    if (at < 4096) slot[at] = id;
    return id;
  };
  const who = same => { if (!same) pid = znum(), tid = znum(); };
  const time = () => last += znum();
  const value = f => isText(f) ? put(f, str()) : putNumber(f, fields[f].type === TYPE.addr ? num() : znum());
  const finish = k => {
    off[++n] = nv;
    k.last = Math.max(ts[n - 1] + Math.max(dur[n - 1], 0), k.last || 0);
    if (k.last > end) end = k.last;
  };
  const event = () => {
    const fl = d[p++], kd = num(), mask = num(), lay = layout[kd];
    const more = Math.floor(mask / 2 ** lay.length) % 2 ? num() : 0;
    who(fl & 1);
    const i = n, t = Math.max(time(), 0), k = trackOf(pid, tid, t);
    ts[i] = t, kind[i] = kd, track[i] = k.idx, flag[i] = fl & 16 ? NOISE : 0;
    if (fl & 2) err[i] = num();
    if (fl & 8) str();
    for (let j = 0; j < lay.length; j++) if (mask >> j & 1) value(lay[j]);
    for (let j = 0; j < more; j++) value(num());
    for (let j = off[i]; j < nv; j++) {
      if (fid[j] === field.bytes || fid[j] === field.size || fid[j] === field.growth_bytes) bytes[i] = val[j];
      if (fid[j] === field.delay_ns || (kinds[kd].cat === KERNEL && fid[j] === field.duration_ns)) {
        dur[i] = Math.min(val[j], t), ts[i] = t - dur[i];
        if (val[j] > t) longer.set(i, val[j]);
      }
      if (fid[j] === field.argv_cut) cut++;
    }
    finish(k);
    k.points.push(i);
    learn(i, k);
  };
  const call = whole => {
    const fl = num();
    who(fl & 1);
    const i = n, t = Math.max(time(), 0), e = whole ? time() : t;
    const start = nv;
    const id = str();
    put(F.name, id);
    if (fl & 512) put(F.abi, str());
    const args = num(), forms = num();
    for (let a = 0; a < args; a++) {
      const form = forms >> 2 * a & 3;
      form ? put([F.raw, F.txt, F.str, F.cut][form] + a, str()) : putNumber(F.raw + a, num());
      if (form === 3 && whole) cut++;
    }
    if (!whole) { nv = start; return; }
    const k = trackOf(pid, tid, t);
    ts[i] = t, kind[i] = K.syscall, track[i] = k.idx;
    dur[i] = fl & 2 || fl & 8 ? -1 : e - t;
    flag[i] = (fl & 2 ? NORET : 0) | (fl & 8 ? LATE : 0) | (fl & 256 ? TIMED : 0) | (fl & 128 ? ADDR : 0);
    putNumber(F.ret, znum());
    if (fl & 16) err[i] = num();
    if (fl & 64) put(F.child, znum());
    if (fl & 256) {
      const cpu = num();
      k.proc.cpu += cpu;
      put(F.cpu, cpu), put(F.runq, num()), put(F.disk, num());
      const waker = znum();
      if (waker) put(F.waker, waker);
    }
    if (fl & 8192) put(F.wakerName, str());
    if (fl & 16384) put(F.slept, num());
    if (fl & 1024) put(F.rettext, str());
    if (fl & 4096) for (let c = num(); c > 0; c--) str();
    if (!names.has(id)) names.set(id, callNames.length), callNames.push(id);
    k.proc.calls++;
    finish(k);
    k.calls.push(i);
  };
  const record = () => {
    switch (d[p++]) {
    case 1: {
      const key = strs[str()], v = strs[str()], pid = /^comm (\d+)$/.exec(key)?.[1];
      if (key === "start_ns") last = 0;
      if (pid) Object.assign(trackOf(+pid, +pid, 0).proc, { name: v, comm: v });
      break;
    }
    case 2: case 6: str(); break;
    case 3: znum(); break;
    case 4: { const id = str(), type = num(); field[strs[id]] = fields.length; fields.push({ name: strs[id], type }); break; }
    case 5: { str(); layout.push(Array.from({ length: num() }, num)); break; }
    case 7: event(); break;
    case 8: call(false); break;
    case 9: call(true); break;
    case 10: time(); break;
    case 20: p = Infinity; break;
    default: throw Error("unknown kind of record");
    }
  };
  /* A block may continue in the next part. */
  let rest = new Uint8Array(0), begun = false;
  for (let part = 0; part < parts.length; part++) {
    const text = atob(parts[part].textContent);
    const more = new Uint8Array(rest.length + text.length);
    more.set(rest);
    for (let i = 0, k = rest.length; i < text.length; i++) more[k++] = text.charCodeAt(i);
    parts[part].remove();
    d = more;
    let at = begun ? 0 : 16;
    begun = true;
    for (;;) {
      const len = at + 8 <= d.length ? d[at] | d[at + 1] << 8 | d[at + 2] << 16 | d[at + 3] << 24 : Infinity;
      if (at + 8 + len > d.length) break;
      for (p = at + 8; p < at + 8 + len && n < N + 1;) record();
      at += 8 + len;
    }
    rest = d.slice(at);
    if (performance.now() - t0 > 30) {
      tell((part + 1) / parts.length);
      await pause();
      t0 = performance.now();
    }
  }
}

/* Sorts idx by key (integers from 0 to 2^48 - 1): a radix sort with 16 bits per pass. */
function order(key, idx) {
  let a = idx, b = new Uint32Array(a.length), max = 0;
  for (let i = 0; i < a.length; i++) if (key(a[i]) > max) max = key(a[i]);
  for (let unit = 1; unit <= max; unit *= 65536) {
    const count = new Uint32Array(65537);
    for (let i = 0; i < a.length; i++) count[(Math.floor(key(a[i]) / unit) & 65535) + 1]++;
    for (let i = 0; i < 65536; i++) count[i + 1] += count[i];
    for (let i = 0; i < a.length; i++) b[count[Math.floor(key(a[i]) / unit) & 65535]++] = a[i];
    [a, b] = [b, a];
  }
  return a;
}

const byTime = list => {
  const a = Uint32Array.from(list);
  for (let i = 1; i < a.length; i++) if (ts[a[i]] < ts[a[i - 1]]) return order(x => ts[x], a);
  return a;
};

/* ---- errors: failures and normal answers ---- */

/* EINTR and the kernel's restart codes, with which sigsuspend and similar calls always end. */
const interrupted = e => e === 4 || (e >= 512 && e <= 516);

const ANSWERS = "Normal errors: calls that are not finished yet (EINPROGRESS, EAGAIN, an interrupted wait), calls that only test something " +
  "(access, stat, readlink of a file that is not a link, ioctl of a file that is not a terminal, lseek of a pipe, wait without a child, a futex " +
  "timeout), and names that do not exist, but that the same process found in another place.";
const ASKS = /^((f?access(at2?)?|l?stat|newfstatat|statx) (2|20)|readlink(at)? 22|ioctl 25|lseek 29|[fl]?getxattr (61|95)|wait(4|id) 10|futex 110)$/;
const MAKES = /^(spawn|clone|v?fork|mmap|mremap|mlock)/, LOOKS = /^(open(at2?)?|creat|readlink(at)?|exec(ve(at)?)?)$/;
const isAnswer = (name, e) => interrupted(e) || e === 115 || (e === 11 && !MAKES.test(name)) || ASKS.test(name + " " + e);
const failure = i => err[i] && !(flag[i] & ANSWER);

/* Returns the last component of the path that a call or an event looks up, or "". */
function looksFor(i, looks) {
  if (!looks(i)) return "";
  let path = kind[i] === K.syscall ? "" : of(i, "path") ?? of(i, "program") ?? "";
  for (let k = off[i] + 1; k < off[i + 1] && kind[i] === K.syscall && !path; k++) if (fid[k] >= F.str && fid[k] < F.ret) path = strs[val[k]];
  return path.replace(/\/+$/, "").replace(/.*\//s, "");
}

/* Returns a function that returns whether the name of an event matches, and tests each name only once. */
function matching(regex) {
  const memo = new Int8Array(256 + strs.length);
  return i => {
    const key = kind[i] === K.syscall ? 256 + val[off[i]] : kind[i];
    memo[key] ||= regex.test(rawName(i)) ? 1 : -1;
    return memo[key] > 0;
  };
}

const rawName = i => kind[i] === K.syscall ? strs[val[off[i]]] : kinds[kind[i]].name;

function findAnswers() {
  const looks = matching(LOOKS), missed = new Map(); /* process => name => events that did not find it */
  for (let i = 0; i < n; i++) {
    if (!err[i]) continue;
    if (isAnswer(rawName(i), err[i])) flag[i] |= ANSWER;
    else if (err[i] === 2 || err[i] === 20) {
      const p = tracks[track[i]].proc, name = looksFor(i, looks);
      if (!missed.has(p)) missed.set(p, new Map());
      if (name) missed.get(p).set(name, [...missed.get(p).get(name) || [], i]);
    }
  }
  for (let i = 0; i < n && missed.size; i++) {
    const mine = !err[i] && missed.get(tracks[track[i]].proc), name = mine && looksFor(i, looks);
    if (!name || !mine.has(name)) continue;
    for (const k of mine.get(name)) flag[k] |= ANSWER;
    mine.delete(name);
  }
}

/* ---- processes: ends, the critical path ---- */

const stop = p => p.end >= 0 ? p.end : PROC ? end : Math.max(p.start, ...p.threads.slice(0, 999).map(t => t.last || 0));
const lasted = p => (p.early ? "> " : "") + span(stop(p) - p.start);
const line_of = p => p.argv || p.name || "?";
const ended = p => p.end >= 0;
const failed = p => ended(p) && p.code !== "0" && p.code !== "";

const PATH = "Critical path: the chain of processes that determined how long the command took. It goes backward from the end of the command: to the " +
  "child that ended last, then to the last child that had ended when that child started, and so on; and likewise within each child. The time during " +
  "which no child on the path ran is the process's own time.";
let path = null;                      /* from the end to the start: { p, from, to } */

function findPath() {
  const root = run.command && procs.find(p => p.pid && !p.parent);
  if (!root || (PROC && (!sum || sum.lost !== 0 || facts.kept < facts.events))) return;
  path = [];
  const kids = new Map(), left = p => {
    if (!kids.has(p)) kids.set(p, p.kids.filter(ended).sort((a, b) => a.end - b.end));
    return kids.get(p);
  };
  for (let p = root, t = stop(root); p;) {
    const list = left(p);
    while (list.length && list.at(-1).end > t) list.pop();
    const c = list.pop(), from = c ? c.end : p.start;
    path.push({ p, from, to: t });
    p.own = Math.max(p.own, 0) + t - from;
    t = from;
    p = c || (p === root ? null : p.parent);
  }
}

/* Returns the number of concurrent processes over time. */
function atOnce() {
  const list = procs.filter(p => p.pid), t = Float64Array.from([...list.map(p => p.start), ...list.filter(ended).map(p => p.end)]).sort();
  const by = new Map();
  for (const p of list) by.set(p.start, (by.get(p.start) || 0) + 1), ended(p) && by.set(p.end, (by.get(p.end) || 0) - 1);
  const out = { t: [], v: [], max: 0 };
  let v = 0;
  for (let i = 0; i < t.length; i++) {
    if (t[i] === t[i - 1]) continue;
    out.t.push(t[i]);
    out.v.push(v += by.get(t[i]));
    out.max = Math.max(out.max, v);
  }
  return out;
}

/* Returns the processes that match the search. */
function shownProcs() {
  const m = matcher(state.find, 0);
  return tree().filter(p => (!+state.hot || p.own >= 0)
    && (!m || m.test(String(p.pid)) || m.test(p.name) || p.execs.some(e => m.test(e.argv))));
}

/* ---- text ---- */

const clock = (ns, digits = 6) => (ns / 1e9).toFixed(digits);
const procName = p => (p.name ? esc(p.name) + " " : "") + p.pid;
const errName = e => e ? facts.errors[e] || "errno " + e : "";

function shown(i, f) {
  const v = get(i, f);
  switch (fields[f].type) {
  case TYPE.size: return size(v);
  case TYPE.dur: return span(v);
  case TYPE.addr: return hexAt(place(i, f));
  case TYPE.bool: return v ? "yes" : "no";
  case TYPE.argv: return esc(words(v).join(" "));
  }
  return typeof v === "string" ? esc(v) : fields[f].name.endsWith("_ns") ? span(v) : String(numberAt(place(i, f)));
}

/* Fills in the {field}s of a kind's text: the first alternative whose fields all have values. */
function fromTemplate(i, k) {
  for (const alt of k.text.split("|")) {
    let ok = true;
    const s = alt.replace(/\{(\w+)(:\d+)?\}/g, (_, name) => {
      if (of(i, name) === undefined) return ok = false, "";
      return shown(i, field[name]);
    });
    if (ok) return s;
  }
  return k.name;
}

function callArgs(i) {
  const out = [];
  for (let k = off[i]; k < off[i + 1]; k++) {
    const f = fid[k];
    if (f >= F.cut && f < F.ret) out.push('"' + esc(strs[val[k]]) + '"...');
    else if (f >= F.str && f < F.cut) out.push('"' + esc(strs[val[k]]) + '"');
    else if (f >= F.txt && f < F.str) out.push(esc(strs[val[k]]));
    else if (f >= F.raw && f < F.txt) out.push("0x" + hexAt(k));
  }
  return out;
}

function line(i) {
  const k = kinds[kind[i]];
  if (kind[i] !== K.syscall) {
    if (k.text) return fromTemplate(i, k) + (err[i] ? " failed: " + errName(err[i]) : "");
    return k.name + " " + Array.from({ length: off[i + 1] - off[i] }, (_, j) => fid[off[i] + j])
      .map(f => fields[f].name + "=" + shown(i, f)).join(" ");
  }
  const r = get(i, F.rettext);
  return esc(get(i, F.name)) + "(" + callArgs(i).join(", ") + ") = "
    + (flag[i] & NORET ? "?" : r === undefined ? numberAt(place(i, F.ret)) : esc(r));
}

/* Returns [file or peer of a call, bytes moved or error]; each may be "". */
const fdNames = new Map(), BY_PATH = /(at|at2|at64|statx|_watch)$/, MOVES = /^(getrandom|p?(read|write)(?!link)|(send|recv)(?!mmsg)|splice|copy_file)/;
function fdName(id) {
  let s = fdNames.get(id);
  if (s === undefined) fdNames.set(id, s = /^\d+<(.*)>$/s.exec(strs[id])?.[1] ?? "");
  return s;
}
const peerOf = s => s.startsWith("{sa_family=") ? /(?:inet_addr|"AF_INET6", )\("?([^"]*)"/.exec(s)?.[1] ?? "" : "";

function about(i) {
  let peer = "";
  for (let k = off[i] + 1; k < off[i + 1] && !peer; k++)
    if (fid[k] > F.txt && fid[k] < F.str) peer = peerOf(strs[val[k]]);
  const moves = MOVES.test(rawName(i)), ret = get(i, F.ret);
  return [esc(peer || fileOf(i, !moves)), err[i] && !interrupted(err[i]) ? errName(err[i]) : ret > 0 && moves ? size(ret) : ""];
}

/* Returns the file of a call's descriptor, or its path; with `any`, or the text that it writes. */
function fileOf(i, any) {
  let fd = "", text = "";
  for (let k = off[i] + 1; k < off[i + 1]; k++)
    if (fid[k] >= F.str && fid[k] < F.ret) text ||= strs[val[k]];
    else if (fid[k] === F.txt) fd = fdName(val[k]);
  return BY_PATH.test(rawName(i)) ? text || fd : fd || (any ? text : "");
}

const typeName = i => kind[i] === K.syscall ? esc(get(i, F.name)) : kinds[kind[i]].name;

const words = argv => argv === "" ? [] : argv.replace(/\0$/, "").split("\0");

/* The arguments and the result of a call as in --json. Text that is not UTF-8 also has its bytes. */
function jsonArgs(i) {
  const args = [], args_hex = [];
  let bad = false;
  for (let k = off[i]; k < off[i + 1]; k++) {
    const f = fid[k];
    if (f < F.raw || f >= F.ret) continue;
    args.push(f < F.txt ? "0x" + hexAt(k) : strs[val[k]] + (f < F.cut ? "" : "..."));
    args_hex.push(f < F.str ? null : stringHex(val[k]));
    bad ||= f >= F.txt && hexOf.has(val[k]);
  }
  return bad ? { args, args_hex } : { args };
}

function jsonRet(i) {
  const k = place(i, F.ret), v = val[k];
  return flag[i] & NORET || (v <= -512 && v >= -516) ? null : err[i] ? -1
    : flag[i] & ADDR || typeof jsonNumber(k) === "string" ? "0x" + hexAt(k) : v;
}

/* Returns an event as in --json. */
function asJson(i) {
  const o = { ts_ns: ts[i], pid: tracks[track[i]].pid, tid: tracks[track[i]].tid, type: kinds[kind[i]].name };
  const call = kind[i] === K.syscall, error = err[i] ? facts.errors[err[i]] || (call ? String(err[i]) : "?") : null;
  if (call) {
    const abi = get(i, F.abi), child = get(i, F.child), waker = get(i, F.waker), comm = get(i, F.wakerName), slept = get(i, F.slept);
    Object.assign(o, { name: get(i, F.name), ...abi && { abi }, ...jsonArgs(i), ret: jsonRet(i),
      ...child && child !== get(i, F.ret) && !error && { child_pid: child }, error, duration_ns: dur[i] < 0 ? null : dur[i] });
    if (flag[i] & TIMED && !(flag[i] & NORET)) {
      const [c, r, d] = [F.cpu, F.runq, F.disk].map(f => get(i, f));
      Object.assign(o, { on_cpu_ns: c, runq_ns: r, disk_ns: d, other_ns: dur[i] - c - r - d,
        ...slept & 127 && { sleep_state: String.fromCharCode(slept & 127) }, ...slept & 128 && { waker_interrupt: true }, ...waker && { waker_pid: waker }, ...comm && { waker_comm: comm } });
    }
    return o;
  }
  if (dur[i] > 0) o.ts_ns += dur[i];  /* ts_ns in --json is the end time, except for calls */
  for (let k = off[i]; k < off[i + 1]; k++) {
    if (!layout[kind[i]].includes(fid[k])) continue;
    const f = fields[fid[k]], text = isText(fid[k]), v = text ? strs[val[k]] : jsonNumber(k), argv = f.type === TYPE.argv;
    const name = { fd_kind: "target", code_name: "code", mode_bits: "mode" }[f.name] || f.name;
    o[name] = f.type === TYPE.addr ? "0x" + hexAt(k) : f.type === TYPE.bool ? !!v : argv ? words(v) : v;
    if (!text || !hexOf.has(val[k])) continue;
    const h = hexOf.get(val[k]).match(/../g).join(" ");
    o[name + "_hex"] = argv ? words(h.replaceAll("00", "\0")).map(w => w.replaceAll(" ", "")) : h.replaceAll(" ", "");
  }
  if (error) o.error = error;
  return o;
}

/* ---- colours ---- */

const dark = matchMedia("screen and (prefers-color-scheme: dark)"), paper = matchMedia("print");
/* Categories and parts of a call's time have distinct colours, none like that of failures. */
const HUES = { file: "205 75", net: "275 60", memory: "172 60", process: "322 55", signal: "70 60", call: "40 8", kernel: "243 45" };
const PARTS = { cpu: ["#2e9e5b", "#3fb56f"], runq: ["#e0a100", "#e7b93c"], disk: ["#b07a4a", "#c08f63"], other: ["#8aa0b8", "#7d93aa"] };
const part = name => PARTS[name][+dark.matches];
const shade = (cat, k = 2) => `hsl(${HUES[cat]}% ${(dark.matches ? 58 : 46) + (k % 5 - 2) * 5}%)`;
let shades = new Map();
function colour(i) {
  const key = kind[i] === K.syscall ? val[off[i]] + 100 : kind[i];
  let c = shades.get(key);
  if (!c) shades.set(key, c = shade(CATS[kinds[kind[i]].cat], key));
  return c;
}
/* Returns black or white, whichever has the higher contrast with a colour (WCAG 2.2). */
const inks = new Map(), probe = el("canvas").getContext("2d");
function ink(fill) {
  let c = inks.get(fill);
  if (c) return c;
  probe.fillStyle = fill;
  const [r, g, b] = [1, 3, 5].map(k => parseInt(probe.fillStyle.slice(k, k + 2), 16) / 255)
    .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  inks.set(fill, c = .2126 * r + .7152 * g + .0722 * b > .179 ? "#000" : "#fff");
  return c;
}

/* Colours of the bars of processes */
const paintBy = () => state.paint || (PROC ? "exit" : "calls");
const grey = () => dark.matches ? "#59636f" : "#b4bbc4";
const ramp = v => dark.matches ? `hsl(205 ${35 + 45 * v}% ${24 + 42 * v}%)` : `hsl(208 ${45 + 30 * v}% ${86 - 50 * v}%)`;
const EXITS = { "exit 0": ["#6f9fd0", "#3f6f9f"], failed: ["#d0433c", "#e0605a"], "by a signal": ["#9457c7", "#a877d6"] };
let longest = 1;
function procColour(p) {
  if (paintBy() === "duration") return ramp(Math.sqrt((stop(p) - p.start) / longest));
  if (paintBy() === "cpu") {
    const cpu = p.used >= 0 ? p.used : p.cpu || -1;
    return cpu < 0 ? grey() : ramp(Math.min(1, cpu / (stop(p) - p.start || 1)));
  }
  if (!ended(p) || p.code === "") return grey();
  return EXITS[p.code === "0" ? "exit 0" : /^\d/.test(p.code) ? "failed" : "by a signal"][+dark.matches];
}
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* ---- filter: which events the table shows ---- */

const state = { q: "", re: 0, path: "", type: "", proc: "", cats: CATS.join("."), failed: 0, noise: 0, tab: "events",
  sort: "time", down: 0, from: 0, to: 0, sel: -1, fold: "", find: "", hot: 0, paint: "", a: 0, b: 0, within: 0, idle: 1, by: "", look: "", frame: "", pin: "" };
if (PROC) state.tab = "processes", state.noise = 1;
let all = new Uint32Array(0), rows = new Uint32Array(0), filterRun = 0;

function matcher(text, regex) {
  if (!text) return null;
  if (regex) return new RegExp(text, "i");
  const low = text.toLowerCase();
  return { test: s => s.toLowerCase().includes(low) };
}

const PATHS = new Set(["path", "new_path", "filename", "src_name", "dst_name", "program", "region_name", "map_type"]);

/* chosen: the selected interval, or the one in view. touches: whether event i overlaps an interval. */
const chosen = () => state.b > state.a ? [state.a, state.b] : [view.from, view.to];
const touches = (i, a, b) => ts[i] <= b && ts[i] + Math.max(dur[i], 0) >= a;

/* Returns a function that returns whether the filters select event i, and tests each string only once. */
function predicate() {
  const q = matcher(state.q, +state.re), path = matcher(state.path, 0), hit = new Int8Array(strs.length);
  const pathHit = new Int8Array(strs.length), cats = new Set(state.cats.split("."));
  const cat = CATS.map(c => cats.has(c)), proc = state.proc === "" ? -1 : +state.proc;
  const kindHit = kinds.map(k => !q || q.test(k.name)), failed = +state.failed, noise = +state.noise;
  const [from, to] = +state.within ? chosen() : [-Infinity, Infinity];
  const isPath = fields.map(f => PATHS.has(f.name));
  const test = (m, memo, id) => memo[id] || (memo[id] = m.test(strs[id]) ? 1 : -1);
  const [what, name] = state.type.split(":");
  const wantKind = state.type ? (what === "call" ? K.syscall : K[what] ?? kinds.length) : -1;
  const wantName = what === "call" ? strOf.get(name) : -1;
  return i => {
    if (!touches(i, from, to)) return false;
    if (!cat[kinds[kind[i]].cat] || (failed && !failure(i)) || (!noise && flag[i] & NOISE)) return false;
    if (wantKind >= 0 && (kind[i] !== wantKind || (wantName >= 0 && val[off[i]] !== wantName))) return false;
    if (proc >= 0 && tracks[track[i]].proc.idx !== proc) return false;
    let a = kind[i] !== K.syscall && kindHit[kind[i]], b = !path;
    if (err[i] && q && !a) a = q.test(errName(err[i]));
    for (let k = off[i]; k < off[i + 1] && !(a && b); k++) {
      const f = fid[k];
      if (!isText(f)) continue;
      a ||= !q || test(q, hit, val[k]) > 0;
      b ||= (f < F.name ? isPath[f] : f >= F.txt && f < F.ret) && test(path, pathHit, val[k]) > 0;
    }
    return (a || !q) && b;
  };
}

const KEYS = { time: i => ts[i], duration: i => took(i) + 1, bytes: i => Math.abs(bytes[i]) };

async function filter() {
  const me = ++filterRun;
  let want;
  try {
    want = predicate();
    $("q").setCustomValidity("");
  } catch (e) {
    $("q").setCustomValidity(e.message);
    $("count").textContent = e.message;
    return;
  }
  const out = new Uint32Array(all.length);
  let m = 0, t0 = performance.now();
  for (let k = 0; k < all.length; k++) {
    if (want(all[k])) out[m++] = all[k];
    if (k % 8192 === 0 && performance.now() - t0 > 40) {
      await pause();
      if (me !== filterRun) return;
      t0 = performance.now();
    }
  }
  rows = out.slice(0, m);
  if (state.sort !== "time") rows = order(KEYS[state.sort], rows);
  if (+state.down) rows = rows.slice().reverse();
  $("count").textContent = count(m) + " of " + count(n);
  document.body.dataset.rows = m;
  if (state.tab === "events") grid.redraw();
  save();
}

/* ---- the fragment: the state of the page as a link ---- */

const DEFAULTS = { ...state };
let saving = 0;
function save() {
  clearTimeout(saving);
  saving = setTimeout(() => {
    const p = new URLSearchParams();
    for (const k in state) if (String(state[k]) !== String(DEFAULTS[k])) p.set(k, state[k]);
    const f = "#" + p;
    if (location.hash !== f) history.replaceState(null, "", f === "#" ? location.pathname + location.search : f);
  }, 150);
}

function load() {
  const p = new URLSearchParams(location.hash.slice(1));
  for (const k in DEFAULTS) {
    const v = p.get(k);
    state[k] = v === null ? DEFAULTS[k] : typeof DEFAULTS[k] === "number" ? (Number.isFinite(+v) ? +v : 0) : v;
  }
  if (!Object.hasOwn(KEYS, state.sort)) state.sort = "time";
  if (!Object.hasOwn(TABS, state.tab)) state.tab = DEFAULTS.tab;
  if (!(state.to > state.from)) state.from = 0, state.to = 0;
  if (!(state.b > state.a)) state.a = 0, state.b = 0;
  if (!Number.isInteger(state.sel) || state.sel >= n) state.sel = -1;
}

/* ---- grid: a table of any length; only rows in view have elements ---- */

const ROW = 22, TALL = 8e6;           /* browsers limit heights to about 2^25 pixels */

class Grid {
  constructor(cols, data, { sort, pick, sorted } = {}) {
    Object.assign(this, { cols, data, pick, sorted, sort, on: -1, down: false });
    this.box = el("div", { className: sorted ? "grid" : "grid fit", tabIndex: 0 });
    this.box.setAttribute("role", "grid");
    this.box.setAttribute("aria-label", "rows");
    this.space = el("div");
    this.body = el("div", { role: "rowgroup" });
    this.head = el("div", { className: "row head", role: "row" });
    this.wide = cols.reduce((a, c) => a + parseInt(c.w.replace("minmax(", "")), 0) + "px";
    this.head.style.cssText = `position:sticky;min-width:${this.wide};grid-template-columns:${cols.map(c => c.w).join(" ")}`;
    for (const c of cols) {
      const b = el("button", { textContent: c.t, className: c.n ? "n" : "", title: c.key ? "sort by " + c.t : "" });
      if (c.key) b.onclick = () => this.sortBy(c);
      this.head.append(el("span", { role: "columnheader" }, b));
    }
    this.box.append(this.head, this.space, this.body);
    this.box.onscroll = () => this.draw();
    this.box.onkeydown = e => this.key(e);
    this.view = typeof data === "function" ? null : data;
  }
  get length() { return this.view ? this.view.length : this.data().length; }
  row(i) { return this.view ? this.view[i] : this.data()[i]; }
  sortBy(c) {
    if (this.sorted) return this.sorted(c);
    this.down = this.sort === c ? !this.down : !!c.n;
    this.sort = c;
    this.fill(this.data);
  }
  /* Replaces the rows, and sorts them. */
  fill(data) {
    const c = this.sort, s = this.down ? -1 : 1;
    this.data = this.view = data;
    if (c) this.view = [...data].sort((a, b) => { const x = c.key(a), y = c.key(b); return s * (x < y ? -1 : x > y ? 1 : 0); });
    this.redraw();
  }
  redraw() {
    this.space.style.height = Math.min(this.length * ROW, TALL) + "px";
    [...this.head.children].forEach((b, i) => {
      const on = this.sorted ? state.sort === this.cols[i].id : this.sort === this.cols[i];
      const down = this.sorted ? +state.down : this.down;
      b.ariaSort = on ? down ? "descending" : "ascending" : "none";
      b.firstChild.textContent = this.cols[i].t + (on ? down ? " ▾" : " ▴" : "");
    });
    this.draw();
  }
  first() {
    const h = this.box.clientHeight - ROW, seen = Math.ceil(h / ROW), top = this.box.scrollTop, len = this.length;
    if (len * ROW <= TALL) return Math.floor(top / ROW);
    return Math.round(top / Math.max(1, TALL + ROW - this.box.clientHeight) * Math.max(0, len - seen + 1));
  }
  draw() {
    const seen = Math.ceil(this.box.clientHeight / ROW) + 1, from = Math.max(0, this.first()), list = [];
    const small = this.length * ROW <= TALL, top = this.box.scrollTop;
    for (let i = from; i < Math.min(this.length, from + seen); i++) {
      const r = this.row(i), e = el("div", { className: "row", role: "row" });
      e.style.gridTemplateColumns = this.cols.map(c => c.w).join(" ");
      e.style.minWidth = this.wide;
      e.style.top = (small ? ROW + i * ROW : ROW + top + (i - from) * ROW) + "px";
      for (const c of this.cols) {
        const cell = el("span", { className: c.n ? "n" : c.cls || "", role: "gridcell" });
        const v = c.get(r, cell, e);
        if (v !== undefined) cell.textContent = v, cell.title = String(v).length > 24 ? v : "";
        e.append(cell);
      }
      if (this.chosen ? this.chosen(r) : i === this.on) e.classList.add("on");
      e.onclick = () => this.choose(i);
      list.push(e);
    }
    this.body.replaceChildren(...list);
    if (!this.length) this.body.replaceChildren(el("div", { className: "empty", role: "row" },
      el("span", { role: "gridcell", textContent: this.none || "nothing here" })));
  }
  choose(i) {
    this.on = i;
    if (this.pick) this.pick(this.row(i));
    this.draw();
  }
  /* Scrolls so that row i is in view. */
  show(i) {
    const h = this.box.clientHeight - ROW, seen = Math.floor(h / ROW), f = this.first();
    this.on = i;
    if (i >= f && i < f + seen) return this.draw();
    const want = Math.max(0, i - (seen >> 1));
    this.box.scrollTop = this.length * ROW <= TALL ? want * ROW
      : want / Math.max(1, this.length - seen) * (TALL + ROW - this.box.clientHeight);
    this.draw();
  }
  key(e) {
    const page = Math.floor(this.box.clientHeight / ROW) - 2;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 }[e.key];
    if (!step || !this.length) return;
    e.preventDefault();
    const i = Math.min(this.length - 1, Math.max(0, this.on + step));
    this.show(i);
    this.choose(i);
  }
}

const dot = i => { const e = el("i"); e.style.background = shade(CATS[kinds[kind[i]].cat]); return e; };
const eventCols = [
  { t: "time", id: "time", w: "110px", n: 1, key: 1, get: i => clock(ts[i]) },
  { t: "process", w: "150px", get: i => procName(tracks[track[i]].proc)
    + (tracks[track[i]].tid !== tracks[track[i]].pid ? "/" + tracks[track[i]].tid : "") },
  { t: "type", w: "130px", get: (i, c) => { c.append(dot(i), typeName(i)); } },
  { t: "duration", id: "duration", w: "90px", n: 1, key: 1, get: i => span(took(i)) },
  { t: "bytes", id: "bytes", w: "80px", n: 1, key: 1, get: i => bytes[i] ? size(bytes[i]) : "" },
  { t: "what", w: "minmax(280px,1fr)", get: (i, c, row) => {
    if (failure(i)) row.classList.add("err");
    else if (err[i]) row.classList.add("soft");
    else if (flag[i] & NOISE) row.classList.add("dim");
    return line(i);
  } },
];
const grid = new Grid(eventCols, () => rows, {
  pick: i => select(i, true),
  sorted: c => {
    if (state.sort === c.id) state.down = +!+state.down;
    else state.sort = c.id, state.down = c.id === "time" ? 0 : 1;
    filter();
  },
});
grid.chosen = i => i === state.sel;
grid.none = "the filters hide all events";

/* Shows a text beside the page, which gets narrower; "": hides it. */
function showDetail(text) {
  $("detail").querySelector("pre").textContent = text;
  if ($("detail").hidden === !text) return;
  $("detail").hidden = !text;
  document.body.classList.toggle("told", !!text);
  paint(), made[state.tab]?.redraw();
}

function detail(i) {
  told = null;
  showDetail(i < 0 ? "" : line(i) + "\n\n" + esc(JSON.stringify(asJson(i), null, 1).replaceAll("\n", "\u0001"))
    .replaceAll("\\x01", "\n"));
}

function select(i, fromTable) {
  state.sel = i;
  detail(i);
  if (i >= 0 && !fromTable) {
    tab("events");
    const at = rows.indexOf(i);
    if (at >= 0) grid.show(at);
    else grid.draw();
  } else if (i >= 0 && (ts[i] < view.from || ts[i] > view.to)) {
    const half = (view.to - view.from) / 2;
    setView(ts[i] - half, ts[i] + half);
  }
  if (i >= 0 && fromTable) laneIntoView(laneFor(i));
  paint();
  save();
}

/* ---- tabs ---- */

/* Shows only the events of a row of a table. */
function only(want) {
  Object.assign(state, { q: "", re: 0, path: "", type: "", proc: "", noise: 1 }, want);
  controls();
  tab("events");
  filter();
}

const col = (t, w, get, key, more) => ({ t, w, get, key, ...more });
const num = (t, w, key, show = count) => col(t, w, r => show(key(r)), key, { n: 1 });

/* Returns time and processes per path, from descriptors ("3</etc/hosts>") and open events. */
function perPath() {
  const map = new Map();
  const entry = s => { let e = map.get(s); if (!e) map.set(s, e = { ns: 0, who: new Set(), age: 0 }); return e; };
  for (let i = 0; i < n; i++) {
    const p = tracks[track[i]].proc;
    if (kind[i] === K.open && !err[i]) { const s = of(i, "path"); if (s !== undefined) entry(s).who.add(p); }
    if (kind[i] === K.close) { const s = of(i, "path"), a = of(i, "age_ns"); if (s !== undefined && a) entry(s).age += a; }
    if (kind[i] !== K.syscall || dur[i] <= 0) continue;
    for (let k = off[i] + 1; k < off[i + 1] && fid[k] < F.str; k++) {
      if (fid[k] !== F.txt) continue;
      const s = fdName(val[k]);
      if (s) entry(s).ns += dur[i], entry(s).who.add(p);
    }
  }
  return map;
}

function filesTab() {
  const per = perPath(), open = new Map();
  for (const o of sum ? sum.open_at_exit : []) open.set(o.path, (open.get(o.path) || 0) + 1);
  const list = (sum ? sum.files : []).map(f => ({ ...f, ...per.get(f.path) || { ns: 0, who: new Set(), age: 0 }, left: open.get(f.path) || 0 }));
  return new Grid([
    col("path", "minmax(260px,1fr)", r => esc(r.path), r => r.path), col("kind", "80px", r => r.kind, r => r.kind),
    num("opens", "80px", r => r.opens), num("read", "90px", r => r.bytes_read, size), num("written", "90px", r => r.bytes_written, size),
    num("time in calls", "110px", r => r.ns, v => v ? span(v) : ""), num("time open", "100px", r => r.age, v => v ? span(v) : ""),
    num("still open", "90px", r => r.left, v => v || ""),
    col("who", "200px", r => [...r.who].slice(0, 4).map(procName).join(", ") + (r.who.size > 4 ? " …" : ""), r => r.who.size),
  ], list, { pick: r => only({ path: r.path }) });
}

const peersTab = () => new Grid([
  col("type", "90px", r => esc(r.sock_type), r => r.sock_type), col("peer", "minmax(260px,1fr)", r => esc(r.remote_addr), r => r.remote_addr),
  num("sent", "110px", r => r.bytes_sent, size), num("received", "110px", r => r.bytes_received, size),
], sum ? sum.peers : [], { pick: r => only({ q: r.remote_addr }) });

/* Returns the processes as a tree, depth first. */
function tree() {
  const out = [], walk = (p, depth) => { p.depth = depth; out.push(p); for (const c of p.kids) walk(c, Math.min(depth + 1, 40)); };
  for (const p of procs) if (!p.parent && p.pid) walk(p, 0);
  return out;
}

const faulted = () => sum ? sum.page_faults !== undefined : procs.some(p => p.faults);
const has = key => procs.some(p => p[key] >= 0);
const known = (t, w, key, show) => has(key) ? [num(t, w, r => r[key], v => v < 0 ? "" : show(v))] : [];

function pickProc(p) {
  if (!PROC) only({ proc: String(p.idx) });
  else tellProc(p);
  const from = p.start, to = stop(p), room = PROC ? (to - from) / 20 : 0;
  setView(from - room, to + room);
}

function processesTab() {
  const g = new Grid([
    col("command", "minmax(260px,2fr)", (r, cell, row) => {
      if (r.own >= 0) row.classList.add("hot");
      return "  ".repeat(r.depth) + esc(line_of(r));
    }, line_of),
    num("pid", "80px", r => r.pid, String), col("start", "90px", r => r.early ? "before" : clock(r.start, 3), r => r.start, { n: 1 }),
    col("duration", "100px", r => lasted(r), r => stop(r) - r.start, { n: 1 }),
    col("exit", "90px", (r, cell) => { if (failed(r)) cell.classList.add("err"); return PROC && !ended(r) ? "running" : r.code; }, r => r.code),
    ...path ? [num("critical", "95px", r => r.own, v => v < 0 ? "" : span(v))] : [],
    ...known("CPU", "90px", "used", span), ...known("max RSS", "85px", "rss", size), ...known("read", "85px", "read", size),
    ...known("written", "85px", "written", size),
    ...PROC ? [] : [num("CPU in calls", "100px", r => r.cpu, v => v ? span(v) : ""), num("calls", "80px", r => r.calls),
      num("faults", "80px", r => r.faults, v => faulted() ? count(v) : "n/a")],
    ...PROC && procs.every(p => p.threads.length < 2) ? [] : [num("threads", "80px", r => r.threads.length)],
    col("when", "minmax(160px,1fr)", (r, cell) => {
      const b = el("b");
      b.style.left = 100 * r.start / (end || 1) + "%";
      b.style.width = 100 * (stop(r) - r.start) / (end || 1) + "%";
      b.style.background = paintBy() === "calls" ? "" : procColour(r);
      cell.append(b);
    }, r => r.start, { cls: "gantt" }),
  ], shownProcs(), { pick: pickProc });
  g.none = "no process matches";
  return g;
}

function callsTab() {
  const map = new Map();
  for (let i = 0; i < n; i++) {
    if (kind[i] !== K.syscall) continue;
    const id = val[off[i]];
    let c = map.get(id);
    if (!c) map.set(id, c = { name: strs[id], n: 0, failed: 0, ns: 0, all: [], cpu: 0, runq: 0, disk: 0, timed: 0 });
    c.n++;
    if (failure(i)) c.failed++;
    if (dur[i] < 0) continue;
    c.ns += dur[i];
    c.all.push(dur[i]);
    if (flag[i] & TIMED) c.timed += dur[i], c.cpu += get(i, F.cpu), c.runq += get(i, F.runq), c.disk += get(i, F.disk);
  }
  const list = [...map.values()].sort((a, b) => b.ns - a.ns);
  for (const c of list) {
    const s = Float64Array.from(c.all).sort(), at = q => s.length ? s[Math.min(s.length - 1, Math.floor(q * s.length))] : 0;
    Object.assign(c, { p50: at(.5), p99: at(.99), max: at(1), other: c.timed - c.cpu - c.runq - c.disk, all: null });
  }
  const ns = (t, key) => num(t, "95px", key, v => v ? span(v) : "");
  return new Grid([
    col("call", "minmax(150px,1fr)", r => esc(r.name), r => r.name), num("count", "80px", r => r.n), num("failed", "80px", r => r.failed, v => v || ""),
    ns("total", r => r.ns), ns("p50", r => r.p50), ns("p99", r => r.p99), ns("max", r => r.max),
    ns("on CPU", r => r.cpu), ns("run queue", r => r.runq), ns("disk", r => r.disk), ns("other", r => r.other),
  ], list, { pick: r => only({ type: "call:" + r.name }) });
}

/* Heap, mapped memory and page faults of all processes over time, as steps. */
function memoryTab() {
  const series = [["heap", "memory", 1], ["mapped", "memory", 1], ["resident", "memory", 1], ["page faults", "memory", 0]].map(([name, cat, b]) => ({ name, cat, b, t: [], v: [] }));
  const now = [0, 0, 0, 0], add = (k, d, t) => { now[k] = Math.max(0, now[k] + d); series[k].t.push(t); series[k].v.push(now[k]); };
  const has = new Map();              /* process => its heap, mapped and resident memory, until its next exec or exit */
  const become = (i, k, to) => {
    const p = tracks[track[i]].proc, h = has.get(p) || [0, 0, 0], now = Math.max(0, to(h[k]));
    has.set(p, h);
    add(k, now - h[k], ts[i]);
    h[k] = now;
  };
  const grow = (i, k, d) => become(i, k, v => v + d);
  for (const i of all) {
    if (err[i]) continue;
    switch (kinds[kind[i]].name) {
    case "brk": grow(i, 0, of(i, "growth_bytes") || 0); break;
    case "mmap": grow(i, 1, of(i, "size") || 0); break;
    case "munmap": grow(i, 1, -(of(i, "size") || 0)); break;
    case "mremap": grow(i, 1, (of(i, "size") || 0) - (of(i, "old_size") || 0)); break;
    case "rss": become(i, 2, () => of(i, "bytes")); break;
    case "exec": case "exit_process": for (let k = 0; k < 3; k++) become(i, k, () => 0); break;
    case "fault": add(3, 1, ts[i]); break;
    case "fault_group": add(3, of(i, "count") || 0, ts[i]); break;
    }
  }
  if (!faulted()) series.pop();
  if (!series[2].v.some(v => v)) series.splice(2, 1);
  const c = el("canvas", { id: "chart", height: 320 }), box = el("div", { className: "grid fit" }, c);
  const says = s => [s.t.length ? s.v.at(-1) : 0, s.v.reduce((a, b) => Math.max(a, b), 0)].map(s.b ? size : count);
  const telling = s => `${s.name}: ${says(s)[0]} at the end, at most ${says(s)[1]}`;
  c.setAttribute("role", "img");
  c.setAttribute("aria-label", series.map(telling).join("; "));
  const redraw = () => {
    const [g, w, h] = canvas(c, 320), band = (h - 20) / series.length;
    series.forEach((s, k) => {
      const top = 8 + k * band, tall = band - 26, max = s.v.reduce((a, b) => Math.max(a, b), 1);
      g.fillStyle = css("--dim");
      g.fillText(telling(s), 10, top + 10);
      g.strokeStyle = g.fillStyle = shade(s.cat);
      g.beginPath();
      g.moveTo(8, top + 18 + tall);
      let y = top + 18 + tall, lastX = -1;
      for (let i = 0; i < s.t.length; i++) {
        const x = 8 + s.t[i] / (end || 1) * (w - 16);
        const ny = top + 18 + tall * (1 - s.v[i] / max);
        if (x - lastX > .25) g.lineTo(x, y), lastX = x;
        g.lineTo(x, ny);
        y = ny;
      }
      g.lineTo(w - 8, y);
      g.stroke();
      g.globalAlpha = .15;
      g.lineTo(w - 8, top + 18 + tall);
      g.fill();
      g.globalAlpha = 1;
    });
  };
  return { box, redraw };
}

const TABS = PROC ? { processes: processesTab, flame: flameTab, events: () => grid }
  : { events: () => grid, files: filesTab, peers: peersTab, processes: processesTab, calls: callsTab, flame: flameTab, memory: memoryTab };
const made = {};
function tab(name) {
  state.tab = name;
  for (const b of $("tabs").children) b.setAttribute("aria-selected", b.dataset.tab === name), b.tabIndex = b.dataset.tab === name ? 0 : -1;
  made[name] ||= TABS[name]();
  if ($("table").firstChild !== made[name].box) $("table").replaceChildren(made[name].box);
  made[name].redraw();
  $("filters").hidden = name !== "events";
  save();
}

/* ---- timeline ---- */

const GUTTER = 190, PIN = 34, view = { from: 0, to: 1 };
let lanes = [], hover = -1;

function canvas(c, h) {
  const r = devicePixelRatio || 1, w = c.clientWidth || c.parentNode.clientWidth;
  if (c.width !== Math.round(w * r) || c.height !== Math.round(h * r)) c.width = Math.round(w * r), c.height = Math.round(h * r);
  c.style.height = h + "px";
  const g = c.getContext("2d");
  g.setTransform(r, 0, 0, r, 0, 0);
  g.clearRect(0, 0, w, h);
  g.font = "11px system-ui, sans-serif";
  return [g, w, h];
}

/* inView: whether the process or thread of a lane exists in the visible time. */
const born = l => l.thread ? l.track.start : l.proc.start;
const gone = l => l.thread ? l.track.last || l.track.start : l.proc.end < 0 ? end : l.proc.end;
const inView = l => !l.proc || (born(l) <= view.to && gone(l) >= view.from);

/* Makes the lanes: the kernel's, then processes as a tree, each with its threads. Children and threads of a folded process
 * share its lane. */
function layLanes() {
  const folded = new Set(state.fold.split(".").filter(Boolean)), hide = +state.idle && state.to > 0;
  const pinned = new Set(state.pin.split(".")), most = 160;
  let y = 0, all = 0, high = 0;
  lanes = [];
  laneOf = new Map();
  laneOfProc = new Map();
  const push = (l, h) => {
    all += h;
    l.key = l.thread ? "t" + l.track.idx : l.proc ? "p" + l.proc.idx : "k" + l.kernel;
    l.pin = pinned.has(l.key) && high + h <= most;
    if (hide && !l.pin && !inView(l)) return l;
    if (l.pin) high += h;
    lanes.push(Object.assign(l, { h }));
    if (l.track) laneOf.set(l.track.idx, l);
    if (l.proc && !l.thread) laneOfProc.set(l.proc, l);
    return l;
  };
  let outer = null;                   /* lane of a folded process, which contains deeper processes */
  for (const [k, list] of kernelEvents) push({ name: KERNEL_LANES[kinds[k].name], calls: list, points: [], kernel: k, reach: reach.get(k) }, 18);
  for (const p of listed) {
    const inside = outer && p.depth > outer.depth;
    if (inside && !pinned.has("p" + p.idx)) {
      if (outer.h) p.threads.forEach(t => laneOf.set(t.idx, outer)), laneOfProc.set(p, outer);
      continue;
    }
    const main = p.threads.find(t => t.tid === p.pid), rest = p.threads.filter(t => t !== main), shut = inside || folded.has(String(p.idx));
    const l = push({ proc: p, track: main, name: procName(p), depth: p.depth, more: rest.length + p.kids.length, shut,
      calls: main ? main.calls : [], points: main ? main.points : [] }, 20);
    if (!inside) outer = shut ? l : null;
    for (const t of rest)
      if (!shut) push({ proc: p, track: t, name: "thread " + t.tid, depth: p.depth + 1, thread: true, calls: t.calls, points: t.points }, 18);
      else if (l.h) laneOf.set(t.idx, l);
  }
  lanes.sort((a, b) => b.pin - a.pin);
  for (const l of lanes) l.y = y, y += l.h;
  pinHeight = high, allHeight = all;
  $("fold").hidden = !lanes.some(l => l.more);
  document.body.dataset.lanes = lanes.length;
}

/* Makes the lanes after a change of the view. The lane under the pointer, or else the first, keeps its position. */
function followView() {
  const at = Math.max(pointerY, RULER + pinHeight), box = $("lanes"), was = laneAt(at), into = was && at + box.scrollTop - RULER - was.y;
  layLanes();
  const now = was && lanes.find(l => l.kernel === was.kernel && l.proc === was.proc && l.track === was.track);
  fitLanes();
  if (now) box.scrollTop = now.y + into + RULER - at;
}
let listed = [], allHeight = 0, pointerX = -1, pointerY = 0;
let pinHeight = 0, scrolled = 0;      /* height of the pinned rows; scroll position of the others */
const laneTop = l => l.y + RULER - (l.pin ? 0 : scrolled);
let laneOf = new Map(), laneOfProc = new Map(), kernelEvents = new Map(); /* keys: track, process, kind */
/* kind => latest end of the events up to each one. Unlike those of a thread, the kernel's events can overlap. */
const reach = new Map();
const laneFor = i => kernelEvents.has(kind[i]) ? lanes.find(l => l.kernel === kind[i]) : laneOf.get(track[i]);
const lanesHeight = () => lanes.length ? lanes.at(-1).y + lanes.at(-1).h : 0;

/* Returns the index of the first entry of a sorted list that is not before t. */
function lower(list, t, timeOf = i => ts[i]) {
  let a = 0, b = list.length;
  while (a < b) {
    const m = (a + b) >> 1;
    if (timeOf(list[m]) < t) a = m + 1;
    else b = m;
  }
  return a;
}

/* Returns the index of the first bar of a lane that may extend to t. */
const firstBar = (l, t) => l.reach ? lower(l.reach, t, to => to) : Math.max(0, lower(l.calls, t) - 1);

/* Returns the parts of a call's time in the order of PARTS. */
function shares(i) {
  const c = get(i, F.cpu), r = get(i, F.runq), d = get(i, F.disk);
  return [["cpu", c], ["runq", r], ["disk", d], ["other", Math.max(0, dur[i] - c - r - d)]];
}

/* The colour of a bar whose time is not divided. */
const fillOf = i => kinds[kind[i]].cat === KERNEL ? shade("kernel") : errColour(i) || colour(i);
const errColour = i => failure(i) ? css2.bad : err[i] && !interrupted(err[i]) ? css2.soft : "";

function bar(g, i, x, w, y, h) {
  if (!(flag[i] & TIMED)) g.fillStyle = fillOf(i);
  else if (w < 4) g.fillStyle = failure(i) ? css2.bad : part(shares(i).reduce((a, b) => b[1] > a[1] ? b : a)[0]);
  else {
    for (const [name, ns] of shares(i)) {
      const part_w = dur[i] ? w * ns / dur[i] : name === "cpu" ? w : 0;
      g.fillStyle = part(name);
      g.fillRect(x, y, part_w, h);
      x += part_w;
    }
    if (errColour(i)) g.fillStyle = errColour(i), g.fillRect(x - w, y, w, 2);
    return;
  }
  g.fillRect(x, y, w, h);
}

/* Returns a bar's label, shortened to fit; "" if too little would remain. */
function shortName(g, i, room) {
  const wide = s => g.measureText(s).width;
  if (kind[i] !== K.syscall) return wide(line(i)) <= room ? line(i) : "";
  const name = typeName(i), [what, more] = about(i), whole = [name, what, more].filter(Boolean).join(" ");
  if (wide(whole) <= room) return whole;
  const cut = (s, left) => Math.floor((room - left) / wide(s) * s.length);
  let k = what ? cut(what, wide(name + " …")) : 0;
  if (k > 3) return name + (k < what.length ? " …" + what.slice(-k) : " " + what);
  if (wide(name) <= room) return name;
  k = cut(name, wide("…"));
  return k > 2 ? name.slice(0, k) + "…" : "";
}

/* Lists the visible labels for screen readers and tests. */
let named = [], telling = 0;
function tellNames() {
  clearTimeout(telling);
  telling = setTimeout(() => $("named").replaceChildren(...named.slice(0, 300).map(([i, text, x, y, w, fill]) => {
    const e = el("li", { textContent: text });
    Object.assign(e.dataset, { ts: ts[i], tid: tracks[track[i]].tid, x, y, w, fill, ink: ink(fill) });
    return e;
  })), 200);
}

function drawName(g, i, x, w, y, h) {
  const s = w > 22 ? shortName(g, i, w - 6) : "";
  if (!s) return;
  const fill = flag[i] & TIMED ? part("other") : fillOf(i);
  g.fillStyle = ink(fill);
  g.fillText(s, x + 3, y + h / 2 + 4);
  named.push([i, s, x, y, w, fill]);
}

/* Returns whether no other bar of the lane overlaps bar k. */
const alone = (l, k) => (k === 0 || l.reach[k - 1] <= ts[l.calls[k]]) && !(ts[l.calls[k + 1]] < l.reach[k]);

/* Draws a lane. Each pixel is drawn once: the cost depends on the width, not on the number of events. */
function drawLane(g, l, y, w) {
  const scale = (w - GUTTER) / (view.to - view.from), X = t => GUTTER + (t - view.from) * scale, px = 1 / scale;
  const top = y + 3, tall = l.h - 7;
  if (paintBy() !== "calls" && l.proc) return drawProc(g, l, y, w, X);
  if (l.proc && !l.thread) {
    const a = Math.max(GUTTER, X(l.proc.start)), b = Math.min(w, X(l.proc.end < 0 ? end : l.proc.end));
    g.fillStyle = dark.matches ? "#ffffff0d" : "#0000000a";
    if (b > a) g.fillRect(a, y + 1, b - a, l.h - 2);
  }
  let done = -1;                      /* last pixel drawn */
  for (let k = firstBar(l, view.from); k < l.calls.length && ts[l.calls[k]] <= view.to;) {
    const i = l.calls[k], x = X(ts[i]), wide = Math.max(dur[i], 0) * scale;
    if (x + wide < GUTTER) { k++; continue; }
    if (wide >= 1) {
      const a = Math.max(x, GUTTER), b = Math.min(x + wide, w);
      if (a === x && b === x + wide) bar(g, i, a, Math.max(b - a - .4, .8), top, tall);
      else g.save(), g.beginPath(), g.rect(a, top, b - a, tall), g.clip(), bar(g, i, x, wide, top, tall), g.restore();
      if (!l.reach || alone(l, k)) drawName(g, i, a, b - a, top, tall);
      k++;
    } else {
      const next = view.from + (Math.floor(x - GUTTER) + 1) * px;
      if (Math.floor(x) !== done) bar(g, i, done = Math.floor(x), 1, top, tall);
      k++;
      if (l.reach || k + 8 >= l.calls.length || ts[l.calls[k + 8]] >= next) continue;
      k = lower(l.calls, next);       /* the last bar skipped may extend further */
      if (dur[l.calls[k - 1]] * scale >= 1) k--;
    }
  }
  for (let k = lower(l.points, view.from); k < l.points.length && ts[l.points[k]] <= view.to;) {
    const i = l.points[k], x = X(ts[i]);
    const next = view.from + (Math.floor(x - GUTTER) + 1) * px;
    g.fillStyle = errColour(i) || colour(i);
    g.fillRect(Math.floor(x), y + l.h - 6, 2, 5);
    k = l.points.length - k > 8 && ts[l.points[k + 8]] < next ? lower(l.points, next) : k + 1;
  }
  g.globalAlpha = 1;
}
let css2 = {};
const colours = () => Object.fromEntries(["hot", "card", "fg", "dim", "line", "bad", "soft", "accent"].map(k => [k, css("--" + k)]));

/* Draws a process or thread as one bar with its command, and a line at each further exec. */
function drawProc(g, l, y, w, X) {
  const p = l.proc, from = l.thread ? l.track.start : p.start, to = l.thread ? l.track.last || from : stop(p);
  const a = Math.max(GUTTER, X(from)), b = Math.min(w, Math.max(X(to), X(from) + 1.5)), top = y + 2, tall = l.h - 5;
  if (b <= GUTTER || a >= w) return;
  g.globalAlpha = l.thread ? .45 : 1;
  g.fillStyle = procColour(p);
  g.fillRect(a, top, b - a, tall);
  g.globalAlpha = 1;
  if (l.thread) return;
  g.fillStyle = css2.card;
  for (const e of p.execs.slice(1)) if (X(e.t) > GUTTER) g.fillRect(X(e.t), top, 1, tall);
  if (b - a < 28) return;
  g.save();
  g.beginPath();
  g.rect(a, top, b - a - 3, tall);
  g.clip();
  g.fillStyle = dark.matches ? "#fff" : "#10151b";
  if (!dark.matches && paintBy() === "exit" && failed(p)) g.fillStyle = "#fff";
  if (!dark.matches && paintBy() !== "exit") g.shadowColor = "#fff", g.shadowBlur = 3;
  if (dark.matches) g.shadowColor = "#000", g.shadowBlur = 3;
  g.fillText(esc(line_of(p)).slice(0, 300), a + 4, y + l.h - 7);
  g.restore();
}

/* Returns a function from times to x coordinates. */
const pixels = w => t => GUTTER + (t - view.from) / (view.to - view.from) * (w - GUTTER);

/* Draws the critical path below the bars, with lines where it changes to another process. */
function drawPath(g, h, w) {
  if (!path || (paintBy() === "calls" && !+state.hot)) return;
  const X = pixels(w);
  g.fillStyle = css2.hot;
  let last = null;
  for (const s of path) {
    const l = laneOfProc.get(s.p), y = l ? laneTop(l) : 0;
    if (!l || X(s.to) - X(s.from) < 2) continue;
    if (s.to >= view.from && s.from <= view.to && y + l.h > 0 && y < h) {
      const a = Math.max(GUTTER, X(s.from));
      g.fillRect(a, y + l.h - 4, Math.max(1.5, Math.min(w, X(s.to)) - a), 3);
    }
    if (last && s.to >= view.from && s.to <= view.to) {
      const y0 = Math.min(y, laneTop(last)) + l.h - 4, y1 = Math.max(y, laneTop(last)) + l.h - 1;
      if (y1 > 0 && y0 < h) g.fillRect(X(s.to) - .75, y0, 1.5, y1 - y0);
    }
    last = l;
  }
}

function drawLabel(g, l, y) {
  g.fillStyle = css2.card;
  g.fillRect(0, y, GUTTER - 1, l.h);
  g.fillStyle = l.thread || !l.proc ? css2.dim : css2.fg;
  const x = 6 + Math.min(l.depth || 0, 8) * 8;
  if (l.proc && l.proc.own >= 0 && !l.thread) g.fillStyle = css2.hot, g.fillRect(0, y + 2, 3, l.h - 5), g.fillStyle = css2.fg;
  let s = (l.more ? l.shut ? "▸ " : "▾ " : "") + l.name + (l.shut && l.more ? ` (+${l.more})` : "");
  const here = pointerX >= 0 && pointerX < GUTTER && l === laneAt(pointerY), pin = here ? l.pin ? "unpin" : "pin" : l.pin ? "●" : "";
  const room = GUTTER - x - 6 - (pin ? PIN : 0);
  while (s.length > 3 && g.measureText(s).width > room) s = s.slice(0, -2) + "…";
  g.fillText(s, x, y + l.h - 6);
  g.fillStyle = css2.accent;
  g.fillText(pin, GUTTER - 6 - g.measureText(pin).width, y + l.h - 6);
  g.fillStyle = css2.line;
  g.fillRect(0, y + l.h - 1, 1e5, 1);
}

function drawArrows(g, h, w) {
  const X = pixels(w);
  let drawn = 0;
  g.strokeStyle = g.fillStyle = shade("process");
  g.globalAlpha = .6;
  for (const a of arrows) {
    if (a.t < view.from || a.t > view.to || drawn > 400) continue;
    const f = laneOf.get(a.from.idx), t = laneOf.get(a.to.idx);
    if (!f || !t || f === t) continue;
    const x = X(a.t), y0 = laneTop(f) + f.h / 2, y1 = laneTop(t) + 5;
    if (Math.max(y0, y1) < 0 || Math.min(y0, y1) > h) continue;
    drawn++;
    g.beginPath();
    g.moveTo(x, y0);
    g.lineTo(x, y1);
    g.stroke();
    g.beginPath();
    g.moveTo(x - 3, y1 - 4), g.lineTo(x + 3, y1 - 4), g.lineTo(x, y1 + 1);
    g.fill();
  }
  g.globalAlpha = 1;
}

/* Draws the time axis. */
function drawRuler(g, w, h, from, to) {
  const len = to - from || 1, step = 10 ** Math.floor(Math.log10(len / 4));
  const s = len / step > 12 ? step * 5 : len / step > 6 ? step * 2 : step;
  const unit = s >= 1e9 ? [1e9, " s"] : s >= 1e6 ? [1e6, " ms"] : s >= 1e3 ? [1e3, " µs"] : [1, " ns"];
  g.fillStyle = css2.card;
  g.fillRect(0, 0, w, RULER);
  for (let t = Math.ceil(from / s) * s; t <= to; t += s) {
    const x = GUTTER + (t - from) / len * (w - GUTTER);
    g.fillStyle = css2.line;
    g.fillRect(x, 0, 1, h);
    g.fillStyle = css2.dim;
    const text = +(t / unit[0]).toFixed(3) + unit[1];
    if (x + 3 + g.measureText(text).width <= w) g.fillText(text, x + 3, 12);
  }
}

const RULER = 18;
/* Sets the height of the lanes. Hiding rows does not move the page; on paper, the lanes fill the first page. */
function fitLanes() {
  const most = printing || paper.matches ? Math.max(160, 950 - $("lanes").offsetTop - $("time").offsetTop) : Math.max(120, innerHeight * (PROC ? .56 : .46));
  const room = Math.min(allHeight + RULER, most);
  $("fill").style.height = Math.max(0, lanesHeight() + RULER - room) + "px";
  $("lanes").style.height = room + "px";
  const cut = lanes.filter(l => l.y + l.h > room - RULER).length;
  $("cut").textContent = cut ? `${count(cut)} more rows do not fit here.` : "";
  return room;
}

let printing = false;                 /* set before printing, because the layout precedes the media change */
function drawTimeline() {
  const box = $("lanes"), room = fitLanes();
  css2 = colours();
  const [g, w, h] = canvas($("line"), room);
  named = [];
  scrolled = box.scrollTop;
  for (const pin of pinHeight ? [false, true] : [false]) {
    const from = RULER + (pin ? 0 : pinHeight), to = pin ? RULER + pinHeight : h;
    const list = lanes.filter(l => l.pin === pin && laneTop(l) + l.h > from && laneTop(l) < to);
    g.save();
    g.beginPath();
    g.rect(0, from, w, to - from);
    g.clip();
    for (const l of list) drawLane(g, l, laneTop(l), w);
    if (paintBy() === "calls") drawArrows(g, h, w);
    drawPath(g, h, w);
    for (const l of list) drawLabel(g, l, laneTop(l));
    drawChosen(g, w, pin);
    if (pin) g.fillStyle = css2.dim, g.fillRect(0, to - 1, w, 1);
    g.restore();
  }
  drawRuler(g, w, RULER, view.from, view.to);
  drawInterval(g, w, h);
  tellNames();
  $("range").textContent = `${clock(view.from)} – ${clock(view.to)} s (${span(Math.round(view.to - view.from))})`;
}

/* Draws frames around the event under the pointer, the selected event and the selected process. */
function drawChosen(g, w, pin) {
  const X = pixels(w), on = told && laneOfProc.get(told);
  g.strokeStyle = css2.accent;
  for (const i of [hover, state.sel]) {
    const l = i >= 0 && laneFor(i);
    if (!l || l.pin !== pin) continue;
    const x = X(ts[i]), wide = Math.max(3, X(ts[i] + Math.max(dur[i], 0)) - x);
    g.lineWidth = i === state.sel ? 2 : 1;
    if (x + wide > GUTTER) g.strokeRect(Math.max(x, GUTTER) - 1, laneTop(l) + 1, wide + 2, l.h - 3);
  }
  g.lineWidth = 2;
  if (on && on.pin === pin) {
    const a = Math.max(GUTTER, X(told.start));
    g.strokeRect(a - 1, laneTop(on) + 1, Math.max(3, Math.min(w, X(stop(told))) - a) + 2, on.h - 3);
  }
  g.lineWidth = 1;
}

/* Draws the selected interval, or the one that the pointer is selecting. */
function drawInterval(g, w, h) {
  const X = pixels(w), [a, b] = drag ? [drag.x0, drag.x1].sort((p, q) => p - q) : [X(state.a), X(state.b)].map(x => Math.min(w, Math.max(GUTTER, x)));
  if (b <= a) return;
  g.fillStyle = css("--accent");
  g.globalAlpha = .14;
  g.fillRect(a, 0, b - a, h);
  g.globalAlpha = 1;
  for (const x of [a, b - 1]) g.fillRect(x, 0, 1, h);
}

let mapBins = null, once = null;
function drawMap() {
  const [g, full, h] = canvas($("map"), 50), w = Math.max(1, full - GUTTER), len = end - begin || 1, tall = h - 18;
  css2 = colours();
  drawRuler(g, full, h, begin, end);
  g.fillStyle = css2.dim;
  if (PROC) g.fillText(`processes: at most ${count(once.max)} at once`, 6, 28);
  g.translate(GUTTER, 0);
  if (PROC) {
    g.fillStyle = shade("call");
    const high = new Float64Array(w + 1), X = t => Math.min(w, Math.max(0, Math.floor((t - begin) / len * w)));
    for (let k = 0; k < once.t.length; k++)
      for (let x = X(once.t[k]); x <= X(once.t[k + 1] ?? end); x++) high[x] = Math.max(high[x], once.v[k]);
    for (let x = 0; x < w; x++) g.fillRect(x, h - high[x] / once.max * tall, 1, high[x] / once.max * tall);
  } else if (!mapBins || mapBins.w !== w) {
    const bins = Math.ceil(w / 3);
    mapBins = { w, all: new Uint32Array(bins), bad: new Uint32Array(bins) };
    for (let i = 0; i < n; i++) {
      const x = Math.max(0, Math.min(bins - 1, Math.floor((ts[i] - begin) / len * w / 3)));
      mapBins.all[x]++;
      if (failure(i)) mapBins.bad[x]++;
    }
    mapBins.max = mapBins.all.reduce((a, b) => Math.max(a, b), 1);
  }
  for (const [bins, c] of PROC ? [] : [[mapBins.all, grey()], [mapBins.bad, css("--bad")]]) {
    g.fillStyle = c;
    for (let x = 0; x < bins.length; x++) {
      const t = bins[x] / mapBins.max * tall;
      if (t) g.fillRect(3 * x, h - t, 3, t);
    }
  }
  if (!PROC) {
    g.fillStyle = css2.dim;
    g.fillText(`events: at most ${count(mapBins.max)} in ${span(Math.round(len / w * 3))}`, 6 - GUTTER, 28);
    g.fillText("failed", 6 - GUTTER + 13, 43);
    g.fillStyle = css2.bad;
    g.fillRect(6 - GUTTER, 35, 9, 9);
  }
  const a = (view.from - begin) / len * w, b = Math.max(2, (view.to - view.from) / len * w);
  g.fillStyle = g.strokeStyle = css("--accent");
  g.globalAlpha = .18;
  if (state.to) g.fillRect(a, 0, b, h);
  g.globalAlpha = 1;
  g.strokeRect(a + .5, .5, b - 1, h - 1);
}

let painting = 0;
function paint() {
  if (painting) return;
  painting = requestAnimationFrame(() => { painting = 0; drawMap(); drawTimeline(); });
}

let viewed = 0;
function setView(from, to) {
  const len = Math.min(Math.max(to - from, 50), end - begin || 1);
  from = Math.min(Math.max(begin, (from + to) / 2 - len / 2), Math.max(begin, end - len));
  Object.assign(view, { from, to: from + len });
  const whole = len > (end - begin) * (1 - 1e-9), was = state.to;
  state.from = whole ? 0 : Math.round(from);
  state.to = whole ? 0 : Math.max(1, Math.round(from + len));
  if (+state.idle && (was || state.to)) followView();
  paint();
  save();
  clearTimeout(viewed);
  if (+state.within && !(state.b > state.a)) viewed = setTimeout(filter, 150);
}

const zoomToInterval = () => { if (state.b > state.a) setView(state.a, state.b); };

function zoom(f, at = (view.from + view.to) / 2) {
  setView(at - (at - view.from) * f, at + (view.to - at) * f);
}

function laneIntoView(l) {
  const box = $("lanes");
  if (l && !l.pin && (l.y < box.scrollTop + pinHeight || l.y + l.h > box.scrollTop + box.clientHeight - RULER)) box.scrollTop = l.y - box.clientHeight / 2;
}

const laneAt = y => lanes.find(l => y >= laneTop(l) && y < laneTop(l) + l.h && (l.pin || y >= RULER + pinHeight));

/* Pins a row to the top, or unpins it. */
function pin(l) {
  if (!l) return;
  const set = new Set(state.pin.split(".").filter(Boolean));
  set.has(l.key) ? set.delete(l.key) : set.add(l.key);
  state.pin = [...set].join(".");
  layLanes(), paint(), save();
}
const timeAt = x => view.from + (x - GUTTER) / ($("line").clientWidth - GUTTER) * (view.to - view.from);

/* Returns the event at a point of the canvas, or -1: a mark within 4 pixels, or a bar. */
function eventAt(x, y) {
  const l = laneAt(y);
  if (!l || x < GUTTER || y < RULER) return -1;
  const t = timeAt(x), px = timeAt(x + 1) - t;
  let best = -1, far = 4 * px;
  const low = y - laneTop(l) > l.h - 8;
  for (const list of low ? [l.points, l.calls] : [l.calls, l.points]) {
    const k = lower(list, t), first = list === l.calls && l.reach ? Math.max(firstBar(l, t), k - 5000) : k - 1;
    for (let j = Math.min(k, list.length - 1); j >= Math.max(0, Math.min(first, k - 1)); j--) {
      const i = list[j];
      const d = ts[i] > t ? ts[i] - t : Math.max(0, t - ts[i] - Math.max(dur[i], 0));
      if (d < far) far = d, best = i;
    }
    if (best >= 0) return best;
  }
  return -1;
}

/* Returns whether the lane at y shows a process instead of calls. */
const asBars = y => paintBy() !== "calls" && laneAt(y)?.kernel === undefined;

/* Returns the process whose bar is at a point, or null. */
function procAt(x, y) {
  const l = laneAt(y), px = timeAt(1) - timeAt(0), t = timeAt(x);
  return l && l.proc && y > RULER && (x < GUTTER || (t > l.proc.start - 3 * px && t < stop(l.proc) + 3 * px)) ? l.proc : null;
}

function procText(p, max = Infinity) {
  const cut = a => esc(a.length > max ? a.slice(0, max) + "…" : a);
  const more = [["CPU", p.used, span], ["max RSS", p.rss, size], ["read", p.read, size], ["written", p.written, size]];
  const out = [(p.execs.length ? p.execs.slice(0, max).map(e => cut(e.argv)) : [esc(line_of(p)) + " (no exec)"]).join("\n⇒ "), "",
    `pid ${p.pid}${p.parent ? `, child of ${procName(p.parent)}` : ""}`,
    `${p.early ? "…" : clock(p.start)} – ${ended(p) ? clock(p.end) : "…"} s: ${lasted(p)}`
      + (ended(p) ? p.code === "" ? "" : /^\d/.test(p.code) ? ", exit " + p.code : ", killed by " + p.code : ", still running")];
  const used = more.filter(m => m[1] >= 0).map(([k, v, f]) => `${k} ${f(v)}`);
  if (used.length) out.push(used.join(", "));
  if (p.own >= 0) out.push(`on the critical path: ${span(p.own)} of its own`);
  return out.join("\n");
}

/* Returns a process as an object with the keys of --json. */
function procAsJson(p) {
  const used = USED.filter(([key]) => p[key] >= 0).map(([key, name]) => [name, p[key]]);
  const code = !ended(p) || p.code === "" ? {} : /^\d/.test(p.code) ? { code: +p.code } : { signal: p.code };
  return { type: "process", pid: p.pid, ppid: p.parent ? p.parent.pid : null, start_ns: p.early ? null : p.start,
    end_ns: ended(p) ? p.end : null, ...code, ...Object.fromEntries(used), execs: p.execs.map(e => asJson(e.i)) };
}

let told = null;
function tellProc(p) {
  told = p;
  state.sel = -1;
  showDetail(p ? procText(p) : "");
  if (!p) return paint();
  laneIntoView(laneOfProc.get(p));
  paint();
}

function tip(i, x, y, p) {
  const t = $("tip");
  t.hidden = i < 0 && !p;
  if (t.hidden) return;
  let s = p ? procText(p, 300).slice(0, 3000) : `${clock(ts[i])} s  ${procName(tracks[track[i]].proc)}\n${line(i).slice(0, 600)}`;
  if (!p && dur[i] >= 0) s += "\n" + span(took(i));
  if (!p && flag[i] & TIMED) s += ": " + shares(i).filter(p => p[1] > 0).map(p => p[0] + " " + span(p[1])).join(", ");
  t.textContent = s;
  t.style.left = Math.min(x + 12, innerWidth - t.offsetWidth - 8) + "px";
  t.style.top = (y + 18 + t.offsetHeight > innerHeight ? y - t.offsetHeight - 10 : y + 16) + "px";
}

let drag = null;
function bindTimeline() {
  const c = $("line"), pos = e => { const r = c.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
  c.onpointermove = e => {
    const [x, y] = pos(e);
    if (x < GUTTER || pointerX < GUTTER) paint(); /* the tip says that the row can be pinned */
    pointerX = x, pointerY = y;
    if (drag) { drag.x1 = Math.max(GUTTER, x); paint(); return; }
    const bars = asBars(y), i = bars ? -1 : eventAt(x, y);
    if (i !== hover) hover = i, paint();
    tip(i, e.clientX, e.clientY, bars && procAt(x, y));
  };
  c.onpointerleave = () => { hover = -1, pointerX = -1, pointerY = 0; tip(-1); paint(); };
  c.onpointerdown = e => {
    const [x] = pos(e);
    if (x >= GUTTER) drag = { x0: x, x1: x }, c.setPointerCapture(e.pointerId);
  };
  c.onpointerup = e => {
    const [x, y] = pos(e), d = drag;
    drag = null;
    if (d && Math.abs(d.x1 - d.x0) > 4) return choose(timeAt(Math.min(d.x0, d.x1)), timeAt(Math.max(d.x0, d.x1)));
    const l = laneAt(y);
    if (x < GUTTER && x >= GUTTER - PIN) return pin(l);
    if (x < GUTTER && l && l.more) return fold(l.proc);
    const bars = asBars(y), p = bars && procAt(x, y), i = bars ? -1 : eventAt(x, y);
    if (p) tab("processes"), made.processes.show(made.processes.view.indexOf(p)), tellProc(p);
    else if (i >= 0) select(i);
    paint();
  };
  c.ondblclick = e => {
    const p = procAt(...pos(e)), t = timeAt(pos(e)[0]);
    if (t > state.a && t < state.b) zoomToInterval();
    else if (p && paintBy() !== "calls") pickProc(p);
  };
  $("lanes").addEventListener("wheel", e => {
    if (e.ctrlKey || e.metaKey) { e.preventDefault(); zoom(1.0015 ** e.deltaY, timeAt(Math.max(GUTTER, pos(e)[0]))); }
    else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      e.preventDefault();
      const d = (e.deltaX || e.deltaY) / c.clientWidth * (view.to - view.from);
      setView(view.from + d, view.to + d);
    }
  }, { passive: false });
  $("lanes").onscroll = paint;
  const keys = e => {
    const len = view.to - view.from, move = { ArrowLeft: -.2, ArrowRight: .2 }[e.key];
    if (move) setView(view.from + move * len, view.to + move * len);
    else if (e.key === "+" || e.key === "=") zoom(.5);
    else if (e.key === "-") zoom(2);
    else if (e.key === "0") setView(begin, end);
    else if (e.key === "f") foldAll();
    else if (e.key === "p") pin(state.sel >= 0 ? laneFor(state.sel) : told ? laneOfProc.get(told) : laneAt(pointerY));
    else if (e.key === "s") choose(view.from, view.to);
    else if (e.key === "z") zoomToInterval();
    else if (e.key === "ArrowUp" || e.key === "ArrowDown") $("lanes").scrollTop += e.key === "ArrowUp" ? -40 : 40;
    else return;
    e.preventDefault();
  };
  c.onkeydown = $("map").onkeydown = keys;
  const m = $("map"), go = e => {
    const r = m.getBoundingClientRect(), t = begin + (e.clientX - r.left - GUTTER) / (r.width - GUTTER) * (end - begin), half = (view.to - view.from) / 2;
    setView(t - half, t + half);
  };
  m.onpointerdown = e => { m.setPointerCapture(e.pointerId); go(e); m.onpointermove = go; };
  m.onpointerup = () => { m.onpointermove = null; };
  $("in").onclick = () => zoom(.5);
  $("out").onclick = () => zoom(2);
  $("fit").onclick = () => setView(begin, end);
  $("fold").onclick = foldAll;
}

function setFold(ids) {
  state.fold = ids.join(".");
  layLanes();
  paint();
  save();
}

function fold(p) {
  const set = new Set(state.fold.split(".").filter(Boolean)), id = String(p.idx);
  set.has(id) ? set.delete(id) : set.add(id);
  setFold([...set]);
}

/* Folds all processes below the top level, or unfolds all. */
const foldAll = () => setFold(state.fold ? [] : lanes.filter(l => l.more && l.depth).map(l => String(l.proc.idx)));

/* ---- the selected interval ---- */

const BYTES = { read: "read", recv: "read", write: "written", send: "written" };

/* Returns totals of the events in an interval. A call that extends beyond the interval counts only with its time inside the
 * interval. This time is not divided into CPU, run queue and disk, because the parts are known only for whole calls. */
function tally(a, b) {
  const t = { events: 0, calls: 0, failed: 0, ns: 0, cpu: 0, runq: 0, disk: 0, other: 0, timed: 0, read: 0, written: 0, faults: 0,
    waits: 0, waited: 0, ios: 0, io: 0, call: new Map(), file: new Map(), peer: new Map(), proc: new Map() };
  const add = (map, key, ns, bytes = 0) => {
    let e = map.get(key);
    if (!e) map.set(key, e = { key, n: 0, ns: 0, bytes: 0 });
    e.n++, e.ns += ns, e.bytes += bytes;
  };
  for (let i = 0; i < n; i++) {
    if (!touches(i, a, b)) continue;
    const name = kinds[kind[i]].name, ns = dur[i] < 0 ? 0 : Math.min(b, ts[i] + dur[i]) - Math.max(a, ts[i]);
    t.events++;
    if (kind[i] === K.syscall) {
      t.calls++, t.ns += ns;
      if (failure(i)) t.failed++;
      add(t.call, val[off[i]], ns), add(t.proc, tracks[track[i]].proc, ns);
      const file = off[i] + 1 < off[i + 1] && fid[off[i] + 1] === F.txt ? fdName(val[off[i] + 1]) : "";
      if (file.startsWith("/")) add(t.file, file, ns);
      if (!(flag[i] & TIMED) || ns < dur[i]) continue;
      t.timed++;
      for (const [k, v] of shares(i)) t[k] += v;
    } else if (name === "sched_delay") t.waits++, t.waited += ns;
    else if (name === "block_io") t.ios++, t.io += ns;
    else if (name === "fault") t.faults++;
    else if (name === "fault_group") t.faults += of(i, "count") || 0;
    else if (BYTES[name]) {
      t[BYTES[name]] += bytes[i];
      const file = of(i, "filename"), peer = of(i, "remote_addr");
      if (file?.startsWith("/")) add(t.file, file, 0, bytes[i]);
      if (peer) add(t.peer, peer, 0, bytes[i]);
    }
  }
  if (PROC) for (const p of procs) if (p.pid && p.start <= b && stop(p) >= a) add(t.proc, p, Math.min(b, stop(p)) - Math.max(a, p.start));
  return t;
}

/* Returns a card with lines [what, value, bad], or null without lines. */
function card(name, lines, says = "", counts = "") {
  const dl = el("dl");
  for (const [k, v, bad] of lines)
    if (v !== undefined) dl.append(el("dt", { textContent: k }), el("dd", { textContent: v, title: v, className: bad ? "bad" : "" }));
  return dl.children.length ? el("div", { className: "card", title: says }, el("h2", { textContent: name }), ...counts ? [el("p", { textContent: counts })] : [], dl) : null;
}

/* Returns a card with the first entries of a list, each of which is a button. */
function topCard(name, map, show, go) {
  const list = [...map.values()].sort((a, b) => b.ns - a.ns || b.bytes - a.bytes || b.n - a.n);
  const box = el("div", { className: "card top" }, el("h2", { textContent: list.length > 6 ? `${name}, 6 of ${count(list.length)}` : name }));
  for (const e of list.slice(0, 6)) {
    const what = show(e);
    box.append(el("button", { title: what[0], onclick: () => go(e) }, el("span", { textContent: what[0] }), el("b", { textContent: what[1] })));
  }
  return list.length ? box : null;
}

function tellInterval() {
  const on = state.b > state.a;
  $("span").hidden = !on;
  $("withinOf").textContent = on ? "only the selection" : "only the visible time";
  if (!on) return;
  const { a, b } = state, t = tally(a, b), some = (v, f = count) => v ? f(v) : undefined, ns = v => span(Math.round(v));
  const timed = v => t.timed ? ns(v) : undefined, amount = e => [e.ns && ns(e.ns), e.bytes && size(e.bytes)].filter(Boolean).join(", ") || count(e.n);
  $("span").querySelector("h2").textContent = `${clock(a)} – ${clock(b)} s: ${ns(b - a)}`;
  $("found").replaceChildren(...[
    card("time in calls", [["in all", t.calls ? ns(t.ns) : undefined], ["on CPU", timed(t.cpu)], ["run queue", timed(t.runq)], ["disk", timed(t.disk)],
      ["blocked", timed(t.other)], ["not divided", timed(t.ns - t.cpu - t.runq - t.disk - t.other)]],
    "Sums over all threads. For a call that extends beyond the interval, only the time inside the interval counts, as not divided: kvis knows how long the whole call used a CPU or waited, but not when."),
    card("counts", [["events", some(t.events)], ["calls", some(t.calls)], ["failed", some(t.failed), 1], ["read", some(t.read, size)], ["written", some(t.written, size)],
      ["page faults", some(t.faults)], ["processes", some(t.proc.size)]]),
    card("kernel", [["waits for a CPU", some(t.waits)], ["took", t.waits ? ns(t.waited) : undefined], ["block I/O", some(t.ios)], ["took", t.ios ? ns(t.io) : undefined]],
      "Time that threads waited for a CPU, in and between calls; requests to block devices can overlap."),
    topCard("calls", t.call, e => [esc(strs[e.key]), `${ns(e.ns)} · ${count(e.n)}×`], e => only({ type: "call:" + strs[e.key] })),
    topCard("files", t.file, e => [esc(e.key), amount(e)], e => only({ path: e.key })),
    topCard("peers", t.peer, e => [esc(e.key), amount(e)], e => only({ q: e.key })),
    topCard("processes", t.proc, e => [procName(e.key), amount(e)], e => PROC ? tellProc(e.key) : only({ proc: String(e.key.idx) })),
  ].filter(Boolean));
  document.body.dataset.tally = JSON.stringify({ ...t, call: undefined, file: undefined, peer: undefined, proc: undefined });
}

/* Selects an interval; b <= a: none. */
function choose(a, b) {
  Object.assign(state, b > a ? { a: Math.max(0, Math.round(a)), b: Math.round(b), within: 1 } : { a: 0, b: 0, within: 0 });
  controls(), tellInterval(), paint(), filter();
  if (state.tab === "flame") made.flame.redraw();
}

/* ---- highlights: at most three sentences of each sort, with links to the view ---- */

const WAITS = /^(vfork|wait4|waitid|p?select6?|p?poll|epoll_p?wait2?|(clock_)?nanosleep|pause|rt_sig(suspend|timedwait)|futex(_wait.*)?|io_(p?getevents|uring_enter)|accept4?)$/;
const most = (map, n, by) => [...map.values()].sort((a, b) => by(b) - by(a)).slice(0, n);
const times = v => count(v) + (v === 1 ? " time" : " times");

/* Returns a link to a view. */
const link = (text, view) => {
  const e = el("a", { textContent: text });
  e.href = "#" + new URLSearchParams(view);
  return e;
};
const atEvent = (i, more) => {
  const len = Math.max(took(i) * 1.2, 1e5), at = ts[i] + Math.max(dur[i], 0) / 2;
  return { noise: 1, sel: i, from: Math.max(0, Math.round(at - len / 2)), to: Math.round(at + len / 2), ...more };
};

/* Returns sums over the whole run. */
function overall() {
  const o = { ns: 0, waits: 0, answers: 0, failed: 0, call: new Map(), wait: new Map(), file: new Map(), why: new Map(), rss: new Map(), longest: -1, delay: -1 };
  const calls = callNames.length > 0, waits = matching(WAITS);
  const add = (map, key, ns, first) => {
    let e = map.get(key);
    if (!e) map.set(key, e = { key, n: 0, ns: 0, first });
    e.n++, e.ns += ns;
  };
  for (let i = 0; i < n; i++) {
    const call = kind[i] === K.syscall, p = tracks[track[i]].proc;
    if (call !== calls) { /* failures are counted once, with the call */ }
    else if (err[i] && flag[i] & ANSWER) o.answers++;
    else if (err[i]) o.failed++, add(o.why, rawName(i) + " " + errName(err[i]), 0, i);
    if (kind[i] === K.sched_delay && !(o.delay >= 0 && took(o.delay) >= took(i))) o.delay = i;
    if (kind[i] === K.rss && !(o.rss.get(p)?.v >= bytes[i])) o.rss.set(p, { p, v: bytes[i] });
    if (!call || dur[i] <= 0) continue;
    const name = rawName(i), wait = waits(i);
    o.ns += dur[i];
    if (wait) o.waits += dur[i];
    else if (!(o.longest >= 0 && dur[o.longest] >= dur[i])) o.longest = i;
    add(wait ? o.wait : o.call, name, dur[i]);
    const file = !wait && off[i] + 1 < off[i + 1] && fid[off[i] + 1] === F.txt ? fdName(val[off[i] + 1]) : "";
    if (file.startsWith("/")) add(o.file, file, dur[i]);
  }
  return o;
}

function tellTime(o) {
  const called = list => list.flatMap((e, k) => [k ? ", " : "", link(esc(e.key), { noise: 1, type: "call:" + e.key, sort: "duration", down: 1 }),
    ` (${span(e.ns)}, ${times(e.n)})`]);
  const share = Math.round(100 * o.waits / o.ns), [file] = most(o.file, 1, e => e.ns);
  return [o.ns && [`Threads spent ${span(o.ns)} in calls, ${share} % of it in calls that wait`,
    ...o.wait.size ? [": ", ...called(most(o.wait, 2, e => e.ns))] : [], "."],
  o.call.size && ["Among other calls, most time went to ", ...called(most(o.call, 3, e => e.ns)), "."],
  file && ["Among files, most time went to ", link(esc(file.key), { noise: 1, path: file.key }), ` (${span(file.ns)}).`]];
}

function tellProcessTime() {
  const has = procs.filter(p => p.used > 0).sort((a, b) => b.used - a.used), own = procs.filter(p => p.own > 0).sort((a, b) => b.own - a.own);
  return [has.length && ["Most CPU time was used by ", ...has.slice(0, 3).flatMap((p, k) => [k ? ", " : "", toProcess(p), ` (${span(p.used)})`]), "."],
    own.length && ["On the critical path, ", toProcess(own[0]), ` takes the most time of its own (${span(own[0].own)}).`]];
}

const toProcess = p => link(procName(p), PROC ? { find: String(p.pid) } : { proc: p.idx, noise: 1 });

function tellFailures(o) {
  const bad = procs.filter(failed), why = most(o.why, 2, e => e.n);
  return [!PROC && (o.failed ? [link(count(o.failed) + (o.failed > 1 ? " calls" : " call"), { failed: 1, noise: 1, cats: "call" }), " failed", ", most often ", ...why.flatMap((e, k) => [k ? " and " : "",
    link(esc(e.key), atEvent(e.first, { failed: 1, q: e.key.split(" ")[1] })), ` (${times(e.n)})`]), "."] : ["No call failed."]),
  bad.length ? [`${count(bad.length)} of ${count(procs.filter(p => p.pid).length)} processes did not exit with status 0: `,
    ...bad.slice(0, 3).flatMap((p, k) => [k ? ", " : "", toProcess(p), ` (${p.code})`]), bad.length > 3 ? " …" : "."] : PROC && ["No process failed."],
  o.answers && [`${count(o.answers)} other errors are normal, such as a name that was found in another place or a call that was not finished yet.`]];
}

function tellLongest(o) {
  const i = o.longest, p = procs.filter(p => p.parent && ended(p)).sort((a, b) => lifeOf(b) - lifeOf(a))[0];
  return [i >= 0 && ["The longest call, apart from calls that only wait, is ", link([typeName(i), about(i)[0].slice(-60)].filter(Boolean).join(" "), atEvent(i)),
    ` by ${procName(tracks[track[i]].proc)}: ${span(dur[i])}.`],
  p && ["The longest child process is ", toProcess(p), `: ${span(lifeOf(p))}.`],
  o.delay >= 0 && ["The longest wait for a CPU took ", link(span(took(o.delay)), atEvent(o.delay)), ` (${procName(tracks[track[o.delay]].proc)}).`]];
}
const lifeOf = p => stop(p) - p.start;

/* The peak memory of a process is known from its exit. Without an exit, the largest sample is a lower limit. */
function tellMemory(o) {
  const list = procs.filter(p => p.rss >= 0).map(p => ({ p, v: p.rss, more: "" }));
  for (const e of o.rss.values()) if (e.p.rss < 0) list.push({ ...e, more: " or more" });
  const top = list.sort((a, b) => b.v - a.v).slice(0, 3);
  return [top.length && ["Highest peaks of resident memory: ",
    ...top.flatMap((e, k) => [k ? ", " : "", toProcess(e.p), ` (${size(e.v)}${e.more})`]), "."]];
}

function standOut() {
  const o = overall(), list = [["Time", PROC ? tellProcessTime() : tellTime(o)], ["Failures", tellFailures(o)], ["Longest", tellLongest(o)], ["Memory", tellMemory(o)]];
  $("stands").replaceChildren(...list.map(([name, lines]) => [name, lines.filter(Boolean)]).filter(([, lines]) => lines.length)
    .map(([name, lines]) => el("li", {}, el("b", { textContent: name }), ...lines.map(parts => el("span", {}, ...parts)))));
}

/* ---- flame view: time or bytes by process, thread, call and file, with the stacks of --folded ---- */

const WEIGHTS = PROC ? { cpu: "CPU time", bytes: "bytes read and written" }
  : { time: "time in calls", cpu: "on CPU", runq: "run queue", disk: "disk", other: "blocked", bytes: "bytes" };
const WAITED = { runq: "[run queue]", disk: "[disk]", other: "[blocked]" };
const weight = () => Object.hasOwn(WEIGHTS, state.by) ? state.by : Object.keys(WEIGHTS)[0];

/* own: value of the frame without its kids; all: with them */
const frame = (name, up) => ({ name, up, own: 0, all: 0, kids: new Map(), deep: up ? up.deep + 1 : 0 });
function within(f, name) {
  let kid = f.kids.get(name);
  if (!kid) f.kids.set(name, kid = frame(name, f));
  return kid;
}

/* Returns what call i adds to its frame: [[name of a frame below, or "", value]...]. The time of a call that extends beyond
 * the interval is not divided into CPU, run queue and disk. */
function weights(i, by, a, b) {
  const moved = get(i, F.ret), ns = Math.min(b, ts[i] + dur[i]) - Math.max(a, ts[i]), parts = flag[i] & TIMED && ns === dur[i] ? shares(i) : [];
  if (by === "bytes") return [["", moved > 0 && MOVES.test(rawName(i)) ? moved : 0]];
  return by !== "time" ? [["", parts.find(p => p[0] === by)?.[1]]] : parts.length ? parts.map(([k, v]) => [WAITED[k], v]) : [["", ns]];
}

/* Notes the name that a thread sets with prctl(2). */
function renamed(i, t, names) {
  if (err[i] || t.tid === t.pid) return;
  const name = get(i, F.txt) === "PR_SET_NAME" && get(i, F.txt + 1)?.replace(/^"|"(\.{3})?$/g, "");
  if (name) names.set(t, name);
}

/* Returns the stacks of an interval. A process has the name of its current program, a thread the name that it has set. With
 * kvis proc, the frame of a process is in that of its parent. */
function stacks(by, a, b) {
  const root = frame("all"), now = new Map(), names = new Map(), called = p => now.get(p) ?? p.comm ?? "pid " + p.pid;
  const total = f => { f.all = f.own; for (const kid of f.kids.values()) f.all += total(kid); return f.all; };
  for (let i = 0, next = 0; i < n; i++) {
    const t = tracks[track[i]], p = t.proc;
    for (; arrows[next]?.i === i; next++)
      if (arrows[next].to.proc !== p) now.set(arrows[next].to.proc, now.get(p) ?? p.comm);
      else names.set(arrows[next].to, names.get(t));
    if (rawName(i) === "prctl") renamed(i, t, names);
    if (kind[i] === K.exec && !err[i]) now.set(p, (of(i, "program") || called(p)).replace(/.*\//s, ""));
    if (!touches(i, a, b)) continue;
    if (PROC && kind[i] === K.exit_process) {
      let f = root;
      const line = [p];
      while (line[0].parent && line.length < 32) line.unshift(line[0].parent);
      for (const q of line) f = within(f, called(q));
      f.own += by === "cpu" ? of(i, "cpu_ns") || 0 : (of(i, "bytes_read") || 0) + (of(i, "bytes_written") || 0);
    }
    if (kind[i] !== K.syscall || dur[i] <= 0) continue;
    let f = null;
    for (const [part, v] of weights(i, by, a, b)) {
      if (!(v > 0)) continue;
      if (!f) {
        const name = rawName(i), file = fileOf(i, name !== "getrandom");
        f = within(within(within(root, called(p)), t.tid === t.pid ? "main" : names.get(t) || "thread"), name);
        if (file) f = within(f, file);
      }
      (part ? within(f, part) : f).own += v;
    }
  }
  total(root);
  return root;
}

const FRAMES = ["process", "", "call", "file"];
function frameColour(f) {
  const waited = Object.keys(WAITED).find(k => WAITED[k] === f.name), cat = f.deep ? PROC ? "process" : FRAMES[f.deep - 1] : "";
  return waited ? part(waited) : cat ? shade(cat, f.name.length) : grey();
}

/* Makes the icicle: each frame is a button, as wide as its share of the frame above. */
function flameTab() {
  const by = el("select"), look = el("input", { type: "search", placeholder: "frames… (/)", value: state.look }), says = el("span", { role: "status" });
  const tree = el("div", { className: "flame" }), box = el("div", { className: "grid fit" }, el("div", { className: "bar" }, by, look, says), tree);
  by.append(...Object.entries(WEIGHTS).map(([value, textContent]) => el("option", { value, textContent })));
  by.ariaLabel = "width of frames", look.ariaLabel = "search frames", tree.ariaLabel = "frames: arrows move, Enter zooms, Esc goes back";
  tree.setAttribute("role", "tree");
  let root, of, top, at;              /* at: the focused frame */
  const trail = f => f.up ? [...trail(f.up), f.name] : [], show = v => weight() === "bytes" ? size(v) : span(Math.round(v));
  const share = (v, f) => f.all ? (100 * v / f.all).toFixed(1) + " %" : "";
  const text = f => `${esc(trail(f).join(" › ") || "all")}: ${show(f.all)}` + (f.up ? `, ${share(f.all, root)} of all` + (f.up.up ? `, ${share(f.all, f.up)} of ${esc(f.up.name)}` : "") : "");
  const zoomTo = f => { state.frame = JSON.stringify(trail(f)), draw(), at.focus(), save(); };
  const found = (f, m) => m.test(f.name) ? f.all : [...f.kids.values()].reduce((sum, kid) => sum + found(kid, m), 0);
  const lay = (f, left, wide, m, up) => {
    const e = el("button", { className: up ? "up" : "", textContent: wide < 1.5 ? "" : esc(f.name), title: text(f), tabIndex: -1, frame: f, onclick: () => zoomTo(f),
      onfocus: () => { at.tabIndex = -1, at = e, e.tabIndex = 0, says.textContent = text(f); } });
    const fill = m?.test(f.name) ? css("--accent") : frameColour(f);
    e.style.cssText = `left:${left}%;width:${wide}%;top:${21 * f.deep}px;background:${fill};color:${ink(fill)}`;
    e.setAttribute("role", "treeitem"), e.ariaLevel = f.deep + 1;
    Object.assign(e.dataset, { trail: JSON.stringify(trail(f)), v: f.all });
    f.e = e;
    const list = [e];
    if (f === top) at = e;
    for (const kid of up ? [] : [...f.kids.values()].sort((x, y) => y.all - x.all)) {
      const w = wide * kid.all / f.all;
      if (w < .12 || list.length > 4000) break;
      list.push(...lay(kid, left, w, m));
      left += w;
    }
    return list;
  };
  const draw = () => {
    const m = matcher(state.look, 0), list = [], interval = state.b > state.a ? [state.a, state.b] : [-Infinity, Infinity], key = [weight(), ...interval].join();
    if (key !== of) root = stacks(weight(), ...interval), of = key;
    top = root;
    try { for (const name of JSON.parse(state.frame || "[]")) top = top.kids.get(name) ?? top; } catch { /* the link is not valid */ }
    for (let f = top.up; f; f = f.up) list.unshift(...lay(f, 0, 100, m, true));
    list.push(...lay(top, 0, 100, m));
    tree.replaceChildren(...list);
    tree.style.height = 21 * (1 + list.reduce((deep, e) => Math.max(deep, e.frame.deep), 0)) + "px";
    at.tabIndex = 0;
    by.value = weight(), look.value = state.look;
    says.textContent = !root.all ? "no data" : m ? `found: ${show(found(top, m))}, ${share(found(top, m), top)} of ${esc(top.name)}` : text(top);
  };
  tree.onkeydown = e => {
    const all = [...tree.children], f = at.frame, row = all.filter(x => x.frame.deep === f.deep), k = row.indexOf(at);
    const to = { ArrowLeft: row[k - 1], ArrowRight: row[k + 1], ArrowUp: f.up?.e, ArrowDown: all.find(x => x.frame.up === f) }[e.key];
    if (to) to.focus();
    else if (e.key === "Escape" && top.up) zoomTo(top.up);
    else return;
    e.preventDefault(), e.stopPropagation();
  };
  by.onchange = () => { state.by = by.value, draw(), save(); };
  look.oninput = () => { state.look = look.value, draw(), save(); };
  return { box, look, redraw: draw };
}

/* ---- controls ---- */

const sumOf = (list, f) => list.reduce((a, x) => a + f(x), 0);

/* Explanations of cards */
const COUNTS = { memory: "page faults of all processes", "file I/O": "bytes that calls read and wrote in files", network: "bytes that calls sent and received through sockets",
  files: "number of different files", "scheduler latency": "waits of runnable threads for a CPU", "block I/O": "requests to block devices" };

function cards() {
  const list = [], s = sum || {};
  const add = (name, ...lines) => list.push(card(name, lines, "", COUNTS[name]));
  const opt = (v, f) => v === undefined ? undefined : f(v);
  add("memory", ["page faults", opt(s.page_faults, count)]);
  add("file I/O", ["read", opt(s.file_bytes_read, size)], ["written", opt(s.file_bytes_written, size)],
    ["other read", opt(s.other_bytes_read, size)], ["other written", opt(s.other_bytes_written, size)]);
  add("network", ["sent", opt(s.net_bytes_sent, size)], ["received", opt(s.net_bytes_received, size)],
    ["connections", opt(s.connections, c => count(c.length))]);
  add("files", ["read", opt(s.files_read, count)], ["written", opt(s.files_written, count)], ["still open at exit", opt(s.open_at_exit_count, count)]);
  add("processes", ["commands", opt(s.commands, count)],
    ["processes", once && PROC ? count(procs.filter(p => p.pid).length) : opt(s.processes, count)], ["threads", opt(s.threads, count)],
    ["exit", s.exit_signal || opt(s.exit_code, String), s.exit_signal || s.exit_code], ["duration", opt(s.duration_ns, span)]);
  add("scheduler latency", ["waits", opt(s.sched_waits, count)], ["mean", s.sched_waits ? span(Math.round(s.sched_wait_ns / s.sched_waits)) : undefined],
    ["p99", opt(s.sched_wait_p99_ns, span)], ["max", opt(s.sched_wait_max_ns, span)]);
  add("block I/O", ["requests", opt(s.block_ios, count)], ["mean", s.block_ios ? span(Math.round(s.block_io_ns / s.block_ios)) : undefined],
    ["p99", opt(s.block_io_p99_ns, span)], ["max", opt(s.block_io_max_ns, span)], ["read", opt(s.block_read_bytes, size)],
    ["written", opt(s.block_written_bytes, size)],
    ["calls waited", opt(s.call_time, t => span(t.disk_ns))], ["lost", s.lost_block_ios ? count(s.lost_block_ios) : undefined, 1]);
  if (PROC) cardsOfProcesses(add);
  add(PROC ? "recording" : "trace", ["calls", opt(s.syscalls, count)], ["lost", s.lost === null ? "unknown" : opt(s.lost, count), s.lost ?? 1], ["unreadable", s.unreadable ? count(s.unreadable) : undefined, 1],
    ["truncated strings", cut ? count(cut) : undefined], ["throttled", opt(s.throttle_stops, count)], ["backend", PROC ? undefined : run.backend]);
  $("cards").replaceChildren(...list.filter(Boolean));
}

/* Adds the cards that need the events. */
function cardsOfProcesses(add) {
  if (!once) return;
  const of = list => [["processes", count(list.length)], ["most time of its own", list.length ? span(list[0].own) : undefined],
    ["of", list.length ? procName(list[0]) : undefined]];
  add("ends", ["exit 0", count(procs.filter(p => p.code === "0").length)],
    ...["failed", "by a signal"].map((k, s) => [k, procs.filter(p => failed(p) && !/^\d/.test(p.code) === !!s).length])
      .map(([k, v]) => [k, v ? count(v) : undefined, 1]),
    ["still running", procs.filter(p => p.execs.length && !ended(p)).length || undefined]);
  add("use", ["maximum at once", count(once.max)],
    ["CPU", sum && sum.cpu_ns ? span(sum.cpu_ns) : has("used") ? span(sumOf(procs, p => Math.max(p.used, 0))) : undefined],
    ["maximum RSS of a process", has("rss") ? size(procs.reduce((a, p) => Math.max(a, p.rss), 0)) : undefined],
    ["written", has("written") ? size(sumOf(procs, p => Math.max(p.written, 0))) : undefined]);
  if (path) add("critical path", ...of(procs.filter(p => p.own >= 0).sort((a, b) => b.own - a.own)));
}

function notes() {
  const out = [];
  if (!facts.whole) out.push("The recording ends early: there is no summary, and the last events are missing.");
  if (facts.kept < facts.events) out.push(`${count(facts.events - facts.kept)} of ${count(facts.events)} events are omitted: the shortest, smallest and most common ones (--max-report-events).`);
  if (sum && sum.lost === null) out.push("The number of lost records is unknown.");
  if (sum && sum.lost) out.push(`${count(sum.lost)} ${PROC ? "records of processes" : "calls"} were lost.`);
  $("note").hidden = !out.length;
  $("note").textContent = out.join(" ");
}

function head() {
  const command = run.command ? run.command.map(w => /^[\w@%+=:,.\/-]+$/.test(w) ? w : `'${w}'`).join(" ")
    : run.pids ? "pid " + run.pids.join(", ") : "all processes";
  $("command").textContent = esc(command);
  document.title = "kvis: " + esc(command).slice(0, 80);
  const when = new Date(run.start_realtime_ns / 1e6);
  $("where").textContent = esc(`${when.toISOString().replace("T", " ").slice(0, 19)} UTC · ${run.host} · Linux ${run.kernel} ${run.arch} · kvis ${run.version}`);
}

/* Sets the controls from the state. */
function controls() {
  for (const id of ["q", "path", "type", "proc", "find"]) $(id).value = state[id];
  $("paint").value = paintBy();
  for (const id of ["re", "failed", "noise", "hot", "within", "idle"]) $(id).checked = !!+state[id];
  const on = new Set(state.cats.split("."));
  for (const b of $("cats").children) b.setAttribute("aria-pressed", on.has(b.dataset.cat));
}

/* Copies the selected row: through the clipboard API, or as a selection if that is not allowed. */
let copied = 0;
async function copy() {
  const text = JSON.stringify(told ? procAsJson(told) : asJson(state.sel));
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  $("copy").textContent = "copied";
  clearTimeout(copied);
  copied = setTimeout(() => $("copy").textContent = "copy as JSON", 1200);
}

function bindControls() {
  const option = (value, text) => el("option", { value, textContent: text });
  const present = new Set();
  for (let i = 0; i < n; i++) present.add(kind[i]);
  $("type").append(option("", "all types"));
  for (const k of [...present].sort((a, b) => a - b)) if (k !== K.syscall) $("type").append(option(kinds[k].name, kinds[k].name));
  for (const name of callNames.map(id => strs[id]).sort()) $("type").append(option("call:" + name, esc(name) + "()"));
  $("proc").append(option("", "all processes"));
  for (const p of tree().slice(0, 5000)) $("proc").append(option(p.idx, "\u00a0".repeat(2 * Math.min(p.depth, 9)) + procName(p)));
  const cats = new Set([...present].map(k => kinds[k].cat));
  CATS.forEach((c, k) => {
    if (!cats.has(k)) return;
    const i = el("i"), b = el("button", { className: "chip" }, i, c);
    i.style.background = shade(c);
    b.dataset.cat = c;
    b.onclick = () => {
      const on = new Set(state.cats.split("."));
      on.has(c) ? on.delete(c) : on.add(c);
      state.cats = CATS.filter(x => on.has(x)).join(".");
      controls(), filter();
    };
    $("cats").append(b);
  });
  let wait = 0;
  for (const id of ["q", "path", "type", "proc"]) $(id).oninput = () => {
    state[id] = $(id).value;
    clearTimeout(wait);
    wait = setTimeout(filter, 120);
  };
  for (const id of ["re", "failed", "noise", "within"]) $(id).onchange = () => { state[id] = +$(id).checked; filter(); };
  $("paint").append(...(PROC ? [] : [option("calls", "calls")]), option("exit", "exit"), option("duration", "duration"), option("cpu", "CPU"));
  $("paint").onchange = () => { state.paint = $("paint").value === (PROC ? "exit" : "calls") ? "" : $("paint").value; legend(); paint(); made[state.tab].redraw(); save(); };
  $("find").oninput = () => { state.find = $("find").value; found(); };
  $("idle").onchange = () => { state.idle = +$("idle").checked; followView(); paint(); save(); };
  $("hot").onchange = () => { state.hot = +$("hot").checked; found(); };
  $("hot").parentNode.title = PATH;
  $("hot").parentNode.hidden = !path || path.length < 2;
  $("procs").hidden = procs.length < 2;
  $("copy").onclick = copy;
  $("into").onclick = zoomToInterval;
  $("none").onclick = () => choose(0, 0);
  $("close").onclick = () => told ? tellProc(null) : select(-1, true);
  addEventListener("keydown", e => {
    if (e.key === "Escape" && told) tellProc(null);
    else if (e.key === "Escape" && state.sel >= 0) select(-1, true), grid.draw();
    else if (e.key === "Escape" && state.b > state.a) choose(0, 0);
    if (e.ctrlKey || e.metaKey || e.altKey || /INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) return;
    if (e.key === "c" && (told || state.sel >= 0)) copy();
    if (e.key !== "/") return;
    e.preventDefault();
    if (!PROC && state.tab !== "flame") tab("events");
    (made[state.tab].look ?? $(state.tab === "events" ? "q" : "find")).focus();
  });
  addEventListener("hashchange", restore);
  addEventListener("resize", () => { paint(); made[state.tab].redraw(); });
  addEventListener("beforeprint", () => { printing = true; drawTimeline(); });
  addEventListener("afterprint", () => { printing = false; paint(); });
  paper.onchange = dark.onchange = () => { /* at once, because the page may be printed now */
    shades = new Map();
    legend(), drawMap(), drawTimeline(), made[state.tab].redraw();
    for (const c of $("cats").children) c.firstChild.style.background = shade(c.dataset.cat);
  };
}

/* Applies a change of the search for processes. */
function found() {
  listed = shownProcs();
  layLanes();
  if (made.processes) made.processes.fill(shownProcs());
  paint();
  save();
}

function legend() {
  const item = (c, name) => { const i = el("i"); i.style.background = c; return el("span", {}, i, name); };
  const hot = item(css("--hot"), "critical path");
  hot.title = PATH;
  if (paintBy() !== "calls") {
    const by = paintBy(), scale = (a, b) => [item(ramp(0), a), item(ramp(.5), ""), item(ramp(1), b)];
    const list = by === "exit" ? Object.keys(EXITS).map(k => item(EXITS[k][+dark.matches], k))
      : by === "duration" ? scale("short", span(longest)) : scale("waits", "always on a CPU");
    if (by === "exit" && procs.some(p => p.pid && (!ended(p) || p.code === ""))) list.push(item(grey(), "unknown exit"));
    return $("legend").replaceChildren(...list, ...path ? [hot] : []);
  }
  let timed = false, other = false;   /* whether there are calls with a time breakdown, and calls without one */
  for (let i = 0; i < n && !(timed && other); i++)
    if (kind[i] === K.syscall) flag[i] & TIMED ? timed = true : other ||= dur[i] >= 0;
  const list = timed ? [["cpu", "on CPU"], ["runq", "run queue"], ["disk", "disk"], ["other", "blocked"]].map(([k, t]) => item(part(k), t)) : [];
  const cats = CATS.filter((c, k) => k !== CALL || other || !timed).map(c => item(shade(c), c === "call" && timed ? "other call" : c));
  const answer = item(css("--soft"), "normal error");
  answer.title = ANSWERS;
  $("legend").replaceChildren(...list, ...cats, item(css("--bad"), "failed"), answer, ...path ? [hot] : []);
}

function bindTabs() {
  for (const name in TABS) {
    const b = el("button", { textContent: name, onclick: () => tab(name) });
    b.setAttribute("role", "tab");
    b.dataset.tab = name;
    b.onkeydown = e => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (!step) return;
      const names = Object.keys(TABS), to = names[(names.indexOf(name) + step + names.length) % names.length];
      tab(to);
      [...$("tabs").children].find(x => x.dataset.tab === to).focus();
    };
    $("tabs").append(b);
  }
}

function restore() {
  load();
  controls();
  listed = shownProcs();
  layLanes();
  state.to ? setView(state.from, state.to) : setView(begin, end);
  detail(state.sel);
  tellInterval();
  if (made.processes) made.processes.fill(shownProcs());
  legend();
  tab(state.tab);
  return filter();
}

async function main() {
  const t0 = performance.now();
  head();
  cards();
  notes();
  if (document.readyState === "loading") await new Promise(go => addEventListener("DOMContentLoaded", go));
  await pause();
  try {
    await read(f => { $("progress").firstElementChild.style.width = 100 * f + "%"; });
  } catch (e) {
    $("note").hidden = false;
    $("note").textContent += " The events cannot be read completely: " + e.message;
  }
  for (const t of tracks) {
    const own = [];
    for (const i of t.points)
      if (kinds[kind[i]].cat !== KERNEL) own.push(i);
      else if (kernelEvents.has(kind[i])) kernelEvents.get(kind[i]).push(i);
      else kernelEvents.set(kind[i], [i]);
    t.calls = byTime(t.calls);
    t.points = byTime(own);
  }
  for (const [k, list] of kernelEvents) {
    const a = byTime(list), to = new Float64Array(a.length);
    for (let j = 0, t = 0; j < a.length; j++) to[j] = t = Math.max(t, ts[a[j]] + Math.max(dur[a[j]], 0));
    kernelEvents.set(k, a), reach.set(k, to);
  }
  all = byTime(new Uint32Array(n).map((_, i) => i));
  begin = n ? Math.max(0, ts[all[0]] - (end - ts[all[0]]) / 100) : 0;
  if (PROC && !run.command) for (const p of procs) if (p.pid && !p.parent) p.start = 0, p.early = true;
  findAnswers();
  findPath();
  once = atOnce();
  longest = procs.reduce((a, p) => Math.max(a, stop(p) - p.start), 1);
  cards();                            /* for the second time, because some cards need the events */
  $("progress").className = "done";
  standOut();
  bindTabs();
  bindControls();
  bindTimeline();
  await restore();
  if (state.sel >= 0) { const at = rows.indexOf(state.sel); if (at >= 0) grid.show(at); }
  document.body.dataset.ready = Math.round(performance.now() - t0);
}

main();
})();
