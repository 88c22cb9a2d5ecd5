/// Sizes for people, everywhere in the same words: 1 MB is 1,048,576 octets, as in the limit of 100 MB.
package enum ByteCount {
    /// "950 B", "1.2 MB", "100 MB": to a tenth below a hundred, rounded.
    package static func text(_ octets: Int64) -> String {
        guard octets >= 1_024 else { return "\(max(0, octets)) B" }
        var value = Double(octets)
        var unit = ""
        for next in ["KB", "MB", "GB", "TB"] {
            value /= 1_024
            unit = next
            if value < 1_023.95 { break }
        }
        let tenths = Int((value * 10).rounded())
        return value < 99.95 && tenths % 10 != 0 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\((tenths + 5) / 10) \(unit)"
    }
}
