"""The requests of the five documents behind Huddle to a client (events list, new event, event detail, documents list, itinerary), done by two
clients at the same time: plain.py, which works lists out from its records, and stream.py, which asks the server. At the end both have to hold the same
records and lists, and simultaneous changes have to be there once.

    python3 flows.py URL TOKEN TOKEN

Ends with 0 and a line of JSON about what was compared; else with 1 and what differs."""
import asyncio
import datetime
import json
import sys
import uuid

import plain
import stream


class Threaded:
    """plain.Plain, whose calls wait, for a driver that does not."""

    def __init__(self, url, token):
        self.inner = plain.Plain(url, token)

    @classmethod
    async def join(cls, url, token):
        self = cls(url, token)
        await asyncio.to_thread(self.inner.wait, lambda: self.inner.is_live)
        self.records = self.inner.records
        return self

    async def mutate(self, *operations, **more):
        return await asyncio.to_thread(lambda: self.inner.mutate(*operations, **more))

    async def ask(self, **frame):
        return await asyncio.to_thread(lambda: self.inner.ask(**frame))

    async def list(self, kind, sort, search="", **filter):
        return await asyncio.to_thread(lambda: self.inner.list(kind, sort, search, **filter))

    async def reach(self, sequence):
        await asyncio.to_thread(self.inner.wait, lambda: self.inner.cursor >= sequence)

    async def leave(self):
        self.inner.close()


def fresh():
    return str(uuid.uuid4())


def create(kind, fields, id=None, **more):
    return {"op": "create", "kind": kind, "id": id or fresh(), **more, "fields": fields}


def update(record, fields=None, **more):
    return {"op": "update", "kind": record["kind"], "id": record["id"], "base": record["version"], "merge": "disjoint",
            **({"fields": fields} if fields else {}), **more}


async def refused(doing):
    """The code of the refusal that is expected, its field and sentence."""
    try:
        await doing
    except (plain.Refused, stream.Refused) as problem:
        frame = problem.args[0]
        return frame["code"], frame.get("field"), frame["message"]
    raise AssertionError("it was not refused")


async def seen(client, ack):
    """Waits until the client holds what an ack told."""
    await client.reach(ack["seq"])
    return ack


def expect(name, got, wanted):
    if got != wanted:
        raise AssertionError(f"{name}: {got!r} and not {wanted!r}")


# The flows

async def new_event(client, name, athlete, today):
    """CE: a school that is not there yet and the event in one change; missing values are named; the server's defaults."""
    school, event = fresh(), fresh()
    fields = {"type": "official_visit", "start_date": today, "start_time": "09:30", "school_id": school, "cost": "150", "state": "ny"}
    expect("without a name", await refused(client.mutate(create("event", fields | {"school_id": None}, athlete=athlete))),
           ("required", "name", "Event name is required"))
    late = {"type": "camp", "name": "Late", "start_date": today, "end_date": "2020-01-01"}
    expect("an end before the start", (await refused(client.mutate(create("event", late, athlete=athlete))))[0], "end_before_start")
    await seen(client, await client.mutate(
        create("school", {"name": f"{name} State", "location": "Łódź"}, school), create("event", fields | {"name": f"{name} visit"}, event, athlete=athlete)))
    held = client.records[event]["fields"]
    expect("defaults", [held[field] for field in ("end_date", "end_time", "cost", "state", "registered", "attended")],
           [today, "10:30", "150.00", "NY", False, False])
    expect("the school's name", held["school_name"], f"{name} State")
    return event, school


