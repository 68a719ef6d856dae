#!/bin/sh
# The Gantt of kvis proc is drawn by mermaid itself, with one task per command and names unharmed.
# tier: browser
# timeout: 120
# needs: root chromium npm python3
. "$TESTS/lib/proc.sh"
export HOME="$PWD"
# downloaded once; it needs no installation
if ! [ -s "$OUT/npm/mermaid.min.js" ]; then
    mkdir -p "$OUT/npm"
    npm pack --silent mermaid@11 >/dev/null 2>npm.log && tar xzf mermaid-*.tgz package/dist/mermaid.min.js ||
        skip "no mermaid from npm: $(tail -n 1 npm.log)"
    mv package/dist/mermaid.min.js "$OUT/npm/mermaid.min.js"
fi
run proc --gantt=chart.mmd --json=json -o /dev/null -- sh -c '
    /bin/sleep 0.05; /bin/true "title: x"; /bin/true "a;b#c%%d"; sh -c "exit 3"; /bin/true "<img src=x onerror=owned=1>"
    /bin/true "click me call owned()"; /bin/true "section s"; /bin/true "}{ &amp; \"q\" \\"'
status 0
python3 - "$OUT/npm/mermaid.min.js" <<'END' >&9 || fail "mermaid"
import html, json, os, sys
sys.path.insert(0, os.environ["TESTS"] + "/lib")
from browser import Browser
text = open("chart.mmd").read()
rows = [json.loads(line) for line in open("json")]
open("page.html", "w").write(f"""<!doctype html><meta charset=utf-8><body><pre id=t>{html.escape(text)}</pre>
<script src="{sys.argv[1]}"></script><script>document.body.dataset.ready = 1</script>""")
b = Browser()
b.open("page.html")
b.js("mermaid.initialize({ startOnLoad: false })")
b.js("mermaid.parse(t.textContent)")
tasks = b.js("mermaid.mermaidAPI.getDiagramFromText(t.textContent).then(d => d.db.getTasks().map(x =>"
             " [x.startTime.getTime(), x.endTime.getTime(), !!x.crit]))")
want = [[e["start_realtime_ns"] // 10**6, (e["start_realtime_ns"] + e["duration_ns"]) // 10**6,
         (e["exit_code"] or 0) > 0] for e in rows if e["type"] == "command"]
assert sorted(tasks) == sorted(want), (tasks, want)
drawn = b.js("mermaid.render('g', t.textContent).then(r => {"
             " const d = document.createElement('div'); d.innerHTML = r.svg;"
             " return [...d.querySelectorAll('text[class*=taskText]')].map(x => x.textContent) })")
for name in ("/bin/true 'title: x'", "/bin/true 'a;b#c%%d'", "sh -c 'exit 3'", "'<img src=x onerror=owned=1>'",
             "'click me call owned()'", "'section s'", "}{ &amp; \"q\" \\"):
    assert sum(name in d for d in drawn) >= 1, (name, drawn)
assert b.js("typeof owned") == "undefined" and not b.bad, b.bad
ticks = b.js("mermaid.render('t', t.textContent).then(r => {"
             " const d = document.createElement('div'); d.innerHTML = r.svg; return [...d.querySelectorAll('.tick text')].map(x => x.textContent) })")
assert len(ticks) > 1 and len(set(ticks)) == len(ticks), ticks  # of a run that takes less than a second
print(len(tasks), "tasks")
b.close()
END
