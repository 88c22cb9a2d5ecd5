import Bytes
import Family
import Posix
import Queries
import Store
import Wire

// The worst frame of each operation, at its limits: each is to stay below 20 ms of one thread, so that a family waits no longer for another's.
extension BenchCase {
    static var worst: [BenchCase] {
        [copy(), shift(), undo(), cascade(), batch(), longest(), list(), digest(), history(), keys()]
    }

    /// - Parameter prepare: makes what is needed and gives what is done once.
    private static func one(_ name: String, _ question: String, _ prepare: @escaping () throws -> () throws -> Void) -> BenchCase {
        BenchCase(
            name: "worst-" + name, question: question, unit: .milliseconds(per: "frame"), floor: "a look at the clock; the bound is 20 ms of processor time"
        ) {
            let body = try prepare()
            return Work(run: { times in for _ in 0..<times { try body() } }, floor: { times in for _ in 0..<times { _ = Clock.monotonicNanoseconds() } })
        }
    }

    private static func copy() -> BenchCase {
        one("copy", "a trip whose copy leads to a change of nearly the greatest size") {
            let store = try TemporaryStore()
            let trip = try store.addTrip(items: 200, letters: 2_000)
            return { try store.propose([Operation(kind: .trip, id: store.newID(), action: .copy(from: trip, days: 1))]) }
        }
    }

    private static func shift() -> BenchCase {
        one("shift", "a trip at `related_records` and `related_octets`, moved by a day") {
            let store = try TemporaryStore()
            let trip = try largestTrip(store)
            var version: Int64 = 1
            return {
                try store.propose([Operation(kind: .trip, id: trip, action: .shift(base: version, days: version % 2 == 0 ? -1 : 1))])
                version += 1
            }
        }
    }

    /// A trip with as many items as one change may move, and with texts as long as they may be together.
    private static func largestTrip(_ store: TemporaryStore) throws -> Identifier {
        let limits = Limits()
        // An item's other fields take less than 256 octets.
        return try store.addTrip(items: limits.relatedRecords, letters: limits.relatedOctets / limits.relatedRecords - 256)
    }

    private static func undo() -> BenchCase {
        one("undo", "that move taken back, and that again") {
            let store = try TemporaryStore()
            let trip = try largestTrip(store)
            var sequence = try store.propose([Operation(kind: .trip, id: trip, action: .shift(base: 1, days: 1))])
            return { sequence = try store.propose(.undo(sequence: sequence)) }
        }
    }

    private static func cascade() -> BenchCase {
        one("delete", "a trip with 190 items of 2,200 octets deleted, and the deletion taken back by turns") {
            let store = try TemporaryStore()
            // Restoring is bounded by the change, which holds all records again.
            let trip = try store.addTrip(items: 190, letters: 2_000)
            var sequence: Int64?
            var version: Int64 = 1
            return {
                if let last = sequence {
                    _ = try store.propose(.undo(sequence: last))
                    sequence = nil
                } else {
                    sequence = try store.propose([Operation(kind: .trip, id: trip, action: .delete(base: version))])
                }
                version += 1
            }
        }
    }

    private static func batch() -> BenchCase {
        one("batch", "100 schools of 4,500 octets in one mutation") {
            let store = try TemporaryStore()
            let notes = String(repeating: "a", count: 4_500)
            return {
                try store.propose((0..<100).map { _ in TemporaryStore.create(.school, store.newID(), [("name", .text("College")), ("notes", .text(notes))]) })
            }
        }
    }

    private static func longest() -> BenchCase {
        one("update", "the longest text of an event, with an event of 60 KB") {
            let store = try TemporaryStore()
            let id = store.newID()
            let texts = [String(repeating: "€", count: 9_990), String(repeating: "¥", count: 9_990)]
            try store.propose([
                TemporaryStore.create(.school, id, [("name", .text("College")), ("notes", .text(texts[0]))])
            ])
            var version: Int64 = 1
            return {
                let patch = TemporaryStore.patch(.school, [("notes", .text(texts[Int(version % 2)]))])
                try store.propose([Operation(kind: .school, id: id, action: .update(base: version, merge: .none, patch: patch))])
                version += 1
            }
        }
    }

