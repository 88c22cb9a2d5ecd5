internal import HTTP1

/// The name of a file in `Content-Disposition` (RFC 6266 §4.1, RFC 8187).
package enum ContentDisposition {
    /// - Returns: the value of `filename*`, otherwise of `filename`; `nil` if neither is present and readable. The
    ///   result is a name only: the caller removes anything that looks like folders (§4.3).
    package static func fileName(_ field: String) -> String? {
        let octets = Array(field.utf8)
        var plain: String?
        var extended: String?
        // The disposition type is irrelevant here.
        var position = octets.firstIndex(of: UInt8(ascii: ";")) ?? octets.count
        while position < octets.count {
            position += 1
            guard let (name, value, end) = parameter(octets, from: position) else { return extended ?? plain }
            if name == "filename*", extended == nil { extended = decode(value) }
            if name == "filename", plain == nil { plain = String(validating: value, as: UTF8.self) }
            position = end
        }
        return extended ?? plain
    }

    /// `name=value` or `name="value"`, up to the next semicolon.
    private static func parameter(_ octets: [UInt8], from start: Int) -> (name: String, value: [UInt8], end: Int)? {
        var position = start
        func skipBlanks() { while position < octets.count, octets[position] == 0x20 || octets[position] == 0x09 { position += 1 } }
        skipBlanks()
        let nameStart = position
        while position < octets.count, octets[position] != UInt8(ascii: "="), octets[position] != UInt8(ascii: ";") { position += 1 }
        guard position < octets.count, octets[position] == UInt8(ascii: "=") else { return nil }
        let name = String(decoding: octets[nameStart..<position], as: UTF8.self).lowercased().split(separator: " ").joined()
        position += 1
        skipBlanks()
        var value: [UInt8] = []
        if position < octets.count, octets[position] == UInt8(ascii: "\"") {
            position += 1
            var isClosed = false
            while position < octets.count, !isClosed {
                let octet = octets[position]
                position += 1
                if octet == UInt8(ascii: "\""){
                    isClosed = true
                } else if octet == UInt8(ascii: "\\"), position < octets.count {
                    value.append(octets[position])
                    position += 1
                } else {
                    value.append(octet)
                }
            }
            guard isClosed else { return nil }
            skipBlanks()
        } else {
            while position < octets.count, octets[position] != UInt8(ascii: ";"), octets[position] != 0x20 {
                value.append(octets[position])
                position += 1
            }
            skipBlanks()
        }
        guard position == octets.count || octets[position] == UInt8(ascii: ";") else { return nil }
        return (name, value, position)
    }

    /// `UTF-8'language'percent-encoded` (RFC 8187 §3.2).
    private static func decode(_ value: [UInt8]) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, String(decoding: parts[0], as: UTF8.self).lowercased() == "utf-8" else { return nil }
        return PercentCoding.text(parts[2])
    }
}
