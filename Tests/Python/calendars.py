#!/usr/bin/env python3
"""Reads calendar feeds with three other parsers, and compares what each finds with what is expected.

calendars.py FOLDER         every NAME.ics in a folder with its NAME.json, such as proto/calendars
calendars.py --read FILE    prints the entries of one feed as JSON, as all three parsers agree on them

icalendar takes zones by their names from its own data; vobject (with dateutil) and libical calculate with the VTIMEZONE of the feed, and libical also
checks the restrictions of RFC 5545 strictly. Prints one line of JSON with what was read, and ends with 1 and a sentence if something is wrong.
"""
import ctypes
import datetime
import json
import pathlib
import re
import sys

import icalendar
import vobject

UTC = datetime.timezone.utc


def hold(condition, sentence):
    if not condition:
        print(sentence, file=sys.stderr)
        sys.exit(1)


def shown(moment):
    """A date as YYYY-MM-DD, a time as YYYY-MM-DDTHH:MM:SSZ."""
    if isinstance(moment, datetime.datetime):
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return moment.isoformat()


def by_icalendar(octets):
    calendar = icalendar.Calendar.from_ical(octets)
    for component in calendar.walk():
        hold(not component.errors, f"icalendar: {component.errors}")
    for event in calendar.walk("VEVENT"):
        entry = {"uid": str(event["UID"]), "title": str(event["SUMMARY"]), "start": shown(event["DTSTART"].dt), "status": str(event["STATUS"]),
                 "revision": int(event["SEQUENCE"])}
        if "DTEND" in event:
            entry["end"] = shown(event["DTEND"].dt)
        yield entry


def by_icalendar_zones(octets):
    """As by_icalendar, but with the zones of the feed in the place of those that icalendar knows."""
    calendar = icalendar.Calendar.from_ical(octets)
    zones = {str(zone["TZID"]): zone.to_tz(lookup_tzid=False) for zone in calendar.walk("VTIMEZONE")}
    for event in calendar.walk("VEVENT"):
        entry = {"uid": str(event["UID"])}
        for name, key in (("DTSTART", "start"), ("DTEND", "end")):
            if name not in event:
                continue
            moment = event[name].dt
            if isinstance(moment, datetime.datetime) and "TZID" in event[name].params:
                moment = moment.replace(tzinfo=zones[event[name].params["TZID"]])
            entry[key] = shown(moment)
        yield entry


def by_vobject(octets):
    for calendar in vobject.readComponents(octets.decode(), validate=True):
        for event in calendar.contents.get("vevent", []):
            entry = {"uid": event.uid.value, "title": event.summary.value, "start": shown(event.dtstart.value), "status": event.status.value,
                     "revision": int(event.sequence.value)}
            if hasattr(event, "dtend"):
                entry["end"] = shown(event.dtend.value)
            yield entry


class Time(ctypes.Structure):
    """struct icaltimetype of libical 3."""
    _fields_ = [(name, ctypes.c_int) for name in ("year", "month", "day", "hour", "minute", "second", "is_date", "is_daylight")] + [("zone", ctypes.c_void_p)]