    private static func list() -> BenchCase {
        one("list", "a page of 200 of 10,000 schools, searched and counted") {
            let store = try TemporaryStore()
            try store.addSchools(10_000)
            let request = ListRequest(request: 1, kind: .school, search: "coach", before: nil, limit: 200, counts: true)
            let query = try request.query(context: .all)
            return { use(ServerFrame.page(try store.reader.page(family: store.family, query, request).get()).encode().count) }
        }
    }

    private static func digest() -> BenchCase {
        one("digest", "1,000 changes of 60 KB since somebody looked") {
            let store = try TemporaryStore()
            let notes = String(repeating: "€", count: 9_900)
            for _ in 0..<1_000 {
                try store.propose([TemporaryStore.create(.school, store.newID(), [("name", .text("College")), ("notes", .text(notes))])])
            }
            let request = DigestRequest(request: 1, after: 0)
            return { use(ServerFrame.digest(try store.reader.digest(family: store.family, member: Samples.client, request)).encode().count) }
        }
    }

    private static func history() -> BenchCase {
        one("history", "the newest entries of a family of long changes") {
            let store = try TemporaryStore()
            let notes = String(repeating: "€", count: 9_900)
            for _ in 0..<200 {
                try store.propose([TemporaryStore.create(.school, store.newID(), [("name", .text("College")), ("notes", .text(notes))])])
            }
            let request = HistoryRequest(request: 1, record: nil, before: nil, limit: 200)
            return { use(ServerFrame.history(try store.reader.history(family: store.family, member: store.member, request).get()).encode().count) }
        }
    }

    private static func keys() -> BenchCase {
        one("keys", "a frame of 240 KB full of objects of 256 keys, read") {
            let object = "{" + (0..<256).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
            let free = "[" + Array(repeating: object, count: 16_000 / (object.utf8.count + 1)).joined(separator: ",") + "]"
            let operations = (0..<15).map { number in
                "{\"op\":\"create\",\"kind\":\"trip_item\",\"id\":\"\(Samples.record(number))\",\"fields\":{\"title\":\"Camp\",\"source_data\":\(free)}}"
            }
            let text = "{\"type\":\"mutate\",\"mutation\":1,\"operations\":[\(operations.joined(separator: ","))]}"
            let frame = Array(text.utf8)
            let limits = Limits()
            return { use(try frame.withUnsafeBytes { octets throws(Rejection) in try ClientFrame.decode(octets, limits: limits) }) }
        }
    }
}

extension TemporaryStore {
    static func patch(_ kind: Kind, _ values: [(String, Value)]) -> FieldPatch {
        var patch = FieldPatch()
        for (name, value) in values {
            if let field = kind.declaration.index(of: name) { patch.assignments.append(.init(field: field, value: value)) }
        }
        patch.assignments.sort { $0.field < $1.field }
        return patch
    }

    static func create(_ kind: Kind, _ id: Identifier, _ values: [(String, Value)]) -> Operation {
        Operation(kind: kind, id: id, action: .create(athlete: nil, patch: patch(kind, values)))
    }

    func addTrip(items: Int, letters: Int) throws -> Identifier {
        let trip = newID()
        try propose([Self.create(.trip, trip, [("name", .text("Albany")), ("start_date", .text("2027-06-01")), ("end_date", .text("2027-06-30"))])])
        let text = String(repeating: "a", count: letters)
        for start in stride(from: 0, to: items, by: 50) {
            try propose(
                (start..<min(start + 50, items)).map { item in
                    Self.create(
                        .tripItem, newID(),
                        [
                            ("trip_id", .reference(trip)), ("title", .text("Batting")), ("category", .text("activity")),
                            ("start_time", .text("2027-06-\(10 + item % 20)T10:00")), ("description", .text(text)),
                        ])
                })
        }
        return trip
    }
}
