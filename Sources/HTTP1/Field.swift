/// One field line: name in lower case, value without surrounding white space (RFC 9110 §5).
package struct Field: Equatable, Sendable {
    package var name: String
    /// UTF-8 if the octets are valid; otherwise each octet above 127 becomes the scalar of its number (RFC 9110 §5.5
    /// leaves them opaque).
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Fields in the order of arrival.
package struct HTTPFields: Equatable, Sendable {
    package var list: [Field]

    package init(_ list: [Field] = []) { self.list = list }

    /// The only value of `name` (lower case), or `nil` if the field is absent or repeated.
    package func only(_ name: String) -> String? {
        var found: String?
        for field in list where field.name == name {
            guard found == nil else { return nil }
            found = field.value
        }
        return found
    }

    /// Every value of `name` (lower case), in order.
    package func all(_ name: String) -> [String] {
        list.filter { $0.name == name }.map(\.value)
    }

    package func contains(_ name: String) -> Bool {
        list.contains { $0.name == name }
    }

    /// The members of a comma-separated list field, over all its lines (RFC 9110 §5.6.1), without the surrounding white
    /// space.
    ///
    /// Empty members are omitted, as that section requires of recipients. Only for fields whose members contain no
    /// quoted commas.
    package func members(_ name: String) -> [String] {
        all(name).flatMap { $0.utf8.split(separator: UInt8(ascii: ",")).map { Self.trimmed(String($0) ?? "") } }.filter { !$0.isEmpty }
    }

    /// Whether a list field contains `token`, ignoring case.
    package func hasToken(_ token: String, in name: String) -> Bool {
        members(name).contains { $0.lowercased() == token }
    }

    static func trimmed(_ text: String) -> String {
        let isSpace = { (octet: UInt8) in octet == 0x20 || octet == 0x09 }
        let body = text.utf8.drop(while: isSpace)
        let end = body.lastIndex { !isSpace($0) }
        guard let end else { return "" }
        return String(body[...end]) ?? ""
    }
}

/// Classes of octets (RFC 9110 §5.6.2, RFC 3986).
package enum Grammar {
    /// `tchar`: the octets of names, methods and tokens.
    package static func isTokenOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// A token: one or more `tchar`.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenOctet)
    }

    /// The octets of a host name: `unreserved` and `sub-delims` of RFC 3986 except the comma.
    static func isNameOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "$"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
