/* Code of all pages: elements and text. */
"use strict";
const $ = id => document.getElementById(id);
const el = (tag, props, ...kids) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...kids);
  return e;
};
const json = id => JSON.parse($(id).textContent);

/* Control characters, which kvis also escapes on a terminal. */
const ACTS = /[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const esc = s => s.replace(ACTS, c => c === "\n" ? "\\n" : c === "\t" ? "\\t"
  : "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0"));

function size(v) {
  if (v < 0) return "-" + size(-v);
  if (v < 1024) return v + " B";
  const u = ["KB", "MB", "GB", "TB", "PB", "EB"];
  let i = 0;
  for (v /= 1024; v >= 1023.95 && i < 5; i++) v /= 1024;
  return v.toFixed(1) + " " + u[i];
}

function span(ns) {
  if (ns < 0) return "";
  return ns < 1e3 ? ns + " ns" : ns < 1e6 ? (ns / 1e3).toFixed(1) + " µs" : ns < 1e9 ? (ns / 1e6).toFixed(2) + " ms"
    : (ns / 1e9).toFixed(3) + " s";
}

const count = v => v.toLocaleString("en-US").replaceAll(",", "\u202f");
