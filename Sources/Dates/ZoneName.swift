/// The name of a time zone that is safe to use as a file name: `Europe/Warsaw`, `Etc/GMT+5`, `EST5EDT`.
///
/// Only the zone data shows whether there is such a zone.
package struct ZoneName: Hashable, Sendable {
    package let text: String

    /// The limit in octets; the longest current name has 32.
    package static let maxOctets = 64

    /// Fails with `nil` unless the name has 1...64 octets in parts between slashes, each a letter followed by letters,
    /// digits, `_`, `+`, `-`.
    ///
    /// Therefore no part is empty, `.` or `..`, and no name begins with a slash (tz "theory.html", "Names of
    /// timezones", requires only this). Not accepted: `posix/…` and `right/…`, copies of the same data, the latter with
    /// leap seconds; `posixrules` and `localtime`, whose meaning depends on the machine.
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
