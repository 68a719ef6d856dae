"""Used by the cases perfetto_native, report_axe and report_view, lib/monitor_report.py, lib/proc_report.py, lib/report.py and vm/boot_page.py.
browser.py: Chromium, headless, driven through its debugging pipe (no library, no network)."""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time


def check(ok, what, *more):
    if not ok:
        sys.exit(f"{os.path.basename(sys.argv[0]).removesuffix('.py')}: {what}: {more}")


def run(scenes):
    """The scenes that the command line names, behind the directory: SCENE(browser, directory) each."""
    b = Browser()
    try:
        for what in sys.argv[2:]:
            scenes[what](b, sys.argv[1])
        check(not b.bad, "errors in the page", b.bad)
    finally:
        b.close()


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

    def click(self, selector):
        self.js(f"document.querySelector({json.dumps(selector)}).click()")

    def fill(self, selector, text):
        self.js(f"(e => {{ e.value = {json.dumps(text)}; e.dispatchEvent(new Event('input')); }})"
                f"(document.querySelector({json.dumps(selector)}))")

    def shot(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except (EOFError, OSError):
            pass
        self.proc.wait(10)
        shutil.rmtree(self.dir, ignore_errors=True)
