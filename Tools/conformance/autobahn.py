#!/usr/bin/env python3
"""Autobahn's test suite against the WebSocket code, both ways round.

    autobahn.py server [CASE...]   the fuzzing client against wsecho
    autobahn.py secure [CASE...]   the same through TLS
    autobahn.py client [CASE...]   wsclient against the fuzzing server
    autobahn.py setup              only installs the suite
    autobahn.py check              only reports whether it is installed

A CASE is a number or a pattern as the suite takes it ("6.4.*"), "all", the default, or "fast", what takes seconds.

    --programs FOLDER   where wsecho and wsclient are; default: .build/release, else .build/debug
    --report FOLDER     keeps the suite's own report (HTML and JSON) there

Prints how many cases of each chapter behaved how, and each case that was not OK. INFORMATIONAL counts as well only where the
suite itself gives nothing better; NON-STRICT and UNIMPLEMENTED never do.

Exit status: 0 all well, 1 a case was not, 2 wrong use, 3 there is no Python 2.7 to run the suite with, or it cannot be installed.

The suite is a program for Python 2.7, looked for as $HUDDLE_PYTHON2, python2.7 in PATH, and among pyenv's versions. It is installed
from PyPI, once, into $HUDDLE_AUTOBAHN_HOME or a folder in the user's cache; nothing outside of that is touched.
"""
import argparse
import collections
import contextlib
import fcntl
import glob
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = "25.10.1"
AGENT = "huddle"
# 8 and 11 have no cases; 12 and 13 are permessage-deflate and take most of the time.
CHAPTERS = ["1", "2", "3", "4", "5", "6", "7", "9", "10", "12", "13"]
# All of RFC 6455 but the chapter that only measures, and of that and of compression a case of each kind: some ten seconds.
FAST = ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "9.1.1", "9.2.1", "9.3.1", "9.5.1", "9.7.1", "10.*", "12.1.1", "13.1.1", "13.2.1",
        "13.3.1", "13.5.1", "13.7.11"]
# The cases that the suite never reports as OK: how an endpoint ends a connection after invalid frames, and codes that the RFC leaves open.
INFORMATIONAL = {"7.1.6", "7.13.1", "7.13.2"}
# One chapter may take: 12 is some gigabytes through zlib in Python.
CHAPTER_SECONDS = 4 * 3600


class Unavailable(Exception):
    pass


def python2():
    """The path of a Python 2.7 that has pip."""
    candidates = [os.environ.get("HUDDLE_PYTHON2"), shutil.which("python2.7"), shutil.which("python2")]
    candidates += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/2.7*/bin/python2.7")), reverse=True)
    for candidate in filter(None, candidates):
        asked = subprocess.run([candidate, "-c", "import sys, pip; sys.exit(sys.version_info[:2] != (2, 7))"], capture_output=True)
        if asked.returncode == 0:
            return candidate
    raise Unavailable("There is no Python 2.7 with pip here, and Autobahn's suite runs with no other: install one (pyenv install 2.7.18) "
                      "or name it in HUDDLE_PYTHON2.")


def home():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("HUDDLE_AUTOBAHN_HOME") or os.path.join(cache, "huddle", f"autobahn-{RELEASE}"))


def is_installed():
    return (home() / "bin" / "wstest").exists()


