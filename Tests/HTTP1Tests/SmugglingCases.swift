import JSON
import Posix
import Testing

/// One entry of `Tests/Smuggling/cases.json`; the README next to it explains the keys.
struct SmugglingCase: Sendable, CustomTestStringConvertible {
    var name = ""
    var sent: [UInt8] = []
    var answers: [Int] = []
    var ends = false
    var read: [Int] = []

    var testDescription: String { name }

    static let all: [SmugglingCase] = load()

    private static func load(file: String = #filePath) -> [SmugglingCase] {
        // This file belongs to several targets, whose folders differ in depth.
        let folders = file.split(separator: "/", omittingEmptySubsequences: false)
        guard let tests = folders.lastIndex(of: "Tests"),
            let octets = try? Files.read(folders[...tests].joined(separator: "/") + "/Smuggling/cases.json")
        else { return [] }
        var cases: [SmugglingCase] = []
        func statuses(_ reader: inout JSONReader) throws(JSONError) -> [Int] {
            var list: [Int] = []
            try reader.readArray { (reader: inout JSONReader) throws(JSONError) in list.append(Int(try reader.readInteger())) }
            return list
        }
        try? JSONReader.read(octets) { (reader: inout JSONReader) throws(JSONError) in
            try reader.readArray { (reader: inout JSONReader) throws(JSONError) in
                var one = SmugglingCase()
                try reader.readObject { (reader: inout JSONReader, key) throws(JSONError) in
                    switch key.string {
                    case "name": one.name = try reader.readString()
                    case "sent": one.sent = try reader.readString().unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
                    case "answers": one.answers = try statuses(&reader)
                    case "ends": one.ends = try reader.readBool()
                    default: one.read = try statuses(&reader)
                    }
                }
                cases.append(one)
            }
        }
        return cases
    }
}
