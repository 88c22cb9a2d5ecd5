/// The block before each file of a tar archive: its name, size and time.
///
/// Only plain files: the subset that GNU tar, bsdtar and Python all read and write in the same way. `decode` takes names
/// of at most 100 octets and sizes below 8 GiB, as family archives have them; `encode` also writes longer paths and
/// larger files, for backups.
///
/// Source: POSIX.1-2017, pax, "ustar Interchange Format"; sizes of 8 GiB and more as GNU tar's manual, "Basic Tar Format",
/// has them.
package struct TarHeader: Equatable, Sendable {
    /// The octets of a header; a file's content is padded to a multiple of them.
    package static let block = 512
    /// The largest size in eleven octal digits, and the largest that `decode` takes: 8 GiB less one octet.
    package static let maxSize = 1 << 33 - 1

    /// The name: UTF-8, not empty, with at most 100 octets after its last slash among the first 156, or 100 in all.
    package var name: String
    /// Octets of the content.
    package var size: Int
    /// Seconds since 1970.
    package var modified: Int64

    package init(name: String, size: Int, modified: Int64) {
        self.name = name
        self.size = size
        self.modified = modified
    }

    /// The number of zero octets after a content of this size.
    package var padding: Int { (Self.block - size % Self.block) % Self.block }

    /// The 512 octets; owner 0, mode 0600.
    package func encode() -> [UInt8] {
        guard size >= 0, let (prefix, name) = parts else { preconditionFailure("no header says this") }
        var octets = [UInt8](repeating: 0, count: Self.block)
        func put(_ text: String, _ field: Range<Int>) { octets.replaceSubrange(field.lowerBound..<field.lowerBound + text.utf8.count, with: text.utf8) }
        put(name, Field.name)
        put(prefix, Field.prefix)
        put("0000600", Field.mode)
        put("0000000", Field.user)
        put("0000000", Field.group)
        if size <= Self.maxSize {
            put(Self.octal(Int64(size), digits: 11), Field.size)
        } else {
            // The first bit says that the number follows in binary.
            octets[Field.size.lowerBound] = 0x80
            for place in 0..<8 { octets[Field.size.upperBound - 1 - place] = UInt8(truncatingIfNeeded: size >> (8 * place)) }
        }
        put(Self.octal(min(max(modified, 0), 1 << 33 - 1), digits: 11), Field.modified)
        put("0", Field.type)
        put("ustar", Field.magic)
        put("00", Field.version)
        put(Self.octal(Self.checksum(octets), digits: 6), Field.checksum)
        octets[Field.checksum.upperBound - 1] = UInt8(ascii: " ")
        return octets
    }

    /// Reads one block.
    ///
    /// - Parameter octets: exactly 512.
    /// - Returns: `nil` for a block of zeros, which ends an archive.
    /// - Throws: `.damaged` if the block is not a header, `.unsupported` for anything except a plain file.
    package static func decode(_ octets: [UInt8]) throws(TarError) -> TarHeader? {
        precondition(octets.count == block, "a header is \(block) octets")
        if octets.allSatisfy({ $0 == 0 }) { return nil }
        guard octets[Field.magic].starts(with: "ustar".utf8), let sum = number(octets[Field.checksum]), sum == checksum(octets),
            let size = number(octets[Field.size]), let modified = number(octets[Field.modified])
        else { throw .damaged }
        let type = octets[Field.type.lowerBound]
        // GNU and pax use entries of other types for long names and the like; ours have none.
        guard type == UInt8(ascii: "0") || type == 0, octets[Field.prefix.lowerBound] == 0 else { throw .unsupported }
        let name = octets[Field.name].prefix { $0 != 0 }
        guard !name.isEmpty, let text = String(validating: name, as: UTF8.self) else { throw .damaged }
        return TarHeader(name: text, size: Int(size), modified: modified)
    }

    /// The name in two fields, which readers join with a slash; `nil` if it does not fit.
    private var parts: (prefix: String, name: String)? {
        if (1...Field.name.count).contains(name.utf8.count) { return ("", name) }
        guard let slash = name.utf8.prefix(Field.prefix.count + 1).lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let rest = name[name.utf8.index(after: slash)...]
        return (1...Field.name.count).contains(rest.utf8.count) ? (String(name[..<slash]), String(rest)) : nil
    }

    private enum Field {
        static let name = 0..<100
        static let mode = 100..<108
        static let user = 108..<116
        static let group = 116..<124
        static let size = 124..<136
        static let modified = 136..<148
        static let checksum = 148..<156
        static let type = 156..<157
        static let magic = 257..<262
        static let version = 263..<265
        static let prefix = 345..<500
    }

    /// The sum of all octets, with blanks in place of the checksum field itself.
    private static func checksum(_ octets: [UInt8]) -> Int64 {
        var sum: Int64 = 0
        for (place, octet) in octets.enumerated() { sum += Field.checksum.contains(place) ? 32 : Int64(octet) }
        return sum
    }

    private static func octal(_ value: Int64, digits: Int) -> String {
        let text = String(value, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// The value of octal digits, with blanks around them and zeros after them; `nil` for anything else.
    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        let blank: (UInt8) -> Bool = { $0 == 0 || $0 == UInt8(ascii: " ") }
        let digits = field.drop(while: { $0 == UInt8(ascii: " ") }).prefix { !blank($0) }
        guard !digits.isEmpty, field[digits.endIndex...].allSatisfy(blank) else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { return nil }
            // A field has at most twelve digits, 36 bits.
            value = value << 3 | Int64(digit - UInt8(ascii: "0"))
        }
        return value
    }
}

/// The reason why a block is not a header that this program reads.
package enum TarError: Error, Equatable, Sendable {
    /// The file is not a tar archive, or its octets have changed.
    case damaged
    /// A link, a folder, a long name: an entry that `TarHeader` never writes.
    case unsupported
}
