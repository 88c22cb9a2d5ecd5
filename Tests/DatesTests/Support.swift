import Dates
import Glibc

/// The octets of a zone in `ZoneFiles`.
func zoneFile(_ name: String) throws -> [UInt8] {
    struct NoSuchZone: Error {}
    guard let hex = ZoneFiles.hex[name] else { throw NoSuchZone() }
    let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// A file of the machine, `nil` if it cannot be read.
func file(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = read(descriptor, &block, block.count)
        guard count >= 0 else { return nil }
        guard count > 0 else { return octets }
        octets += block[..<count]
    }
}

/// A TZif file built by hand (RFC 9636 §3), each part free to be wrong.
struct TZifFile {
    var version: UInt8 = UInt8(ascii: "2")
    var transitions: [(moment: Int64, type: UInt8)] = []
    var types: [(offset: Int32, isDaylight: UInt8, name: UInt8)] = [(0, 0, 0)]
    var characters: [UInt8] = Array("UTC\0".utf8)
    var leapSeconds = 0
    var standardIndicators: [UInt8] = []
    var utIndicators: [UInt8] = []
    var footer: [UInt8] = Array("\n\n".utf8)

    var octets: [UInt8] {
        if version == 0 { return block(width: 4) }
        var empty = TZifFile()
        empty.version = version
        return empty.block(width: 4) + block(width: 8) + footer
    }

    func block(width: Int) -> [UInt8] {
        func bigEndian(_ value: Int64, _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
        }
        var octets = Array("TZif".utf8) + [version] + Array(repeating: 0, count: 15)
        for count in [utIndicators.count, standardIndicators.count, leapSeconds, transitions.count, types.count, characters.count] {
            octets += bigEndian(Int64(count), 4)
        }
        for transition in transitions { octets += bigEndian(transition.moment, width) }
        octets += transitions.map(\.type)
        for type in types { octets += bigEndian(Int64(type.offset), 4) + [type.isDaylight, type.name] }
        octets += characters
        octets += Array(repeating: 0, count: leapSeconds * (width + 4))
        return octets + standardIndicators + utIndicators
    }

    /// A file with only a TZ string.
    static func footer(_ text: String) -> [UInt8] {
        var file = TZifFile()
        file.footer = Array("\n\(text)\n".utf8)
        return file.octets
    }
}

/// The error with which a file is refused, `nil` if it is accepted.
func refusal(_ octets: [UInt8]) -> ZoneError? {
    do throws(ZoneError) {
        _ = try ZoneRules(tzif: octets)
        return nil
    } catch {
        return error
    }
}
