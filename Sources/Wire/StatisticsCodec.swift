import Bytes
import Family
import JSON
import Queries

/// The `statistics` of an answer: an object whose members depend on the kind.
enum StatisticsCodec {
    static func encode(_ statistics: Statistics, into writer: inout JSONWriter) {
        writer.beginObject()
        switch statistics {
        case .events(let events):
            member("total", events.total, &writer)
            member("upcoming", events.upcoming, &writer)
            member("registered", events.registered, &writer)
            member("not_registered", events.notRegistered, &writer)
            member("attended", events.attended, &writer)
            types(events.types, &writer)
        case .documents(let documents):
            member("total", documents.total, &writer)
            member("shared", documents.shared, &writer)
            if let type = documents.mostCommonType {
                writer.key("most_common_type")
                writer.string(type)
            }
            writer.key("octets")
            writer.integer(documents.octets)
            if let used = documents.storageUsed {
                writer.key("storage_used")
                writer.integer(used)
            }
            if let quota = documents.storageQuota {
                writer.key("storage_quota")
                writer.integer(quota)
            }
            types(documents.types, &writer)
        case .metrics(let metrics):
            writer.key("metrics")
            writer.beginArray()
            for metric in metrics { encode(metric, into: &writer) }
            writer.endArray()
        case .family(let counts):
            writer.key("kinds")
            writer.beginArray()
            for count in counts {
                writer.beginObject()
                writer.key("kind")
                writer.string(count.kind)
                member("records", count.records, &writer)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
    }

    private static func member(_ name: StaticString, _ number: Int, _ writer: inout JSONWriter) {
        writer.key(name)
        writer.integer(number)
    }

    private static func types(_ types: [Statistics.TypeCount], _ writer: inout JSONWriter) {
        writer.key("types")
        writer.beginArray()
        for type in types {
            writer.beginObject()
            writer.key("type")
            writer.string(type.type)
            member("records", type.records, &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func encode(_ metric: Statistics.Metric, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("type")
        writer.string(metric.type)
        if let label = metric.label {
            writer.key("label")
            writer.string(label)
        }
        member("records", metric.records, &writer)
        for (name, mark) in [("best", metric.best), ("latest", metric.latest)] as [(StaticString, Statistics.Metric.Mark)] {
            writer.key(name)
            writer.beginObject()
            writer.key("id")
            writer.identifier(mark.id)
            writer.key("value")
            writer.string(mark.value)
            writer.key("unit")
            writer.string(mark.unit)
            writer.key("date")
            writer.string(mark.date)
            writer.endObject()
        }
        writer.endObject()
    }

    // MARK: Reading

    /// The parts that were read; their kind may come after them.
    struct Parts {
        fileprivate var numbers = Numbers()
        fileprivate var types: [Statistics.TypeCount] = []
        fileprivate var common: String?
        fileprivate var metrics: [Statistics.Metric]?
        fileprivate var kinds: [Statistics.Count]?

        func statistics(_ kind: Kind) throws(JSONError) -> Statistics {
            switch kind {
            case .event:
                var events = Statistics.Events()
                events.total = try numbers.need("total")
                events.upcoming = try numbers.need("upcoming")
                events.registered = try numbers.need("registered")
                events.notRegistered = try numbers.need("not_registered")
                events.attended = try numbers.need("attended")
                events.types = types
                return .events(events)
            case .document:
                var documents = Statistics.Documents()
                documents.total = try numbers.need("total")
                documents.shared = try numbers.need("shared")
                documents.octets = Int64(try numbers.need("octets"))
                documents.storageUsed = numbers.find("storage_used").map(Int64.init)
                documents.storageQuota = numbers.find("storage_quota").map(Int64.init)
                documents.mostCommonType = common
                documents.types = types
                return .documents(documents)
            case .metric:
                guard let metrics else { throw .invalid("statistics with metrics") }
                return .metrics(metrics)
            case .family:
                guard let kinds else { throw .invalid("statistics with kinds") }
                return .family(kinds)
            default: throw .invalid("a kind that has statistics")
            }
        }
    }

    /// Reads what `encode` wrote; members that a newer server added are left aside.
    static func read(_ reader: inout JSONReader) throws(JSONError) -> Parts {
        var parts = Parts()
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "most_common_type": parts.common = try reader.readString()
            case "types":
                var types: [Statistics.TypeCount] = []
                try reader.readArray { reader throws(JSONError) in types.append(try readType(&reader)) }
                parts.types = types
            case "metrics":
                var metrics: [Statistics.Metric] = []
                try reader.readArray { reader throws(JSONError) in metrics.append(try readMetric(&reader)) }
                parts.metrics = metrics
            case "kinds":
                var kinds: [Statistics.Count] = []
                try reader.readArray { reader throws(JSONError) in
                    if let count = try readCount(&reader) { kinds.append(count) }
                }
                parts.kinds = kinds
            default: try parts.numbers.read(key, &reader)
            }
        }
        return parts
    }

    /// Members that are counts.
    fileprivate struct Numbers {
        private var found: [String: Int] = [:]

        mutating func read(_ key: JSONKey, _ reader: inout JSONReader) throws(JSONError) {
            if try reader.peekKind() == .integer {
                found[key.string] = Int(try reader.readCount())
            } else {
                try reader.skipValue()
            }
        }

        func find(_ name: String) -> Int? { found[name] }

        func need(_ name: String) throws(JSONError) -> Int {
            guard let number = found[name] else { throw .invalid("statistics with \(name)") }
            return number
        }
    }

    private static func readType(_ reader: inout JSONReader) throws(JSONError) -> Statistics.TypeCount {
        let start = reader.offset
        var type: String?
        var numbers = Numbers()
        try reader.readObject { reader, key throws(JSONError) in
            if key == "type" { type = try reader.readString() } else { try numbers.read(key, &reader) }
        }
        guard let type else { throw .unexpected("a type", at: start) }
        return Statistics.TypeCount(type: type, records: try numbers.need("records"))
    }

    /// `nil` for a kind that a newer server added.
    private static func readCount(_ reader: inout JSONReader) throws(JSONError) -> Statistics.Count? {
        var kind: Kind?
        var numbers = Numbers()
        try reader.readObject { reader, key throws(JSONError) in
            if key == "kind" { kind = Kind(name: try reader.readString()) } else { try numbers.read(key, &reader) }
        }
        let records = try numbers.need("records")
        return kind.map { Statistics.Count(kind: $0, records: records) }
    }

    private static func readMetric(_ reader: inout JSONReader) throws(JSONError) -> Statistics.Metric {
        let start = reader.offset
        var type: String?
        var label: String?
        var best: Statistics.Metric.Mark?
        var latest: Statistics.Metric.Mark?
        var numbers = Numbers()
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "type": type = try reader.readString()
            case "label": label = try reader.readString()
            case "best": best = try readMark(&reader)
            case "latest": latest = try readMark(&reader)
            default: try numbers.read(key, &reader)
            }
        }
        guard let type, let best, let latest else { throw .unexpected("figures of one metric", at: start) }
        return Statistics.Metric(type: type, label: label, records: try numbers.need("records"), best: best, latest: latest)
    }

    private static func readMark(_ reader: inout JSONReader) throws(JSONError) -> Statistics.Metric.Mark {
        let start = reader.offset
        var id: Identifier?
        var texts: [String: String] = [:]
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "id": id = try reader.readIdentifier()
            case "value", "unit", "date": texts[key.string] = try reader.readString()
            default: try reader.skipValue()
            }
        }
        guard let id, let value = texts["value"], let unit = texts["unit"], let date = texts["date"] else {
            throw .unexpected("a value with unit and date", at: start)
        }
        return Statistics.Metric.Mark(id: id, value: value, unit: unit, date: date)
    }
}
