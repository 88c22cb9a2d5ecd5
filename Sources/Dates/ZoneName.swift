/// The name of a time zone that is safe to look up as a file: `Europe/Warsaw`, `Etc/GMT+5`, `EST5EDT`.
///
/// Whether there is such a zone, only the zone data can tell.
package struct ZoneName: Hashable, Sendable {
    package let text: String

    /// The longest name today has 32 octets.
    package static let maxOctets = 64

    /// `nil` unless the name is of 1...64 octets in parts between slashes, each a letter followed by letters, digits, `_`, `+`, `-`.
    ///
    /// So no part is empty, `.` or `..`, and no name begins with a slash (tz "theory.html", "Names of timezones", asks for no
    /// more than this). Not names: `posix/…` and `right/…`, copies of the same data, the latter counting leap seconds;
    /// `posixrules` and `localtime`, whose meaning is the machine's.
    package init?(_ text: String) {
        guard (1...Self.maxOctets).contains(text.utf8.count) else { return nil }
        var isFirst = true
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                isFirst = false
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
                guard !isFirst else { return nil }
            case UInt8(ascii: "/"):
                guard !isFirst else { return nil }
                isFirst = true
            default:
                return nil
            }
        }
        guard !isFirst, !text.hasPrefix("posix/"), !text.hasPrefix("right/"), text != "posixrules", text != "localtime"
        else { return nil }
        self.text = text
    }
}

extension ZoneName: CustomStringConvertible {
    package var description: String { text }
}