class Libical:
    VEVENT, ANY = 4, 1

    def __init__(self):
        self.library = ctypes.CDLL("libical.so.3")
        for name, result, arguments in (
                ("icalparser_parse_string", ctypes.c_void_p, [ctypes.c_char_p]), ("icalrestriction_check", ctypes.c_int, [ctypes.c_void_p]),
                ("icalcomponent_count_errors", ctypes.c_int, [ctypes.c_void_p]), ("icalcomponent_get_first_component", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]),
                ("icalcomponent_get_next_component", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]), ("icalcomponent_get_uid", ctypes.c_char_p, [ctypes.c_void_p]),
                ("icalcomponent_get_summary", ctypes.c_char_p, [ctypes.c_void_p]), ("icalcomponent_get_sequence", ctypes.c_int, [ctypes.c_void_p]),
                ("icalcomponent_get_dtstart", Time, [ctypes.c_void_p]), ("icalcomponent_get_dtend", Time, [ctypes.c_void_p]),
                ("icaltime_as_timet_with_zone", ctypes.c_int64, [Time, ctypes.c_void_p]), ("icaltime_get_timezone", ctypes.c_void_p, [Time]),
                ("icalcomponent_get_first_property", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]), ("icalproperty_get_value_as_string", ctypes.c_char_p, [ctypes.c_void_p]),
                ("icalproperty_string_to_kind", ctypes.c_int, [ctypes.c_char_p]), ("icalcomponent_string_to_kind", ctypes.c_int, [ctypes.c_char_p]),
                ("icalcomponent_free", None, [ctypes.c_void_p]), ("icalcomponent_as_ical_string", ctypes.c_char_p, [ctypes.c_void_p])):
            function = getattr(self.library, name)
            function.restype, function.argtypes = result, arguments

    def shown(self, time):
        if time.is_date:
            return f"{time.year:04}-{time.month:02}-{time.day:02}"
        seconds = self.library.icaltime_as_timet_with_zone(time, self.library.icaltime_get_timezone(time))
        return shown(datetime.datetime.fromtimestamp(seconds, UTC))

    def read(self, octets):
        library = self.library
        calendar = library.icalparser_parse_string(octets)
        hold(calendar, "libical: not a calendar")
        # Marks each broken restriction with an X-LIC-ERROR.
        library.icalrestriction_check(calendar)
        errors = re.findall(r"X-LIC-ERROR.*(?:\r?\n .*)*", library.icalcomponent_as_ical_string(calendar).decode())
        hold(not errors and library.icalcomponent_count_errors(calendar) == 0, f"libical: {errors}")
        kind = library.icalcomponent_string_to_kind(b"VEVENT")
        event = library.icalcomponent_get_first_component(calendar, kind)
        while event:
            status = library.icalcomponent_get_first_property(event, library.icalproperty_string_to_kind(b"STATUS"))
            entry = {"uid": library.icalcomponent_get_uid(event).decode(), "title": library.icalcomponent_get_summary(event).decode(),
                     "start": self.shown(library.icalcomponent_get_dtstart(event)), "status": library.icalproperty_get_value_as_string(status).decode(),
                     "revision": library.icalcomponent_get_sequence(event)}
            if library.icalcomponent_get_first_property(event, library.icalproperty_string_to_kind(b"DTEND")):
                entry["end"] = self.shown(library.icalcomponent_get_dtend(event))
            yield entry
            event = library.icalcomponent_get_next_component(calendar, kind)
        library.icalcomponent_free(calendar)


def check_form(octets, name):
    """The octets of every line, whatever a tolerant parser makes of them."""
    hold(octets.endswith(b"\r\n"), f"{name}: the last line does not end in CRLF")
    for line in octets[:-2].split(b"\r\n"):
        hold(len(line) <= 75, f"{name}: a line of {len(line)} octets")
        hold(b"\n" not in line and b"\r" not in line, f"{name}: a lone CR or LF")
        line.decode()


def by_uid(entries):
    return sorted(entries, key=lambda entry: entry["uid"])


def second_times(octets):
    """(uid, shown time) to what it is for a reader that takes the second of two equal times, where clocks go back. RFC 5545 §3.3.5 says the first."""
    seconds = {}
    for event in icalendar.Calendar.from_ical(octets).walk("VEVENT"):
        for name in ("DTSTART", "DTEND"):
            if name in event and isinstance(event[name].dt, datetime.datetime):
                seconds[str(event["UID"]), shown(event[name].dt)] = shown(event[name].dt.replace(fold=1))
    return seconds


def read(octets, name):
    check_form(octets, name)
    seconds = second_times(octets)
    found = {"icalendar": by_uid(by_icalendar(octets)), "vobject": by_uid(by_vobject(octets)), "libical": by_uid(Libical().read(octets))}
    first = found["icalendar"]
    for parser, entries in found.items():
        for one, other in zip(first, entries):
            if parser == "libical":
                one = {key: seconds.get((one["uid"], text), text) if key in ("start", "end") and other.get(key) != text else text for key, text in one.items()}
            hold(one == other, f"{name}: icalendar reads {one}, {parser} reads {other}")
        hold(len(first) == len(entries), f"{name}: icalendar reads {len(first)} entries, {parser} {len(entries)}")
    times = [{key: entry[key] for key in ("uid", "start", "end") if key in entry} for entry in first]
    for one, other in zip(times, by_uid(by_icalendar_zones(octets))):
        hold(one == other, f"{name}: by names {one}, by the zones of the feed {other}")
    return first


def main():
    if sys.argv[1] == "--read":
        print(json.dumps(read(pathlib.Path(sys.argv[2]).read_bytes(), sys.argv[2])))
        return
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.ics"))
    hold(files, f"there is no feed in {sys.argv[1]}")
    count = 0
    for file in files:
        expected = by_uid(json.loads(file.with_suffix(".json").read_text()))
        found = read(file.read_bytes(), file.name)
        for one, other in zip(expected, found):
            hold(one == other, f"{file.name}: expected {one}, read {other}")
        hold(len(expected) == len(found), f"{file.name}: expected {len(expected)} entries, read {len(found)}")
        count += len(found)
    print(json.dumps({"feeds": len(files), "entries": count}))


if __name__ == "__main__":
    main()
