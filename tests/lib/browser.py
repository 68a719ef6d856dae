"""Used by the tests of HTML pages: lib/*report.py and the cases of the tier browser.
Runs Chromium without a window, through its debugging pipe (no library, no network), and reads what all reports have."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from decimal import ROUND_HALF_UP, Decimal


def fixed(v, digits):
    """Like JavaScript's toFixed, which rounds halves up."""
    return str(Decimal(v).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def size(v):
    """A size as the pages write it."""
    if v < 1024:
        return f"{v} B"
    k = 0
    v /= 1024
    while v >= 1023.95 and k < 5:
        v, k = v / 1024, k + 1
    return f"{fixed(v, 1)} {'KMGTPE'[k]}B"


def span(ns):
    """A time as the pages write it."""
    return (f"{ns} ns" if ns < 1e3 else fixed(ns / 1e3, 1) + " µs" if ns < 1e6 else fixed(ns / 1e6, 2) + " ms" if ns < 1e9
            else fixed(ns / 1e9, 3) + " s")


def check(ok, what, *more):
    if not ok:
        sys.exit(f"{os.path.basename(sys.argv[0]).removesuffix('.py')}: {what}: {more}")


def from_npm(package, path):
    """A file of a package, which is downloaded once and needs no installation."""
    kept = os.path.join(os.environ["OUT"], "npm", os.path.basename(path))
    if not os.path.exists(kept) or not os.path.getsize(kept):
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        script = 'npm pack --silent "$1" >/dev/null && tar xzf "${1%@*}"-*.tgz "package/$2" && mv "package/$2" "$3"'
        got = subprocess.run(["sh", "-c", script, "sh", package, path, kept], capture_output=True, text=True)
        if got.returncode != 0:
            print(f"no {package} from npm:", (got.stderr.splitlines() or ["?"])[-1])
            sys.exit(77)
    return kept


class Browser:
    def __init__(self):
        self.dir = tempfile.mkdtemp(dir=".")
        to_r, self.to = os.pipe()
        self.back, back_w = os.pipe()

        def child():
            for fd, at in ((to_r, 30), (back_w, 31)):
                os.dup2(fd, at)
            os.dup2(30, 3), os.dup2(31, 4)

        self.proc = subprocess.Popen(
            [shutil.which("chromium"), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--no-first-run", "--disable-background-networking", "--hide-scrollbars", "--disable-dev-shm-usage",
             f"--user-data-dir={os.path.abspath(self.dir)}", "about:blank"],
            preexec_fn=child, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_r), os.close(back_w)
        self.buf, self.id, self.bad, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.buf:
            data = os.read(self.back, 1 << 16)
            if not data:
                raise EOFError("chromium is gone")
            self.buf += data
        one, self.buf = self.buf.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        self.id += 1
        want = self.id
        m = {"id": want, "method": method, "params": params}
        if self.session:
            m["sessionId"] = self.session
        os.write(self.to, json.dumps(m).encode() + b"\0")
        while True:
            m = self.message()
            if m.get("method") == "Runtime.exceptionThrown":
                d = m["params"]["exceptionDetails"]
                self.bad.append(d.get("exception", {}).get("description", d["text"]))
            elif m.get("method") == "Page.javascriptDialogOpening":
                self.bad.append("a dialog: " + m["params"]["message"])
                self.call("Page.handleJavaScriptDialog", accept=False)
            elif m.get("id") == want:
                if "error" in m:
                    raise RuntimeError(f"{method}: {m['error']}")
                return m["result"]

    def js(self, expr):
        """The value of an expression in the page (a promise is awaited)."""
        r = self.call("Runtime.evaluate", expression=expr, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in r:
            raise RuntimeError(expr + ": " + r["exceptionDetails"].get("exception", {}).get("description", "?"))
        return r["result"].get("value")

    def text(self, selector):
        """The text of an element; "": it is hidden."""
        return self.js(f"(e => e.hidden ? '' : e.textContent)(document.querySelector({json.dumps(selector)}))")

    def hash(self):
        """The fragment of the URL, which describes the view."""
        time.sleep(0.3)  # the page updates it with a delay
        return self.js("location.hash")

    def lanes(self):
        """Rows of the timeline, once it is drawn."""
        self.drawn()
        return int(self.js("document.body.dataset.lanes"))

    def table(self):
        """Cells of the table's rows in view, from the top."""
        return self.js("[...document.querySelectorAll('#table .grid > div:last-child > .row')].sort((a, b) => "
                       "parseFloat(a.style.top) - parseFloat(b.style.top)).map(r => [...r.children].map(c => c.textContent))")

    def columns(self):
        return self.js("[...document.querySelector('#table .grid .head').children].map(c => c.textContent.replace(/ [▾▴]/, '').trim())")

    def box(self, selector):
        """The position and size of an element: left, top, width, height."""
        return self.js(f"(r => [r.left, r.top, r.width, r.height])(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")

    def nanoseconds(self):
        """The start and the end of the time that a timeline shows."""
        return [1e9 * float(t) for t in self.text("#range").split(" s")[0].split(" – ")]

    def cards(self):
        """{title and name: value} of a report."""
        pairs = self.js("[...document.querySelectorAll('.card')].flatMap(c => [...c.querySelectorAll('dt')].map("
                        "t => [c.querySelector('h2').textContent + ' ' + t.textContent, t.nextSibling.textContent]))")
        return {k: v.replace("\u202f", "") for k, v in pairs}

    def drawn(self):
        """Waits until the page has drawn all changes."""
        self.js("new Promise(go => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(go))))")

    def until(self, expr, secs=30):
        end = time.time() + secs
        while not self.js(expr):
            if time.time() > end:
                raise TimeoutError(expr)
            time.sleep(0.02)

    def size(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, fragment=""):
        """Opens a report and waits until it is complete. Returns the seconds that took."""
        self.call("Page.navigate", url="about:blank")
        t = time.time()
        self.call("Page.navigate", url="file://" + os.path.abspath(path) + fragment)
        self.until("!!(document.body && document.body.dataset.ready)", 60)
        t = time.time() - t
        if "cannot be read" in (self.js("document.querySelector('#note')?.textContent") or ""):
            raise RuntimeError(path + ": " + self.js("document.querySelector('#note').textContent"))
        return t

    def key(self, key, selector):
        self.js(f"document.querySelector({json.dumps(selector)}).focus()")
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, text=key if len(key) == 1 and kind == "keyDown" else "")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **{"button": "left", "clickCount": 1, **more})

    def hover(self, x, y):
        """The text that the pointer shows at this place; "": none."""
        self.mouse("mouseMoved", x, y, button="none", clickCount=0)
        return self.text("#tip")

    def press(self, x, y, to=None):
        """Clicks at this place, or drags from there to another x."""
        self.mouse("mousePressed", x, y)
        if to is not None:
            self.mouse("mouseMoved", to, y, buttons=1)
        self.mouse("mouseReleased", x if to is None else to, y)

    def click(self, selector):
        self.js(f"document.querySelector({json.dumps(selector)}).click()")

    def fill(self, selector, text, event="input"):
        self.js(f"(e => {{ e.value = {json.dumps(text)}; e.dispatchEvent(new Event('{event}')); }})"
                f"(document.querySelector({json.dumps(selector)}))")

    def choose(self, selector, value):
        self.fill(selector, value, "change")

    def __enter__(self):
        return self

    def __exit__(self, error, *_):
        self.close()
        if not error:
            check(not self.bad, "errors in the page", self.bad)

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except (EOFError, OSError):
            pass
        self.proc.wait(10)
        shutil.rmtree(self.dir, ignore_errors=True)
