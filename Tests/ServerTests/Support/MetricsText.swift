@testable import Server

/// A page of figures, read by the grammar of Prometheus' text format, version 0.0.4, and stricter than the format where this server promises more: each
/// family has help and type, once, before its series; each series is there once; the buckets of a histogram grow and end with its count.
struct MetricsText {
    struct Family {
        var kind: String
        var help: String
        /// By name with labels, as written.
        var series: [(name: String, labels: [String: String], value: Double)] = []
    }

    private(set) var families: [String: Family] = [:]
    /// Each series as it is written, without its value.
    private(set) var series: Set<String> = []

    init(_ octets: [UInt8]) throws {
        guard let text = String(validating: octets, as: UTF8.self), text.hasSuffix("\n") else { throw Unexpected("not UTF-8, or no line feed at the end") }
        var open = ""
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("# HELP ") {
                let words = line.dropFirst(7).split(separator: " ", maxSplits: 1)
                guard words.count == 2, Self.isName(words[0]), families[String(words[0])] == nil else { throw Unexpected("help: \(line)") }
                open = String(words[0])
                families[open] = Family(kind: "", help: String(words[1]))
            } else if line.hasPrefix("# TYPE ") {
                let words = line.dropFirst(7).split(separator: " ")
                guard words.count == 2, words[0] == open, families[open]?.kind == "", ["counter", "gauge", "histogram"].contains(words[1]) else {
                    throw Unexpected("type: \(line)")
                }
                families[open]?.kind = String(words[1])
            } else {
                try read(line, of: open)
            }
        }
        for (name, family) in families { try Self.check(name, family) }
    }

    private mutating func read(_ line: Substring, of open: String) throws {
        guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else { throw Unexpected("value: \(line)") }
        let key = line[..<space]
        guard series.insert(String(key)).inserted else { throw Unexpected("twice: \(line)") }
        let end = key.firstIndex(of: "{") ?? key.endIndex
        var labels: [String: String] = [:]
        if end < key.endIndex {
            guard key.hasSuffix("}") else { throw Unexpected("labels: \(line)") }
            var rest = key[key.index(after: end)...].dropLast()
            while !rest.isEmpty {
                guard let equals = rest.firstIndex(of: "="), Self.isName(rest[..<equals]) else { throw Unexpected("labels: \(line)") }
                let name = String(rest[..<equals])
                rest = rest[rest.index(after: equals)...]
                guard rest.first == "\"" else { throw Unexpected("labels: \(line)") }
                rest = rest.dropFirst()
                var text = ""
                while let next = rest.first, next != "\"" {
                    rest = rest.dropFirst()
                    guard next == "\\" else {
                        text.append(next)
                        continue
                    }
                    guard let escaped = rest.popFirst(), let plain: Character = ["\\": "\\", "\"": "\"", "n": "\n"][escaped] else { throw Unexpected("escape: \(line)") }
                    text.append(plain)
                }
                guard rest.popFirst() == "\"", labels.updateValue(text, forKey: name) == nil else { throw Unexpected("labels: \(line)") }
                if rest.first == "," { rest = rest.dropFirst() } else if !rest.isEmpty { throw Unexpected("labels: \(line)") }
            }
        }
        let name = String(key[..<end])
        guard let kind = families[open]?.kind, !kind.isEmpty else { throw Unexpected("no type: \(line)") }
        let names = kind == "histogram" ? ["_bucket", "_sum", "_count"].map { open + $0 } : [open]
        guard names.contains(name) else { throw Unexpected("of another family: \(line)") }
        families[open]?.series.append((name, labels, value))
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, !(48...57).contains(first) else { return false }
        return text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    }

    private static func check(_ name: String, _ family: Family) throws {
        guard !family.series.isEmpty, family.help.hasSuffix(".") else { throw Unexpected("\(name) has no series, or its help is not a sentence") }
        guard (family.kind == "counter") == name.hasSuffix("_total") else { throw Unexpected("\(name): only counters end with _total") }
        guard family.kind != "counter" || family.series.allSatisfy({ $0.value >= 0 }) else { throw Unexpected("\(name) is negative") }
        guard family.kind == "histogram" else { return }
        var buckets: [String: [(bound: Double, count: Double)]] = [:]
        var counts: [String: Double] = [:]
        for one in family.series {
            var labels = one.labels
            let bound = labels.removeValue(forKey: "le")
            let key = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
            if one.name.hasSuffix("_bucket") {
                guard let bound, let number = bound == "+Inf" ? .infinity : Double(bound) else { throw Unexpected("\(name): a bucket without a bound") }
                buckets[key, default: []].append((number, one.value))
            }
            if one.name.hasSuffix("_count") { counts[key] = one.value }
        }
        guard Set(buckets.keys) == Set(counts.keys) else { throw Unexpected("\(name): buckets and counts are of other labels") }
        for (key, list) in buckets {
            for (one, next) in zip(list, list.dropFirst()) where one.bound >= next.bound || one.count > next.count { throw Unexpected("\(name): the buckets do not grow") }
            guard list.last?.bound == .infinity, list.last?.count == counts[key] else { throw Unexpected("\(name): the last bucket is not the count") }
        }
    }

    /// The value of a series.
    func value(_ name: String, _ labels: [String: String] = [:]) throws -> Double {
        let family = families.first { key, family in
            key == name || family.kind == "histogram" && [key + "_bucket", key + "_sum", key + "_count"].contains(name)
        }
        guard let one = family?.value.series.first(where: { $0.name == name && $0.labels == labels }) else { throw Unexpected("there is no \(name) \(labels)") }
        return one.value
    }
}
