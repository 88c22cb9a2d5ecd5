/// The check that the beginning of a file matches its name: a renamed program is refused.
///
/// The check distinguishes formats; it does not prove that a file is intact. The server sends documents only as
/// attachments (see `deploy/THREATS.md`).
package enum FirstOctets {
    /// The number of octets examined: enough for some names in a ZIP, and for a NUL in a file that is not text.
    package static let count = 4_096

    /// - Parameters:
    ///   - octets: the first `count` of the file, or all of it.
    ///   - isWhole: whether these octets are the whole file.
    package static func agree(_ octets: some RandomAccessCollection<UInt8>, with kind: FileExtension, isWhole: Bool) -> Bool {
        let octets = Array(octets.prefix(count))
        switch kind {
        case .pdf: return isPDF(octets)
        case .mp4: return hasBox(octets, ["ftyp"])
        // QuickTime files from before 2005 have no `ftyp`.
        case .mov: return hasBox(octets, ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"])
        case .avi: return starts(octets, "RIFF") && starts(octets.dropFirst(8), "AVI ")
        case .doc, .xls: return octets.starts(with: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1])
        case .docx: return isPackage(octets, part: "word/", other: ["xl/", "ppt/"])
        case .xlsx: return isPackage(octets, part: "xl/", other: ["word/", "ppt/"])
        case .txt, .csv: return isText(octets, isWhole: isWhole)
        }
    }

    private static func starts(_ octets: some Collection<UInt8>, _ text: String) -> Bool { octets.starts(with: text.utf8) }

    /// `%PDF-` at the beginning (ISO 32000-1 §7.5.2), after at most a byte-order mark and white space, which some
    /// printer drivers write.
    private static func isPDF(_ octets: [UInt8]) -> Bool {
        let rest = octets.starts(with: [0xEF, 0xBB, 0xBF]) ? octets.dropFirst(3) : octets[...]
        return starts(rest.drop { [0x09, 0x0A, 0x0D, 0x20].contains($0) }, "%PDF-")
    }

    /// The first box of an ISO base media file (ISO 14496-12 §4.2): four octets of length, four letters.
    private static func hasBox(_ octets: [UInt8], _ names: [String]) -> Bool {
        guard octets.count >= 8 else { return false }
        let length = octets.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        // 1: the length follows as 64 bits; 0: the box is the rest of the file.
        guard length >= 8 || length <= 1 else { return false }
        return names.contains { starts(octets.dropFirst(4), $0) }
    }

    /// Whether the octets are a ZIP whose visible parts are those of an Office document (ECMA-376-2 §10.2).
    private static func isPackage(_ octets: [UInt8], part: String, other: [String]) -> Bool {
        let names = zipNames(octets)
        guard let first = names.first else { return false }
        let known = [part, "[Content_Types].xml", "_rels/", "docProps/", "customXml/"]
        guard known.contains(where: { first.starts(with: $0.utf8) }) else { return false }
        return !names.contains { name in other.contains { name.starts(with: $0.utf8) } }
    }

    /// The names in the local headers that can be followed (APPNOTE 4.3.7): up to the first header whose length comes
    /// after its data.
    private static func zipNames(_ octets: [UInt8]) -> [[UInt8]] {
        var names: [[UInt8]] = []
        var start = 0
        while octets.count - start >= 30, octets[start...].starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            func number(_ offset: Int, _ width: Int) -> Int {
                (0..<width).reduce(0) { $0 | Int(octets[start + offset + $1]) << (8 * $1) }
            }
            let nameEnd = start + 30 + number(26, 2)
            guard nameEnd <= octets.count else { break }
            names.append(Array(octets[start + 30..<nameEnd]))
            guard number(6, 2) & 8 == 0 else { break }
            let next = nameEnd + number(28, 2) + number(18, 4)
            guard next < octets.count else { break }
            start = next
        }
        return names
    }

    /// Whether the octets are text: UTF-8, or one octet per letter as older systems write; without NUL, control octets
    /// and script markers.
    private static func isText(_ octets: [UInt8], isWhole: Bool) -> Bool {
        guard !starts(octets, "#!"), !starts(octets, "<?php") else { return false }
        // Tab, line feed, form feed, carriage return; and CP/M's end-of-file mark, which spreadsheets still read.
        let allowed: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x1A]
        guard octets.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || allowed.contains($0) }) else { return false }
        // The last visible letter may be cut.
        for cut in 0...(isWhole ? 0 : min(3, octets.count)) where String(validating: octets.dropLast(cut), as: UTF8.self) != nil { return true }
        // Latin text: a file with more octets above 127 than below has another encoding, or is not text.
        return octets.count(where: { $0 >= 0x80 }) * 2 <= octets.count
    }
}