async def event_detail(client, name, event, school, athlete):
    """ED: edit, coaches, attended with an interaction in one change, results, one of them deleted, all of it undone and redone."""
    coach = fresh()
    await seen(client, await client.mutate(create("coach", {"first_name": name, "last_name": "Coach", "role": "Head Coach", "school_id": school}, coach)))
    await seen(client, await client.mutate(update(client.records[event], {"performance_notes": "Two throws."}, add={"coaches_present": [coach]})))
    expect("who was there", [(one["name"], one["role"]) for one in client.records[event]["fields"]["coaches_present"]], [(f"{name} Coach", "Head Coach")])
    interaction, metric = fresh(), fresh()
    attended = await seen(client, await client.mutate(
        update(client.records[event], {"attended": True}),
        create("interaction", {"event_id": event, "interaction_type": "in_person_visit", "direction": "inbound", "content": "They came over."}, interaction,
               athlete=athlete),
        create("metric", {"event_id": event, "metric_type": "pop_time", "value": "1.89"}, metric, athlete=athlete)))
    held = client.records[interaction]["fields"]
    expect("an interaction's defaults", (held["subject"], held["school_id"], held["occurred_at"][11:]), (f"Interaction at {name} visit", school, "09:30"))
    expect("a metric's unit", client.records[metric]["fields"]["unit"], "sec")
    undone = await seen(client, await client.mutate(undo=attended["seq"]))
    expect("undone", (client.records[event]["fields"]["attended"], "deleted_at" in client.records[metric]), (False, True))
    await seen(client, await client.mutate(undo=undone["seq"]))
    expect("done again", (client.records[event]["fields"]["attended"], "deleted_at" in client.records[metric]), (True, False))
    extra = fresh()
    await seen(client, await client.mutate(create("metric", {"metric_type": "other", "label": "Sprint", "value": "3", "unit": "s", "event_id": event}, extra, athlete=athlete)))
    await seen(client, await client.mutate({"op": "delete", "kind": "metric", "id": extra, "base": client.records[extra]["version"]}))
    history = await client.ask(type="history", record={"kind": "event", "id": event}, limit=20)
    expect("history", [sorted(change["op"] for change in entry["changes"]) for entry in history["entries"]][-1], ["create"])


async def itinerary(client, name, today):
    """CI: a trip, items, nobody in two places unless that is meant, the whole trip moved."""
    trip, zoo, lunch, hotel = fresh(), fresh(), fresh(), fresh()
    day = (datetime.date.fromisoformat(today) + datetime.timedelta(days=200)).isoformat()
    await client.mutate(create("trip", {"name": f"{name} trip", "start_date": day}, trip))

    def item(id, title, start, end, **more):
        return create("trip_item", {"trip_id": trip, "title": title, "start_time": f"{day}T{start}", "end_time": end and f"{day}T{end}", **more}, id)
    free = {"confirmation": {"code": "A1", "seats": [1, 2]}, "Zloty": "1.0"}
    await client.mutate(item(zoo, "Zoo", "10:00", "12:00", source_data=free), item(hotel, "Hotel", "08:00", "20:00", category="accommodation"))
    code, _, _ = await refused(client.mutate(item(lunch, "Lunch", "11:00", "13:00", category="food")))
    expect("two places at the same time", code, "overlap")
    await client.mutate(item(lunch, "Lunch", "11:00", "13:00", category="food"), allow_overlap={"reason": "Tom joins later", "pairs": [[lunch, zoo]]})
    # Touching is not overlapping.
    await client.mutate(item(fresh(), "Walk", "13:00", "14:00"), item(fresh(), "Note", "13:30", None, include_in_itinerary=False))
    moved = await seen(client, await client.mutate({"op": "shift", "kind": "trip", "id": trip, "base": 1, "days": 7}))
    expect("records that moved", len(moved["records"]), 6)
    expect("free data", client.records[zoo]["fields"]["source_data"], free)
    found = await client.list("trip_item", "start", trip_id=trip, itinerary=True)
    expect("the itinerary", [client.records[id]["fields"]["title"] for id in found], ["Hotel", "Zoo", "Lunch", "Walk"])


async def flows(client, name, today):
    athletes = sorted(record["id"] for record in client.records.values() if record["kind"] == "member" and record["fields"]["role"] == "athlete")
    athlete = athletes[0]
    event, school = await new_event(client, name, athlete, today)
    await event_detail(client, name, event, school, athlete)
    await itinerary(client, name, today)
    return event


