/// The reason why a file is not accepted as a time zone.
package enum ZoneError: Error, Equatable, Sendable {
    /// It does not begin like TZif.
    case notTZif
    /// It ends before the length in its header.
    case truncated
    /// It is larger than any zone (`ZoneRules.maxOctets`).
    case tooLarge
    /// A count, an index, an offset or a moment that RFC 9636 §3.2 forbids; the text says which.
    case malformed(String)
    /// It counts leap seconds, which our instants do not have (`right/…`).
    case leapSeconds
    /// The TZ string at its end is unsupported.
    case badFooter
    /// The catalogue has no such zone.
    case unknownZone(String)
}

extension ZoneRules {
    /// The limit of a file in octets: the largest file of tzdata has 4 KiB; a hundred times that is not a zone.
    package static let maxOctets = 400_000

    /// Reads a TZif file of version 1 to 4 (later ones as 4, as RFC 9636 §3.1 requires).
    ///
    /// - Parameter octets: the whole file, untrusted.
    package init(tzif octets: [UInt8]) throws(ZoneError) {
        guard octets.count <= Self.maxOctets else { throw .tooLarge }
        var reader = TZifReader(octets: octets)
        var header = try reader.header()
        guard header.version != 0 else {
            self = try reader.rules(header, timeWidth: 4)
            return
        }
        // The first block is for readers of version 1; it may be empty or wrong.
        try reader.skip(header.octets(timeWidth: 4))
        header = try reader.header()
        self = try reader.rules(header, timeWidth: 8)
    }
}

/// The counts of a TZif header (RFC 9636 §3.1), unchecked: 0...2^32-1.
private struct TZifHeader {
    var version: UInt8
    var utIndicators: Int
    var standardIndicators: Int
    var leapSeconds: Int
    var transitions: Int
    var types: Int
    var characters: Int

    /// The width of the data block after the header.
    func octets(timeWidth: Int) -> Int {
        transitions * (timeWidth + 1) + types * 6 + characters + leapSeconds * (timeWidth + 4) + standardIndicators + utIndicators
    }
}

private struct TZifReader {
    let octets: [UInt8]
    var position = 0

    init(octets: [UInt8]) {
        self.octets = octets
    }

    mutating func skip(_ count: Int) throws(ZoneError) {
        guard count <= octets.count - position else { throw .truncated }
        position += count
    }

    mutating func octet() throws(ZoneError) -> UInt8 {
        guard position < octets.count else { throw .truncated }
        position += 1
        return octets[position - 1]
    }

    /// A big-endian integer of at most 8 octets.
    mutating func unsigned(width: Int) throws(ZoneError) -> UInt64 {
        guard width <= octets.count - position else { throw .truncated }
        var value: UInt64 = 0
        for index in position..<position + width { value = value << 8 | UInt64(octets[index]) }
        position += width
        return value
    }

    mutating func signed(width: Int) throws(ZoneError) -> Int {
        let value = try unsigned(width: width)
        return width == 4 ? Int(Int32(truncatingIfNeeded: value)) : Int(truncatingIfNeeded: value)
    }

    mutating func header() throws(ZoneError) -> TZifHeader {
        for expected in "TZif".utf8 {
            // A short file with a correct beginning is truncated; any other file is not TZif.
            guard try octet() == expected else { throw .notTZif }
        }
        let version = try octet()
        guard version == 0 || version >= UInt8(ascii: "2") else { throw .malformed("version") }
        try skip(15)
        return TZifHeader(
            version: version, utIndicators: try count(), standardIndicators: try count(), leapSeconds: try count(),
            transitions: try count(), types: try count(), characters: try count())
    }

    private mutating func count() throws(ZoneError) -> Int {
        Int(truncatingIfNeeded: try unsigned(width: 4))
    }

    /// The data block (RFC 9636 §3.2) and the footer (§3.3) if the version has one.
    mutating func rules(_ header: TZifHeader, timeWidth: Int) throws(ZoneError) -> ZoneRules {
        guard header.octets(timeWidth: timeWidth) <= octets.count - position else { throw .truncated }
        guard (1...256).contains(header.types) else { throw .malformed("number of types") }
        guard header.characters > 0 else { throw .malformed("number of characters") }
        guard header.utIndicators == 0 || header.utIndicators == header.types,
            header.standardIndicators == 0 || header.standardIndicators == header.types
        else { throw .malformed("number of indicators") }
        guard header.leapSeconds == 0 else { throw .leapSeconds }

        var transitions: [Int] = []
        transitions.reserveCapacity(header.transitions)
        for _ in 0..<header.transitions {
            let moment = try signed(width: timeWidth)
            // §3.2 allows nothing before -2^59, the age of the universe; the same limit forward keeps all sums within
            // 64 bits.
            guard moment.magnitude <= 1 << 59 else { throw .malformed("moment of a transition") }
            if let last = transitions.last, last >= moment { throw .malformed("order of transitions") }
            transitions.append(moment)
        }
        var typeIndices: [UInt8] = []
        typeIndices.reserveCapacity(header.transitions)
        for _ in 0..<header.transitions {
            let index = try octet()
            guard Int(index) < header.types else { throw .malformed("type of a transition") }
            typeIndices.append(index)
        }
        var records: [(offset: Int, name: Int)] = []
        for _ in 0..<header.types {
            let offset = try signed(width: 4)
            // §3.2: more than -25 hours, less than 26 hours.
            guard offset > -25 * 3600, offset < 26 * 3600 else { throw .malformed("offset") }
            guard try octet() <= 1 else { throw .malformed("mark of daylight time") }
            records.append((offset, Int(try octet())))
        }
        let characters = octets[position..<position + header.characters]
        try skip(header.characters)
        var types: [ZoneType] = []
        for record in records {
            guard record.name < header.characters,
                let end = characters[(characters.startIndex + record.name)...].firstIndex(of: 0)
            else { throw .malformed("designation") }
            let name = characters[(characters.startIndex + record.name)..<end]
            guard name.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .malformed("designation") }
            types.append(ZoneType(offset: record.offset, designation: String(decoding: name, as: UTF8.self)))
        }
        for _ in 0..<header.standardIndicators + header.utIndicators {
            guard try octet() <= 1 else { throw .malformed("indicator") }
        }
        return ZoneRules(
            transitions: transitions, typeIndices: typeIndices, types: types, footer: header.version == 0 ? nil : try footer())
    }

    /// The text between two line feeds; empty means that nothing is known (§3.3). The octets after it are for later
    /// versions.
    private mutating func footer() throws(ZoneError) -> ZoneFooter? {
        guard try octet() == 0x0A else { throw .badFooter }
        guard let end = octets[position...].firstIndex(of: 0x0A) else { throw .truncated }
        guard end > position else { return nil }
        guard let footer = ZoneFooter(Array(octets[position..<end])) else { throw .badFooter }
        return footer
    }
}
