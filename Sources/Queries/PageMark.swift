internal import Bytes
internal import Crypto
internal import Dates
package import Family

/// Where a page ended: the place of its last record, for programs an opaque word.
///
/// Version 1, SHA-256 of the query (first 8 octets), the two numbers (8 each), the id (16), the length of the text (2), the text, the name;
/// base64url. The place is what the last record was sorted by, not the record, so that the next page begins right even when that one
/// was deleted or moved. The hash keeps a mark from being used with another list: the answer would be neither of the two.
package enum PageMark {
    private static let version: UInt8 = 1
    private static let hashOctets = 8
    private static let headOctets = 1 + hashOctets + 16 + 16 + 2
    /// Octets of a mark at most, two names and the head in base64.
    package static let maxOctets = ((headOctets + 2 * ListKeys.orderedNameOctets) * 4 + 2) / 3

    package static func text(_ place: Place, _ query: Query) -> String {
        var octets: [UInt8] = [version]
        octets += hash(query)
        BigEndian.append(UInt64(bitPattern: place.first), to: &octets)
        BigEndian.append(UInt64(bitPattern: place.second), to: &octets)
        BigEndian.append(place.id.high, to: &octets)
        BigEndian.append(place.id.low, to: &octets)
        BigEndian.append(UInt16(truncatingIfNeeded: place.text.count), to: &octets)
        octets += place.text
        octets += place.name
        return Base64.encode(octets, .urlSafe)
    }

    /// - Throws: `invalid` for what is no mark of this query.
    package static func place(_ text: String, _ query: Query) throws(Rejection) -> Place {
        guard let place = read(text, query) else {
            throw Rejection(
                .invalid, "This page mark does not belong to this list: begin at its first page", kind: query.kind, field: "before")
        }
        return place
    }

    private static func read(_ text: String, _ query: Query) -> Place? {
        guard text.utf8.count <= maxOctets, let octets = Base64.decode(text, .urlSafe), octets.count >= headOctets, octets[0] == version,
            Array(octets[1..<1 + hashOctets]) == hash(query)
        else { return nil }
        let span = octets.span
        let start = 1 + hashOctets
        guard let first = BigEndian.load64(span, at: start), let second = BigEndian.load64(span, at: start + 8),
            let high = BigEndian.load64(span, at: start + 16), let low = BigEndian.load64(span, at: start + 24),
            let length = BigEndian.load16(span, at: start + 32)
        else { return nil }
        let rest = octets[headOctets...]
        guard Int(length) <= rest.count, Int(length) <= ListKeys.orderedNameOctets,
            rest.count - Int(length) <= ListKeys.orderedNameOctets
        else { return nil }
        return Place(
            text: rest.prefix(Int(length)), first: Int64(bitPattern: first), second: Int64(bitPattern: second),
            name: rest.dropFirst(Int(length)), id: Identifier(high: high, low: low))
    }

    /// Of all that decides what is in the list and in which order.
    private static func hash(_ query: Query) -> [UInt8] {
        var words = ["huddle list", "\(query.kind.name)", query.athlete?.description ?? "", query.sort.rawValue, "\(query.isDeleted)"]
        let filter = query.filter
        words.append(filter.types.joined(separator: ","))
        words += [filter.status?.rawValue, filter.date?.rawValue].map { $0 ?? "" }
        words += [filter.school, filter.coach, filter.event, filter.trip, filter.about].map { $0?.description ?? "" }
        words += [filter.from, filter.to, filter.day].map { $0?.description ?? "" }
        words += [filter.itinerary, filter.shared, filter.current].map { $0.map(String.init) ?? "" }
        // Last, because it alone may hold a line feed.
        words.append(query.search)
        return Array(Digest.sha256(Array(words.joined(separator: "\n").utf8)).prefix(hashOctets))
    }
}
