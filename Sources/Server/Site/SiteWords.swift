/// Short names in the joined script for the rows of the table of texts. People read the long ones in the modules; in the script they would be 6 KB after compression.
///
/// A module in `words/` exports `WORDS`, an object with one row per line (`name: value,`); the other lines of a value begin with a bracket or a quotation mark.
/// The modules that import it use a row as `WORDS.name` alone, under the name of the import.
enum SiteWords {
    /// The export that is a table.
    static let export = "WORDS"

    static func isTable(_ path: String, _ exports: [String]) -> Bool { path.hasPrefix("words/") && exports.contains(export) }

    /// Gives the rows of a table short names.
    ///
    /// - Returns: the body with short names, and the short name of each row.
    static func shortened(_ body: String) -> (body: String, names: [String: String]) {
        var names: [String: String] = [:]
        var isInside = false
        let lines = body.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            if line == "const \(export) = {" { isInside = true } else if line == "};" { isInside = false }
            guard isInside, let colon = line.firstIndex(of: ":"), line[colon...].hasPrefix(": "), line[..<colon].utf8.allSatisfy(isOfName), colon > line.startIndex else { return line }
            let short = name(names.count)
            names[String(line[..<colon])] = short
            return "\(short):" + line[colon...].dropFirst(2)
        }
        return (lines.joined(separator: "\n"), names)
    }

    /// Uses the short names in a module that imports a table.
    ///
    /// - Parameter local: the name of the table in the module.
    /// - Throws: the text that is not a row of the table.
    static func renamed(_ body: String, _ local: String, _ names: [String: String]) throws(Unknown) -> String {
        let octets = Array(body.utf8), table = Array(local.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(octets.count)
        var place = 0
        while place < octets.count {
            let end = place + table.count
            guard octets[place] == table[0], end < octets.count, octets[place..<end].elementsEqual(table), !isOfName(octets[end]),
                place == 0 || !isOfName(octets[place - 1]) && octets[place - 1] != UInt8(ascii: ".")
            else {
                result.append(octets[place])
                place += 1
                continue
            }
            let row = octets[end] == UInt8(ascii: ".") ? octets[(end + 1)...].prefix(while: isOfName) : []
            let name = String(decoding: row, as: UTF8.self)
            guard let short = names[name] else { throw Unknown(text: name.isEmpty ? local : "\(local).\(name)") }
            result += table + [UInt8(ascii: ".")] + short.utf8
            place = end + 1 + row.count
        }
        return String(decoding: result, as: UTF8.self)
    }

    struct Unknown: Error, Equatable {
        let text: String
    }

    private static func isOfName(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"): true
        default: false
        }
    }

    /// `a` to `z`, then `aa`.
    private static func name(_ number: Int) -> String {
        let last = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(number % 26)))
        return number < 26 ? last : name(number / 26 - 1) + last
    }
}
