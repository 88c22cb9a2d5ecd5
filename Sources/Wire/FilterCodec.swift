import Bytes
import Dates
import Family
import JSON
import Queries

/// The `filter` of a `list` frame: an object with the members of `Query.FilterKey`, those that ask for nothing left out.
enum FilterCodec {
    static func encode(_ filter: Query.Filter, into writer: inout JSONWriter) {
        writer.beginObject()
        func key(_ key: Query.FilterKey) { writer.key(key.rawValue) }
        if filter.types.count == 1, let type = filter.types.first {
            key(.type)
            writer.string(type)
        } else if !filter.types.isEmpty {
            key(.types)
            writer.beginArray()
            for type in filter.types { writer.string(type) }
            writer.endArray()
        }
        for (name, word) in [(.status, filter.status?.rawValue), (.date, filter.date?.rawValue)] as [(Query.FilterKey, String?)] {
            guard let word else { continue }
            key(name)
            writer.string(word)
        }
        let ids: [(Query.FilterKey, Identifier?)] = [
            (.school, filter.school), (.coach, filter.coach), (.event, filter.event), (.trip, filter.trip), (.about, filter.about),
        ]
        for (name, id) in ids {
            guard let id else { continue }
            key(name)
            writer.identifier(id)
        }
        for (name, date) in [(.from, filter.from), (.to, filter.to), (.day, filter.day)] as [(Query.FilterKey, CalendarDate?)] {
            guard let date else { continue }
            key(name)
            writer.string(date.description)
        }
        let flags: [(Query.FilterKey, Bool?)] = [(.itinerary, filter.itinerary), (.shared, filter.shared), (.current, filter.current)]
        for (name, flag) in flags {
            guard let flag else { continue }
            key(name)
            writer.boolean(flag)
        }
        writer.endObject()
    }

    /// Types in one filter at most: more than any kind has.
    private static let maxTypes = 16

    /// - Parameter problem: set when what was read is JSON and no filter: what is wrong with it, for a person.
    static func read(_ reader: inout JSONReader, problem: inout String?) throws(JSONError) -> Query.Filter {
        var filter = Query.Filter()
        var found: String?
        do throws(JSONError) {
            try read(&reader, into: &filter, problem: &found)
        } catch {
            problem = found
            throw error
        }
        return filter
    }

    private static func read(_ reader: inout JSONReader, into filter: inout Query.Filter, problem found: inout String?) throws(JSONError) {
        try reader.readObject { reader, key throws(JSONError) in
            let name = key.string
            guard let known = Query.FilterKey(rawValue: name) else {
                found = "Lists cannot be filtered by \(SentencePart.quoted(name)). \(SentencePart.older)"
                throw .unknownKey(name)
            }
            let start = reader.offset
            func word<Value: RawRepresentable<String> & CaseIterable>(_ type: Value.Type) throws(JSONError) -> Value {
                let word = try reader.readString()
                if let value = Value(rawValue: word) { return value }
                found = "\(name) must be one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))"
                throw .unexpected("a word that is known", at: start)
            }
            func date() throws(JSONError) -> CalendarDate {
                if let date = CalendarDate(try reader.readString()) { return date }
                found = "\(name) must be a date that exists, written YYYY-MM-DD"
                throw .unexpected("a date", at: start)
            }
            switch known {
            case .type, .types:
                guard filter.types.isEmpty else {
                    found = "Ask for type or for types, not for both"
                    throw .unexpected("one of type and types", at: start)
                }
                var types: [String] = []
                if known == .type {
                    types = [try reader.readString()]
                } else {
                    try reader.readArray { reader throws(JSONError) in
                        guard types.count < maxTypes else { throw .tooLong(at: start) }
                        types.append(try reader.readString())
                    }
                }
                filter.types = types
            case .status: filter.status = try word(Query.Status.self)
            case .date: filter.date = try word(Query.Window.self)
            case .school: filter.school = try reader.readIdentifier()
            case .coach: filter.coach = try reader.readIdentifier()
            case .event: filter.event = try reader.readIdentifier()
            case .trip: filter.trip = try reader.readIdentifier()
            case .about: filter.about = try reader.readIdentifier()
            case .from: filter.from = try date()
            case .to: filter.to = try date()
            case .day: filter.day = try date()
            case .itinerary: filter.itinerary = try reader.readBool()
            case .shared: filter.shared = try reader.readBool()
            case .current: filter.current = try reader.readBool()
            }
        }
    }
}