def install():
    """Installs the suite unless it is there; a half-made one is never seen."""
    python = python2()
    if is_installed():
        return python
    target = home()
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{target}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_installed():
            return python
        print(f"Installing autobahntestsuite {RELEASE} into {target} …", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            new = pathlib.Path(folder) / "new"
            made = subprocess.run([python, "-m", "pip", "install", "--disable-pip-version-check", "--target", new,
                                   f"autobahntestsuite=={RELEASE}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if made.returncode != 0:
                raise Unavailable("Autobahn's suite could not be installed from PyPI:\n" + "\n".join(made.stdout.splitlines()[-5:]))
            # A namespace package, which --target leaves without its mark.
            (new / "zope" / "__init__.py").touch()
            shutil.rmtree(target, ignore_errors=True)
            new.rename(target)
    return python


def program(folder, name):
    for each in [folder] if folder else [ROOT / ".build" / "release", ROOT / ".build" / "debug"]:
        path = pathlib.Path(each) / name
        if path.exists():
            return path.resolve()
    sys.exit(f"{name} is not built: swift build -c release --product {name}")


@contextlib.contextmanager
def running(arguments, **options):
    process = subprocess.Popen(arguments, **options)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wstest(python, mode, specification, folder):
    path = folder / "spec.json"
    path.write_text(json.dumps(specification))
    environment = dict(os.environ, PYTHONPATH=str(home()), PYTHONDONTWRITEBYTECODE="1")
    return [python, str(home() / "bin" / "wstest"), "-m", mode, "-s", str(path), "-u", "0"], environment


def tell(log):
    print("\n".join(log.read_text(errors="replace").splitlines()[-20:]), file=sys.stderr)


def certificate(folder):
    """A certificate and its key, that nobody vouches for: the fuzzing client does not ask."""
    files = [str(folder / name) for name in ("cert.pem", "key.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-out", files[0],
                    "-keyout", files[1], "-days", "2", "-subj", "/CN=localhost"], check=True, stderr=subprocess.DEVNULL)
    return ["--tls-cert", files[0], "--tls-key", files[1]]


def fuzz_server(python, programs, cases, folder, is_secure):
    """The fuzzing client against wsecho; the suite's index."""
    options = certificate(folder) if is_secure else []
    with running([program(programs, "wsecho"), "--listen", "127.0.0.1:0"] + options, stdout=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().rsplit(" ", 1)[1].strip()
        url = f"{'wss' if is_secure else 'ws'}://{address}"
        specification = {"outdir": str(folder / "report"), "servers": [{"agent": AGENT, "url": url}], "cases": cases,
                         "exclude-cases": [], "exclude-agent-cases": {}}
        command, environment = wstest(python, "fuzzingclient", specification, folder)
        log = folder / "wstest.log"
        with open(log, "w") as output:
            ended = subprocess.run(command, env=environment, stdout=output, stderr=output, timeout=CHAPTER_SECONDS, cwd=folder)
        if ended.returncode != 0 or server.poll() is not None:
            tell(log)
            sys.exit(f"wstest ended with {ended.returncode}, wsecho with {server.poll()}")


def fuzz_client(python, programs, cases, folder):
    """wsclient against the fuzzing server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    specification = {"outdir": str(folder / "report"), "url": f"ws://127.0.0.1:{port}", "cases": cases, "exclude-cases": [],
                     "exclude-agent-cases": {}}
    command, environment = wstest(python, "fuzzingserver", specification, folder)
    log = folder / "wstest.log"
    with open(log, "w") as output, running(command, env=environment, stdout=output, stderr=output, cwd=folder) as server:
        for _ in range(600):
            if server.poll() is not None:
                tell(log)
                sys.exit(f"wstest ended with {server.returncode}")
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        client = subprocess.run([program(programs, "wsclient"), "--server", f"127.0.0.1:{port}", "--agent", AGENT],
                                stdout=subprocess.PIPE, text=True, timeout=CHAPTER_SECONDS)
        if client.returncode != 0:
            sys.exit(f"wsclient ended with {client.returncode}")
    return int(client.stdout.split()[0])


def judge(found, told):
    """Prints the counts; true when every case is well."""
    well = bool(found)
    chapters = collections.defaultdict(collections.Counter)
    faults = []
    for number, case in found.items():
        chapter = number.split(".")[0]
        outcomes = {case["behavior"], case["behaviorClose"]}
        allowed = {"OK", "INFORMATIONAL"} if number in INFORMATIONAL else {"OK"}
        chapters[chapter][case["behavior"]] += 1
        if not outcomes <= allowed:
            faults.append(f"{number}: {case['behavior']}, closing {case['behaviorClose']}")
    kinds = ["OK", "INFORMATIONAL"] + sorted({kind for counts in chapters.values() for kind in counts} - {"OK", "INFORMATIONAL"})
    rows = [["chapter", "cases"] + kinds]
    for chapter in sorted(chapters, key=int) + ["all"]:
        counts = chapters[chapter] if chapter != "all" else sum(chapters.values(), collections.Counter())
        rows.append([chapter, sum(counts.values())] + [counts[kind] for kind in kinds])
    for index, row in enumerate(rows):
        print("| " + " | ".join(map(str, row)) + " |")
        if index == 0:
            print("| " + " | ".join("---" for _ in row) + " |")
    for fault in faults:
        print(fault)
    if told is not None and told != len(found):
        faults.append("")
        print(f"{told} cases were asked for, and {len(found)} reported.")
    return well and not faults


def main():
    parser = argparse.ArgumentParser(usage="autobahn.py server|secure|client|setup|check [CASE...] [--programs FOLDER] [--report FOLDER]")
    parser.add_argument("side", choices=["server", "secure", "client", "setup", "check"])
    parser.add_argument("cases", nargs="*", default=["all"])
    parser.add_argument("--programs")
    parser.add_argument("--report")
    arguments = parser.parse_args()
    try:
        if arguments.side == "check":
            python2()
            if not is_installed():
                raise Unavailable("Autobahn's suite is not installed: Tools/conformance/autobahn.py setup does it.")
            return 0
        python = install()
    except Unavailable as reason:
        print(reason, file=sys.stderr)
        return 3
    if arguments.side == "setup":
        return 0
    # Whole, a chapter at a time: the suite keeps what it has seen in memory until it has written its report.
    if arguments.cases == ["all"]:
        runs = [[f"{chapter}.*"] for chapter in CHAPTERS]
    else:
        runs = [[case for word in arguments.cases for case in (FAST if word == "fast" else [word])]]
    found, told = {}, 0
    for cases in runs:
        with tempfile.TemporaryDirectory(prefix="autobahn-") as name:
            folder = pathlib.Path(name)
            if arguments.side != "client":
                fuzz_server(python, arguments.programs, cases, folder, arguments.side == "secure")
            else:
                told += fuzz_client(python, arguments.programs, cases, folder)
            index = folder / "report" / "index.json"
            if index.exists():
                found.update(json.loads(index.read_text())[AGENT])
            if arguments.report:
                shutil.copytree(folder / "report", arguments.report, dirs_exist_ok=True)
            if len(runs) > 1:
                print(f"{' '.join(cases)}: {len(found)} cases so far", file=sys.stderr, flush=True)
    return 0 if judge(found, told if arguments.side == "client" else None) else 1


if __name__ == "__main__":
    sys.exit(main())
