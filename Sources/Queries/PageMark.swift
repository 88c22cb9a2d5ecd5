internal import Bytes
internal import Crypto
internal import Dates
package import Family

/// The end of a page: the position of its last record, opaque to clients.
///
/// Version 1, SHA-256 of the query (first 8 octets), the two numbers (8 each), the id (16), the length of the text (2),
/// the text, the name; base64url. The position is the sort key of the last record, not the record itself, so that the
/// next page begins correctly even if that record was deleted or moved. The hash prevents the use of a mark with
/// another list, whose result would belong to neither of the two.
package enum PageMark {
    private static let version: UInt8 = 1
    private static let hashOctets = 8
    private static let headOctets = 1 + hashOctets + 16 + 16 + 2
    /// The largest mark in octets: two names and the head in base64.
    package static let maxOctets = ((headOctets + 2 * ListKeys.orderedNameOctets) * 4 + 2) / 3

    package static func text(_ place: OrderKey, _ query: Query) -> String {
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

    /// - Throws: `invalid` for a text that is not a mark of this query.
    package static func place(_ text: String, _ query: Query) throws(Rejection) -> OrderKey {
        guard let place = read(text, query) else {
            throw Rejection(
                .invalid, "This page mark does not belong to this list: begin at its first page", kind: query.kind, field: "before")
        }
        return place
    }

    private static func read(_ text: String, _ query: Query) -> OrderKey? {
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
        return OrderKey(
            text: rest.prefix(Int(length)), first: Int64(bitPattern: first), second: Int64(bitPattern: second),
            name: rest.dropFirst(Int(length)), id: Identifier(high: high, low: low))
    }

    /// A hash of all values that decide the content and the order of the list.
    private static func hash(_ query: Query) -> [UInt8] {
        var words = ["huddle list", "\(query.kind.name)", query.athlete?.description ?? "", query.sort.rawValue, "\(query.isDeleted)"]
        let filter = query.filter
        words.append(filter.types.joined(separator: ","))
        words += [filter.status?.rawValue, filter.date?.rawValue].map { $0 ?? "" }
        words += [filter.school, filter.coach, filter.event, filter.trip, filter.about].map { $0?.description ?? "" }
        words += [filter.from, filter.to, filter.day].map { $0?.description ?? "" }
        words += [filter.itinerary, filter.shared, filter.current].map { $0.map(String.init) ?? "" }
        // The search comes last, because only it may contain a line feed.
        words.append(query.search)
        return Array(Digest.sha256(Array(words.joined(separator: "\n").utf8)).prefix(hashOctets))
    }
}
