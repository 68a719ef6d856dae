"""Used by runner.py and lib.sh: answers the calls of j.py and want.py of one case.

A request in DIRECTORY/ask is: working directory, $PARTIAL, module, its arguments, each ended by a NUL. The reply in
DIRECTORY/answer is the exit status, and the lines of the output (1LINE) and of the errors (2LINE)."""
import contextlib
import io
import os
import sys
import traceback

import j
import want

MODULES = {"j": j, "want": want}


def run(module, arguments):
    """Returns the exit status, the output and the errors of a module's main()."""
    sys.argv = [f"{module}.py", *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            MODULES[module].main()
            status = 0
        except SystemExit as e:
            status = e.code or 0
            if not isinstance(status, int):
                print(status, file=err)
            status = int(status) if isinstance(status, int) else 1
        except Exception:
            traceback.print_exc(file=err)
            status = 1
    return status, out.getvalue(), err.getvalue()


def answer_requests(where):
    ask, answer = (os.path.join(where, name) for name in ("ask", "answer"))
    while True:
        with open(ask, encoding="utf-8", errors="surrogateescape") as f:
            directory, partial, module, *arguments = f.read().split("\0")[:-1]
        os.chdir(directory)
        os.environ["PARTIAL"] = partial
        status, out, err = run(module, arguments)
        with open(answer, "w", encoding="utf-8", errors="surrogateescape") as f:
            f.write(f"{status}\n" + "".join(f"{n}{line}\n" for n, text in ((1, out), (2, err)) for line in text.splitlines()))
