#!/usr/bin/env python3
# kvis monitor --listen answers what HTTP/1.1 lets a client send: absolute-form targets, an empty line before the
# request, pipelined requests, each answered in order; what is no request gets one answer, which is the last.
# timeout: 60
# tier: gate
import os, re, socket, subprocess, sys, time

kvis = subprocess.Popen([os.environ["KVIS"], *"monitor -c load -i 0.5 --listen=0".split()], stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
port = int(re.search(r"port (\d+)", kvis.stderr.readline())[1])
failed = 0

def ask(*parts, wait=30):
    """What comes back for these bytes, sent one part after the other, until the connection ends."""
    s = socket.create_connection(("127.0.0.1", port))
    s.settimeout(wait)
    got = b""
    try:
        for part in parts:
            s.sendall(part)
            time.sleep(0.005 * (len(parts) > 1))
        while part := s.recv(65536):
            got += part
    except (ConnectionResetError, BrokenPipeError, TimeoutError):
        got += b"(reset or silence)"
    return got

end = time.monotonic() + 60
while b"kvis_load1" not in ask(b"GET /metrics HTTP/1.0\r\n\r\n") and time.monotonic() < end:
    time.sleep(0.1)  # an interval: there are metrics

def answers(got):
    """(status, which page, whether it says that it is the last) of each answer."""
    found = []
    while b"\r\n\r\n" in got:
        head, got = got.split(b"\r\n\r\n", 1)
        length = int(re.search(rb"Content-Length: (\d+)", head)[1])
        body, got = got[:length], got[length:]
        what = "metrics" if b"kvis_load1" in body else "root" if b"href=/metrics" in body else ""
        found.append((int(head.split()[1]), what, b"Connection: close" in head))
    return found + [got] * (got != b"")

def want(what, got, *expected):
    global failed
    found = answers(got)
    if found != list(expected):
        failed += 1
        print(f"FAIL {what}: {found[:5]} ... {found[-1:]}, not {expected[:5]} ... {expected[-1:]}")

METRICS, ROOT, BAD = (200, "metrics", True), (200, "root", True), (400, "", True)
more = lambda answer: answer[:2] + (False,)
for data, answer in ((b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", METRICS), (b"GET /metrics?a=b HTTP/1.0\n\n", METRICS),
                     (b"GET http://127.0.0.1:1/metrics HTTP/1.1\r\nHost: a\r\n\r\n", METRICS),
                     (b"GET HTTP://a/metrics?x HTTP/1.1\r\n\r\n", METRICS), (b"GET http://a HTTP/1.1\r\n\r\n", ROOT),
                     (b"GET http://a?/metrics HTTP/1.1\r\n\r\n", ROOT), (b"\r\nGET /metrics HTTP/1.1\r\n\r\n", METRICS),
                     (b"\nGET / HTTP/1.1\n\n", ROOT), (b"GET ftp://a/metrics HTTP/1.1\r\n\r\n", BAD), (b"nonsense\r\n\r\n", BAD),
                     (b"GET nowhere HTTP/1.1\r\n\r\n", BAD), (b"GET\r\na: /metrics HTTP/1.1\r\n\r\n", BAD),
                     (b"\r\n\r\n", BAD), (b"\r\n\r\nGET / HTTP/1.1\r\n\r\n", BAD), (b"\0\xff\r\n\r\n", BAD),
                     (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 1000, (431, "", True)), (b"GET /x HTTP/1.1\r\n\r\n", (404, "", True))):
    want(data[:60], ask(data), answer)
    if len(data) < 100 and answer[0] == 200:
        want(b"byte by byte: " + data, ask(*(bytes([b]) for b in data)), answer)
metrics, root = b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"
want("three", ask(metrics + root + metrics), more(METRICS), more(ROOT), METRICS)
want("three with empty lines", ask(b"\r\n" + metrics + b"\r\n" + root + b"\r\n" + root), more(METRICS), more(ROOT), ROOT)
want("a part, then the rest", ask(root + root[:7], root[7:]), more(ROOT), ROOT)
want("many, and an end", ask(root * 500 + b"GET /x HTTP/1.1\r\n\r\n" + root), *[more(ROOT)] * 500, (404, "", True))
want("one with a body", ask(root + b"POST / HTTP/1.1\r\nContent-Length: 22\r\n\r\n" + root), more(ROOT), (405, "", True))
want("a GET with a body", ask(b"GET / HTTP/1.1\r\ncontent-length: 18\r\n\r\n" + root), ROOT)
want("no more, please", ask(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n" + root), ROOT)
want("HTTP/1.0", ask(b"GET / HTTP/1.0\r\n\r\n" + root), ROOT)
for accept, want_openmetrics in (("application/openmetrics-text;version=1.0.0,text/plain;q=0.5", True),
                                 ("text/plain;q=0.6,application/openmetrics-text;q=0.5", False),
                                 ("application/openmetrics-text;q=0", False), ("*/*", False)):
    got = ask(b"GET /metrics HTTP/1.1\r\nAccept: " + accept.encode() + b"\r\n\r\n")
    if (b"application/openmetrics-text" in got) != want_openmetrics:
        failed += 1
        print("FAIL Accept:", accept)
head = ask(b"HEAD /metrics HTTP/1.1\r\n\r\n")
if not head.startswith(b"HTTP/1.1 200 ") or not head.endswith(b"\r\n\r\n") or b"Content-Length: 0" in head:
    failed += 1
    print("FAIL HEAD:", head)
kvis.send_signal(2)
failed += kvis.wait(60) != 0
sys.exit(failed > 0)
