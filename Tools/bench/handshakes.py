#!/usr/bin/env python3
"""Processor time of one new TLS 1.3 handshake: huddled beside `openssl s_server`, by turns, on one core.

usage: Tools/bench/handshakes.py [HUDDLED] [ROUNDS] [SECONDS]        (.build/release/huddled, 5, 2)

One `openssl s_time -new` on the other core makes connections without resumption, with a certificate on P-256. The figure is the server's user
and system time divided by the connections. Prints each round and the median of the ratios. Ends what it started, and nothing else.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

PORTS = {"openssl": 21191, "huddled": 21192}


def processor(pid):
    """Seconds of processor time that a process has taken."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def handshakes(port, seconds):
    """Connects again and again for some seconds, and returns how many connections were made."""
    made = subprocess.run(
        ["taskset", "-c", "1", "openssl", "s_time", "-connect", f"127.0.0.1:{port}", "-new", "-time", str(seconds), "-tls1_3"],
        capture_output=True, text=True, timeout=seconds + 30)
    found = re.search(r"^(\d+) connections in \d+ real seconds", made.stdout, re.M)
    if not found or int(found[1]) == 0:
        sys.exit(f"handshakes: s_time made no connection to port {port}:\n{made.stdout}{made.stderr}")
    return int(found[1])


def wait_for(port):
    """Waits until something listens on a port, 10 s at most."""
    for _ in range(200):
        if subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{port}"], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0:
            return
        time.sleep(0.05)
    sys.exit(f"handshakes: nothing listens on port {port}")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    huddled = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../../.build/release/huddled")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    with tempfile.TemporaryDirectory(prefix="huddle-handshakes.") as work:
        key, cert = f"{work}/key.pem", f"{work}/cert.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", cert,
             "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        subprocess.run([huddled, "init", "--data", f"{work}/data", "--family", "Bench", "--zone", "Europe/London", "--parent", "Bench"], check=True, capture_output=True)
        started = {}
        try:
            log = open(f"{work}/log", "w")
            started["openssl"] = subprocess.Popen(
                ["taskset", "-c", "0", "openssl", "s_server", "-accept", str(PORTS["openssl"]), "-key", key, "-cert", cert, "-quiet", "-tls1_3"],
                stdin=subprocess.PIPE, stdout=log, stderr=log)
            started["huddled"] = subprocess.Popen(
                ["taskset", "-c", "0", huddled, "serve", "--data", f"{work}/data", "--listen", "127.0.0.1:21193",
                 "--listen-tls", f"127.0.0.1:{PORTS['huddled']}", "--tls-cert", cert, "--tls-key", key], stdout=log, stderr=log)
            for name in started:
                wait_for(PORTS[name])
            ratios = []
            for number in range(rounds):
                cost = {}
                for name, process in started.items():
                    before = processor(process.pid)
                    made = handshakes(PORTS[name], seconds)
                    cost[name] = (processor(process.pid) - before) / made * 1e6
                ratios.append(cost["huddled"] / cost["openssl"])
                print(f"round {number + 1}: openssl {cost['openssl']:.0f} us, huddled {cost['huddled']:.0f} us, ratio {ratios[-1]:.2f}", flush=True)
            print(f"median ratio {statistics.median(ratios):.2f}")
        finally:
            for process in started.values():
                process.terminate()
                process.wait()


main()
