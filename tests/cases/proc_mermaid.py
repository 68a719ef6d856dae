#!/usr/bin/env python3
# mermaid draws the Gantt chart of kvis proc, with one task per command and unchanged names.
# tier: browser
# timeout: 120
# needs: root chromium npm python3
import html
import os

from lib import CWD, read, rows, run, say

os.environ["HOME"] = CWD
import browser

COMMANDS = r'''
    /bin/sleep 0.05; /bin/true "title: x"; /bin/true "a;b#c%%d"; sh -c "exit 3"; /bin/true "<img src=x onerror=owned=1>"
    /bin/true "click me call owned()"; /bin/true "section s"; /bin/true "}{ &amp; \"q\" \\"'''
NAMES = ("/bin/true 'title: x'", "/bin/true 'a;b#c%%d'", "sh -c 'exit 3'", "'<img src=x onerror=owned=1>'",
         "'click me call owned()'", "'section s'", '}{ &amp; "q" \\')


def drawn(b, texts):
    """What mermaid writes into its picture, by a CSS selector."""
    return b.js("mermaid.render('g', t.textContent).then(r => {"
                " const d = document.createElement('div'); d.innerHTML = r.svg;"
                f" return [...d.querySelectorAll('{texts}')].map(x => x.textContent) }})")


mermaid = browser.from_npm("mermaid@11", "dist/mermaid.min.js")
run("proc", "--gantt=chart.mmd", "--json=json", "-o", "/dev/null", "--", "sh", "-c", COMMANDS).status(0)
with open("page.html", "w") as f:
    f.write(f"""<!doctype html><meta charset=utf-8><body><pre id=t>{html.escape(read("chart.mmd"))}</pre>
<script src="{mermaid}"></script><script>document.body.dataset.ready = 1</script>""")
b = browser.Browser()
b.open("page.html")
b.js("mermaid.initialize({ startOnLoad: false })")
b.js("mermaid.parse(t.textContent)")
tasks = b.js("mermaid.mermaidAPI.getDiagramFromText(t.textContent).then(d => d.db.getTasks().map(x =>"
             " [x.startTime.getTime(), x.endTime.getTime(), !!x.crit]))")
want = [[e["start_realtime_ns"] // 10**6, (e["start_realtime_ns"] + e["duration_ns"]) // 10**6, (e["exit_code"] or 0) > 0]
        for e in rows() if e["type"] == "command"]
assert sorted(tasks) == sorted(want), (tasks, want)
texts = drawn(b, "text[class*=taskText]")
for name in NAMES:
    assert any(name in text for text in texts), (name, texts)
assert b.js("typeof owned") == "undefined" and not b.bad, b.bad
ticks = drawn(b, ".tick text")
assert len(ticks) > 1 and len(set(ticks)) == len(ticks), ticks  # of a run that takes less than a second
say(len(tasks), "tasks")
b.close()
