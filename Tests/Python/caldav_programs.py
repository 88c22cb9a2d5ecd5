#!/usr/bin/env python3
"""Lets two calendar programs of others read and change the calendars of a Huddle server.

caldav_programs.py ADDRESS FOLDER ATHLETE < SESSION

ADDRESS is http://HOST:PORT, FOLDER an empty one for the files of vdirsyncer, ATHLETE the id of an athlete, and SESSION the token of a session of a
parent, with which the token of the scope calendar is made. python-caldav finds the calendars, makes an entry, finds it by its time and by its UID, changes it, is refused with an old version, follows it by sync tokens and deletes it.
vdirsyncer discovers the calendars, syncs them to files, takes an edit of a file to the server and an entry of the server to a file, and then has
nothing to do twice. Prints one line of JSON, and ends with 1 and a sentence if something is wrong.
"""
import datetime
import json
import pathlib
import subprocess
import sys
import urllib.request
import uuid

import caldav
import icalendar

UTC = datetime.timezone.utc


def hold(condition, sentence):
    if not condition:
        print(sentence, file=sys.stderr)
        sys.exit(1)


def entry(uid, title, hour=13):
    """The octets of an entry of an hour on 20 June 2099."""
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//Huddle//Tests//EN")
    calendar.add("version", "2.0")
    event = icalendar.Event()
    event.add("uid", uid)
    event.add("dtstamp", datetime.datetime(2026, 1, 1, tzinfo=UTC))
    event.add("summary", title)
    event.add("dtstart", datetime.datetime(2099, 6, 20, hour, tzinfo=UTC))
    event.add("dtend", datetime.datetime(2099, 6, 20, hour + 1, tzinfo=UTC))
    calendar.add_component(event)
    return calendar.to_ical().decode()


def by_caldav(address, token):
    """python-caldav 3: the principal, the home, and one entry from its creation to its deletion."""
    with caldav.DAVClient(url=address + "/dav/", username="huddle", password=token) as client:
        calendars = client.principal().calendars()
        seasons = [calendar for calendar in calendars if "/season-" in str(calendar.url)]
        hold(seasons, f"caldav: no season among {[str(calendar.url) for calendar in calendars]}")
        season = seasons[0]
        before = season.objects_by_sync_token()
        uid = str(uuid.uuid4())
        season.save_event(entry(uid, "By caldav"))
        day = datetime.datetime(2099, 6, 20, tzinfo=UTC)
        found = season.search(start=day, end=day + datetime.timedelta(days=1), event=True)
        hold([str(event.icalendar_component["uid"]) for event in found] == [uid], f"caldav: found {found} by time")
        event = season.event_by_uid(uid)
        hold(str(event.icalendar_component["summary"]) == "By caldav", "caldav: another title")
        event.icalendar_component["summary"] = icalendar.vText("Changed by caldav")
        event.save()
        again = season.event_by_uid(uid)
        hold(str(again.icalendar_component["summary"]) == "Changed by caldav", "caldav: the change did not arrive")
        refused = client.put(str(again.url), entry(uid, "Old"), {"Content-Type": "text/calendar", "If-Match": '"1-00000000"'})
        hold(refused.status == 412, f"caldav: an old version got {refused.status}")
        changed = season.objects_by_sync_token(sync_token=before.sync_token)
        hold([str(one.url) for one in changed] == [str(again.url)], f"caldav: {list(changed)} changed")
        again.delete()
        gone = season.search(start=day, end=day + datetime.timedelta(days=1), event=True)
        hold(not gone, f"caldav: {gone} is still there")
        return len(calendars)


def by_vdirsyncer(address, token, folder):
    """vdirsyncer: discover, sync both ways, and two runs with nothing to do."""
    (folder / "token").write_text(token)
    files, status = folder / "files", folder / "status"
    files.mkdir()
    (folder / "config").write_text(
        f'[general]\nstatus_path = "{status}/"\n\n'
        '[pair huddle]\na = "phone"\nb = "server"\ncollections = ["from b"]\nconflict_resolution = "b wins"\n\n'
        f'[storage phone]\ntype = "filesystem"\npath = "{files}/"\nfileext = ".ics"\n\n'
        f'[storage server]\ntype = "caldav"\nurl = "{address}/dav/"\nusername = "huddle"\npassword.fetch = ["command", "cat", "{folder}/token"]\n')

    def run(*words):
        program = pathlib.Path(sys.executable).parent / "vdirsyncer"
        ran = subprocess.run([program, "-c", folder / "config", *words], input="y\n" * 1000, capture_output=True, text=True, timeout=120)
        hold(ran.returncode == 0, f"vdirsyncer {' '.join(words)}: {ran.stdout}{ran.stderr}")
        return ran.stdout + ran.stderr

    def entries():
        return {path: path.read_text() for path in sorted(files.glob("*/*.ics"))}

    def state():
        return {path: (path.stat().st_mtime_ns, text) for path, text in ((path, path.read_text()) for path in sorted(files.glob("*/*.ics")))}

    run("discover", "huddle")
    run("sync", "huddle")
    first = entries()
    hold(first, "vdirsyncer: no entry came from the server")
    season = next(path for path in files.iterdir() if path.name.startswith("season-"))
    uid = str(uuid.uuid4())
    (season / f"{uid}.ics").write_text(entry(uid, "By vdirsyncer", hour=15))
    edited, text = next((path, text) for path, text in first.items() if path.parent == season)
    title = next(line for line in text.splitlines() if line.startswith("SUMMARY:"))
    edited.write_text(text.replace(title, "SUMMARY:Edited in a file"))
    run("sync", "huddle")
    run("sync", "huddle")
    after = entries()
    hold(any("SUMMARY:By vdirsyncer" in text for text in after.values()), "vdirsyncer: the new entry is gone")
    hold(any("SUMMARY:Edited in a file" in text for text in after.values()), "vdirsyncer: the edit is gone")
    with caldav.DAVClient(url=address + "/dav/", username="huddle", password=token) as client:
        titles = {str(event.icalendar_component["summary"]) for calendar in client.principal().calendars() for event in calendar.events()}
        hold({"By vdirsyncer", "Edited in a file"} <= titles, f"vdirsyncer: the server has {titles}")
        made = next(event for calendar in client.principal().calendars() for event in calendar.events() if str(event.icalendar_component["summary"]) == "By vdirsyncer")
        made.delete()
    run("sync", "huddle")
    hold(not any("SUMMARY:By vdirsyncer" in text for text in entries().values()), "vdirsyncer: the deletion did not arrive")
    before = state()
    for _ in range(2):
        said = run("sync", "huddle")
        hold("Copying" not in said and "Deleting" not in said, f"vdirsyncer: a run with nothing to do said {said}")
    hold(state() == before, "vdirsyncer: a run with nothing to do wrote a file")
    return len(before)


def calendar_token(address, session, athlete):
    content = {"id": str(uuid.uuid4()), "nonce": uuid.uuid4().hex, "name": "Phone", "scope": "calendar", "days": 1, "athletes": [athlete]}
    request = urllib.request.Request(
        address + "/tokens", json.dumps(content).encode(), {"Authorization": f"Bearer {session}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)["token"]


def main():
    address, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    token = calendar_token(address, sys.stdin.readline().strip(), sys.argv[3])
    calendars = by_caldav(address, token)
    entries = by_vdirsyncer(address, token, folder)
    print(json.dumps({"calendars": calendars, "entries": entries}))


if __name__ == "__main__":
    main()