async def together(one, two, event):
    """Both at the same record at the same moment: sets grow, different fields stand, and of the same field one is a conflict."""
    for client in (one, two):
        await client.reach(max(one.inner.cursor, two.cursor))
    coaches = sorted(record["id"] for record in one.records.values() if record["kind"] == "coach")[:2]
    base = one.records[event]["version"]
    edit = {"kind": "event", "id": event, "base": base, "merge": "disjoint", "op": "update"}
    await asyncio.gather(*(client.mutate(edit | {"add": {"coaches_present": [coach]}}) for client, coach in zip((one, two), coaches)))
    await asyncio.gather(one.mutate(edit | {"fields": {"city": "Albany"}}), two.mutate(edit | {"fields": {"host": "Both"}}))
    answers = await asyncio.gather(
        *(client.mutate(edit | {"fields": {"description": text}}) for client, text in ((one, "One"), (two, "Two"))), return_exceptions=True)
    codes = [answer.args[0]["code"] if isinstance(answer, Exception) else "ack" for answer in answers]
    expect("of two that wrote the same field", sorted(codes), ["ack", "conflict"])


async def lists(client, event):
    """EL, DL, CI: what people see, as ids in order."""
    # Both look at what they hold, or ask for it, after everything has happened.
    found = {}
    for sort in ("date_desc", "date_asc", "name", "type"):
        found[f"events by {sort}"] = await client.list("event", sort)
    for filter in ({"type": "visit"}, {"type": "camp"}, {"status": "registered"}, {"status": "not_registered"}, {"status": "attended"}, {"date": "upcoming"},
                   {"date": "past"}, {"date": "this_month"}, {"date": "next_month"}, {"type": "game", "date": "past", "status": "attended"}):
        found[f"events of {filter}"] = await client.list("event", "date_desc", **filter)
    for search in ("camp", "LODZ", "albany", "nothing at all"):
        found[f"events with {search}"] = await client.list("event", "date_asc", search)
    found["results at the event"] = sorted(await client.list("metric", "date_desc", event_id=event))
    found["interactions at the event"] = sorted(await client.list("interaction", "date_desc", event_id=event))
    found["documents"] = await client.list("document", "newest")
    found["documents shared"] = await client.list("document", "newest", shared=True)
    found["trips ahead"] = await client.list("trip", "date_asc", date="upcoming")
    for trip in found["trips ahead"]:
        found[f"itinerary of {trip}"] = await client.list("trip_item", "start", trip_id=trip, itinerary=True)
        for day in sorted({client.records[id]["fields"]["start_time"][:10] for id in found[f"itinerary of {trip}"]}):
            found[f"itinerary of {trip} on {day}"] = await client.list("trip_item", "start", trip_id=trip, day=day)
    return found


async def main(url, first, second):
    one, two = await Threaded.join(url, first), await stream.Stream.join(url, second)
    today = one.inner.today()
    event, _ = await asyncio.gather(flows(one, "Plain", today), flows(two, "Stream", today))
    await together(one, two, event)
    last = max([(await client.ask(type="statistics", kind="family"))["seq"] for client in (one, two)])
    await asyncio.gather(one.reach(last), two.reach(last))
    differ = [id for id in one.records.keys() | two.records.keys() if one.records.get(id) != two.records.get(id)]
    for id in differ[:3]:
        print(f"records: plain holds {one.records.get(id)}\n         stream holds {two.records.get(id)}", file=sys.stderr)
    mine, asked = await lists(one, event), await lists(two, event)
    wrong = [name for name in mine.keys() | asked.keys() if mine.get(name) != asked.get(name)]
    for name in wrong[:5]:
        print(f"{name}:\n  plain works out {mine.get(name)}\n  the server says {asked.get(name)}", file=sys.stderr)
    document = await asyncio.gather(*(client.ask(type="statistics", kind="document") for client in (one, two)))
    expect("documents in figures", document[0]["statistics"]["total"], len(mine["documents"]))
    await asyncio.gather(one.leave(), two.leave())
    print(json.dumps({"seq": last, "records": len(one.records), "lists": len(mine), "ids": sum(map(len, mine.values())), "compressed": two.wire.compresses,
                      "events": mine["events by date_asc"], "itineraries": sum(map(len, (found for name, found in mine.items() if name.startswith("itinerary"))))}))
    sys.exit(1 if differ or wrong else 0)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    asyncio.run(main(*sys.argv[1:]))
