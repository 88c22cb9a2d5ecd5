/// A part of a message's content within the given octets.
package struct ContentPiece: Equatable, Sendable {
    /// The number of octets at the front that were processed: content and its framing.
    package var consumed: Int
    /// The range of the content in them; may be empty.
    package var content: Range<Int>
    /// Whether the content is complete. The octets after it belong to the next message.
    package var isEnd: Bool
}

/// Finds the content of one message in the octets after its head, and stores none of it (RFC 9112 §6).
package struct ContentReader: Equatable, Sendable {
    private enum State: Equatable {
        case length(left: Int)
        case chunked(ChunkedReader)
        case toTheEnd
    }

    private var state: State
    /// The octets of content so far.
    package private(set) var count = 0
    /// The largest number of octets of content.
    private var limit: Int

    /// - Parameters:
    ///   - limit: the largest number of octets of content.
    ///   - untilEnd: for a response without framing: the content ends with the stream (§6.3 item 8).
    /// - Throws: `.contentTooLarge` if the length is known and above `limit`.
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

    /// The octets that are certainly still to come; `nil` if unknown.
    package var left: Int? {
        if case .length(let left) = state { left } else { nil }
    }

    /// Counts octets of content that the caller took without `read`.
    ///
    /// - Parameter octets: at most `left`, which has to be known.
    mutating func skip(_ octets: Int) {
        guard case .length(let left) = state, octets <= left else { preconditionFailure("only content that is certain is skipped") }
        state = .length(left: left - octets)
        count += octets
    }

    /// Limits the remaining octets of content.
    ///
    /// - Throws: `.contentTooLarge` if more are known to come.
    package mutating func limit(to more: Int) throws(HTTPError) {
        guard (left ?? 0) <= more else { throw .contentTooLarge }
        limit = count.addingReportingOverflow(more).overflow ? Int.max : count + more
    }

    /// Reads the next piece. Call it again with the octets after `consumed` until that is 0 or `isEnd` is true.
    ///
    /// - Throws: `.contentTooLarge`, or the error in the chunks. Nothing more can be read then.
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
