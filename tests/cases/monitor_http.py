#!/usr/bin/env python3
# kvis monitor --listen answers one request per connection, in whatever pieces it arrives; an invalid request gets an error
# response.
# timeout: 60
# tier: gate
import os, re, resource, socket, subprocess, time

from lib import end, eq, fail, start, until_true

kvis = start(*"monitor -c load -i 0.5 --listen=0".split(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
port = int(re.search(r"port (\d+)", kvis.stderr.readline())[1])

def ask(*parts, wait=30):
    """Sends the parts one after the other. Returns all bytes received until the connection ends."""
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

until_true(10, lambda: b"kvis_load1" in ask(b"GET /metrics HTTP/1.0\r\n\r\n"), "no metrics")

def answers(got):
    """(status, page, whether the connection will be closed) of each answer."""
    found = []
    while b"\r\n\r\n" in got:
        head, got = got.split(b"\r\n\r\n", 1)
        length = int(re.search(rb"Content-Length: (\d+)", head)[1])
        body, got = got[:length], got[length:]
        what = "metrics" if b"kvis_load1" in body else "root" if b"href=/metrics" in body else ""
        found.append((int(head.split()[1]), what, b"Connection: close" in head))
    return found + [got] * (got != b"")

def want(what, got, *expected):
    eq(what, list(expected), answers(got))

METRICS, ROOT, BAD = (200, "metrics", True), (200, "root", True), (400, "", True)
for data, answer in ((b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", METRICS), (b"GET /metrics?a=b HTTP/1.0\n\n", METRICS),
                     (b"GET / HTTP/1.1\n\n", ROOT), (b"GET http://a/metrics HTTP/1.1\r\n\r\n", BAD),
                     (b"nonsense\r\n\r\n", BAD), (b"GET nowhere HTTP/1.1\r\n\r\n", BAD),
                     (b"GET\r\na: /metrics HTTP/1.1\r\n\r\n", BAD), (b"\r\n\r\n", BAD), (b"\0\xff\r\n\r\n", BAD),
                     (b"GET /metrics HTTP/1.1\0\r\n\r\n", BAD),
                     (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 1000, (431, "", True)), (b"GET /x HTTP/1.1\r\n\r\n", (404, "", True))):
    want(data[:60], ask(data), answer)
    if len(data) < 100 and answer[0] == 200:
        want(b"byte by byte: " + data, ask(*(bytes([b]) for b in data)), answer)
want("three at once", ask(b"GET / HTTP/1.1\r\n\r\n" * 3), ROOT)
want("one with a body", ask(b"POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"), (405, "", True))
want("an Accept that is not met", ask(b"GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text\r\n\r\n"), METRICS)
refused = ask(b"POST / HTTP/1.1\r\n\r\n")
if b"\r\nAllow: GET, HEAD\r\n" not in refused or not refused.endswith(b"\r\n\r\n405 Method Not Allowed"):
    fail(f"POST: {refused}")
head = ask(b"HEAD /metrics HTTP/1.1\r\n\r\n")
if not head.startswith(b"HTTP/1.1 200 ") or not head.endswith(b"\r\n\r\n") or b"Content-Length: 0" in head:
    fail(f"HEAD: {head}")
# without a descriptor for a client, kvis waits instead of turning round; then the client is served
limits = resource.prlimit(kvis.pid, resource.RLIMIT_NOFILE)
resource.prlimit(kvis.pid, resource.RLIMIT_NOFILE, (3, limits[1]))
def cpu():
    return sum(map(int, open(f"/proc/{kvis.pid}/stat").read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
s = socket.create_connection(("127.0.0.1", port))
s.sendall(b"GET / HTTP/1.1\r\n\r\n")
was = cpu()
time.sleep(1)
if cpu() - was > 0.3:
    fail(f"{cpu() - was} s of CPU time in one second without descriptors")
resource.prlimit(kvis.pid, resource.RLIMIT_NOFILE, limits)
s.settimeout(30)
want("one that waited for a descriptor", b"".join(iter(lambda: s.recv(65536), b"")), ROOT)
eq("exit status", 0, end(kvis))
