/// The identifier of one state of a resource (RFC 9110 §8.8.3): `"abc"`, or weakly `W/"abc"`.
package struct EntityTag: Hashable, Sendable {
    package let isWeak: Bool
    /// The text between the quotes.
    package let opaque: String

    /// - Parameter opaque: octets that are allowed between the quotes; checked.
    package init(_ opaque: String, isWeak: Bool = false) {
        precondition(opaque.utf8.allSatisfy(Self.isTagOctet), "an entity tag has neither quotes nor spaces in it")
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// The tag as in a field.
    package var text: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }

    /// Whether both tags are strong and equal (§8.8.3.2): the content is identical octet for octet.
    package func isStronglyEqual(to other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// Whether the tags are equal, strong or weak: the contents are equivalent.
    package func isWeaklyEqual(to other: EntityTag) -> Bool { opaque == other.opaque }

    static func isTagOctet(_ octet: UInt8) -> Bool { octet >= 0x21 && octet != 0x22 && octet != 0x7F }

    /// Reads a field that is exactly one tag.
    static func only(_ text: String) -> EntityTag? {
        guard case .tags(let tags)? = EntityTagList(text), tags.count == 1 else { return nil }
        return tags[0]
    }
}

/// `If-Match` and `If-None-Match`: `*`, or tags.
package enum EntityTagList: Equatable, Sendable {
    case any
    case tags([EntityTag])

    /// Fails if the text is neither. Commas may be part of a tag, so lines are only joined, not split.
    package init?(_ text: String) {
        let octets = Array(text.utf8)
        var index = 0
        func skip() {
            while index < octets.count, octets[index] == 0x20 || octets[index] == 0x09 { index += 1 }
        }
        skip()
        if octets[index...].elementsEqual([UInt8(ascii: "*")]) {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        while true {
            skip()
            if index < octets.count, octets[index] != UInt8(ascii: ",") {
                let isWeak = octets[index...].starts(with: "W/".utf8)
                if isWeak { index += 2 }
                guard index < octets.count, octets[index] == 0x22 else { return nil }
                let start = index + 1
                let end = octets[start...].firstIndex { !EntityTag.isTagOctet($0) } ?? octets.count
                guard end < octets.count, octets[end] == 0x22 else { return nil }
                tags.append(EntityTag(String(decoding: octets[start..<end], as: UTF8.self), isWeak: isWeak))
                index = end + 1
                skip()
            }
            guard index < octets.count else { break }
            guard octets[index] == UInt8(ascii: ",") else { return nil }
            index += 1
        }
        guard !tags.isEmpty else { return nil }
        self = .tags(tags)
    }
}
