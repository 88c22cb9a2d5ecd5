#!/usr/bin/env python3
"""How long each step of an upgrade takes with 1,000,000 records of the first release.

  Tools/bench/migration.py .build/release/huddled [--records 1000000]

Copies the families of Tests/StoreTests/Fixtures/0.1.0.sql, each copy with ids of its own in rows and frames, until there are that many records, and starts
the server on them, which takes every step from version 1 to its own. Prints the time of each step in the server's log, and of `huddled check --deep` after
it. Needs 8 GB of room and deletes it. Exits with 1 if a step takes more than 60 s, or if the check finds anything.
"""
import argparse
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BOUND = 60
# The tables of a family. People, sessions and invites are those of the fixture; copied members have no person.
TABLES = ["records", "log", "history", "clients", "receipts", "memberships"]


def renamed(value, number):
    """A value of a copy: ids differ from the fixture's in their first four octets, which are two different groups there."""
    if not isinstance(value, bytes):
        return value
    if len(value) == 16 and value[:4] in (b"\x01\xa2\x06\xd4", b"\x01\x92\x00\x00"):
        return number.to_bytes(4, "big") + value[4:]
    text = b"%08x-" % number
    return value.replace(b"01a206d4-", text).replace(b"01920000-", text)


def fill(path, records):
    database = sqlite3.connect(path)
    database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + (ROOT / "Tests/StoreTests/Fixtures/0.1.0.sql").read_text())
    columns, rows = {}, {}
    for table in TABLES:
        columns[table] = [name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")]
        rows[table] = [dict(zip(columns[table], row)) for row in database.execute(f"SELECT * FROM {table} WHERE family = 1")]
    family = dict(zip(["key", "uuid", "floor", "created_at"], database.execute("SELECT * FROM families WHERE key = 1").fetchone()))
    keys = {table: database.execute(f"SELECT max({columns[table][0]}) FROM {table}").fetchone()[0] for table in TABLES}
    copies = (records - database.execute("SELECT count(*) FROM records").fetchone()[0]) // len(rows["records"]) + 1
    for number in range(1, copies + 1):
        key = 1_000 + number
        database.execute("INSERT INTO families VALUES (?, ?, ?, ?)", (key, renamed(family["uuid"], number), family["floor"], family["created_at"]))
        clients = {}
        for table in TABLES:
            first, copied = columns[table][0], []
            for row in rows[table]:
                keys[table] += 1
                copy = {name: renamed(value, number) for name, value in row.items()} | {first: keys[table], "family": key}
                if table == "clients":
                    clients[row["key"]] = keys[table]
                elif table == "receipts":
                    copy["client"] = clients[row["client"]]
                elif table == "memberships":
                    copy["person"] = None
                copied.append(tuple(copy.values()))
            database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns[table]))})", copied)
    count = database.execute("SELECT count(*) FROM records").fetchone()[0]
    database.commit()
    database.close()
    return copies + 3, count


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("huddled")
    parser.add_argument("--records", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "huddle.db")
        families, count = fill(path, options.records)
        print(f"{count:,} records in {families:,} families, {os.path.getsize(path) / 1e6:,.0f} MB", flush=True)
        start = time.perf_counter()
        server = subprocess.Popen([options.huddled, "serve", "--data", folder, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        begun, lines = [], []
        try:
            while "ws://" not in (line := server.stdout.readline()):
                if not line:
                    sys.exit("The server ended:\n" + "".join(lines))
                lines.append(line)
                if found := re.search(r"\bupgrade step=(\d+)", line):
                    begun.append((int(found[1]), time.perf_counter()))
            end = time.perf_counter()
        finally:
            server.terminate()
            server.communicate()
        if not begun:
            sys.exit("No step was taken:\n" + "".join(lines))
        times = [(step, (begun[place + 1][1] if place + 1 < len(begun) else end) - at) for place, (step, at) in enumerate(begun)]
        print(f"copy before the upgrade: {begun[0][1] - start:.1f} s")
        for step, seconds in times:
            print(f"step {step}: {seconds:.2f} s")
        print(f"all: {end - start:.1f} s, {os.path.getsize(path) / 1e6:,.0f} MB after it", flush=True)
        start = time.perf_counter()
        check = subprocess.run([options.huddled, "check", "--deep", "--data", folder], capture_output=True, text=True)
        print(f"check --deep: exit {check.returncode} after {time.perf_counter() - start:.1f} s: {(check.stdout + check.stderr).strip().splitlines()[-1]}")
        slow = [step for step, seconds in times if seconds > BOUND]
        print(f"NOT held: steps {slow} took longer than {BOUND} s" if slow else f"held: no step took longer than {BOUND} s")
        return 1 if slow or check.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
