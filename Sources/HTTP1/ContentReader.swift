/// Some octets of a message's content within the octets that were given.
package struct ContentPiece: Equatable, Sendable {
    /// Octets at the front that are done with: content, and what frames it.
    package var consumed: Int
    /// Where in them the content is; may be empty.
    package var content: Range<Int>
    /// The content is whole. What follows belongs to the next message.
    package var isEnd: Bool
}

/// Finds the content of one message in the octets that follow its head, and keeps nothing of it (RFC 9112 §6).
package struct ContentReader: Equatable, Sendable {
    private enum State: Equatable {
        case length(left: Int)
        case chunked(ChunkedReader)
        case toTheEnd
    }

    private var state: State
    /// Octets of content so far.
    package private(set) var count = 0
    /// The most content there may be.
    private var limit: Int

    /// - Parameters:
    ///   - limit: octets of content.
    ///   - untilEnd: of a response that says nothing: the content ends with the stream (§6.3 item 8).
    /// - Throws: `.contentTooLarge` when the length is known and above `limit`.
    package init(_ framing: Framing, limit: Int, untilEnd: Bool = false) throws(HTTPError) {
        self.limit = limit
        switch framing {
        case .none: state = untilEnd ? .toTheEnd : .length(left: 0)
        case .length(let length):
            guard length <= limit else { throw .contentTooLarge }
            state = .length(left: length)
        case .chunked: state = .chunked(ChunkedReader())
        }
    }

    /// Octets that are certainly still to come; `nil` when nobody knows.
    package var left: Int? {
        if case .length(let left) = state { left } else { nil }
    }

    /// Counts octets of content that were taken without `read`.
    ///
    /// - Parameter octets: no more than are `left`, which has to be known.
    mutating func skip(_ octets: Int) {
        guard case .length(let left) = state, octets <= left else { preconditionFailure("only content that is certain is skipped") }
        state = .length(left: left - octets)
        count += octets
    }

    /// Takes at most so many octets of content from here on.
    ///
    /// - Throws: `.contentTooLarge` when it is known that more will come.
    package mutating func limit(to more: Int) throws(HTTPError) {
        guard (left ?? 0) <= more else { throw .contentTooLarge }
        limit = count.addingReportingOverflow(more).overflow ? Int.max : count + more
    }

    /// Reads the next piece. Call it again with what follows `consumed` until that is 0 or `isEnd`.
    ///
    /// - Throws: `.contentTooLarge`, or what is wrong with the chunks. Nothing more can be read then.
    package mutating func read(_ octets: Span<UInt8>) throws(HTTPError) -> ContentPiece {
        let piece: ContentPiece
        switch state {
        case .length(let left):
            let end = min(left, octets.count)
            state = .length(left: left - end)
            piece = ContentPiece(consumed: end, content: 0..<end, isEnd: end == left)
        case .chunked(var reader):
            piece = try reader.read(octets)
            state = .chunked(reader)
        case .toTheEnd:
            piece = ContentPiece(consumed: octets.count, content: 0..<octets.count, isEnd: false)
        }
        guard piece.content.count <= limit - count else { throw .contentTooLarge }
        count += piece.content.count
        return piece
    }
}
