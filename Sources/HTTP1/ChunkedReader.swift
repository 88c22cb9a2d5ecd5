/// Reads chunked content without storing any of it (RFC 9112 §7.1): a state and a few numbers, regardless of how the
/// octets are cut.
///
/// Extensions and trailers are checked and dropped (§7.1.1, §7.1.2 allow it): no code here uses them.
struct ChunkedReader: Equatable, Sendable {
    /// The octets of extensions in all chunks together. Only a peer that wants to cause work with little content sends
    /// any.
    static let maxExtensions = 4_096
    /// The octets of the trailer section.
    static let maxTrailers = 4_096

    private enum State: Equatable {
        /// Before the first digit of the size, and within the size.
        case size, digits
        /// In white space after the size, which only an extension may follow.
        case afterSize
        /// In `;name="value"`.
        case beforeName, name, afterName, beforeValue, value, quoted, quotedPair, afterValue
        case sizeLineFeed
        case content(left: Int)
        case contentReturn, contentLineFeed
        /// At the start of a trailer line, and within a line.
        case trailerStart, trailerName, trailerValue, trailerLineFeed
        case lastLineFeed
        case ended
    }

    private var state = State.size
    private var size = 0
    private var digitCount = 0
    private var extensionOctets = 0
    private var trailerOctets = 0

    /// Sixteen digits hold any size; further digits could only be zeros.
    private static let maxDigits = 16

    /// Reads from the front of `octets` to the end of the first piece of content, of the whole content, or of the
    /// octets.
    ///
    /// - Throws: `.chunk`; `.fieldsTooLarge` for the trailers; `.foldedField`, `.fieldName`, `.controlOctet` in them.
    mutating func read(_ octets: Span<UInt8>) throws(HTTPError) -> ContentPiece {
        var index = 0
        while index < octets.count {
            if case .content(let left) = state {
                let end = index + min(left, octets.count - index)
                state = end - index == left ? .contentReturn : .content(left: left - (end - index))
                return ContentPiece(consumed: end, content: index..<end, isEnd: false)
            }
            try step(octets[index])
            index += 1
            if state == .ended { return ContentPiece(consumed: index, content: index..<index, isEnd: true) }
        }
        return ContentPiece(consumed: index, content: index..<index, isEnd: false)
    }

    private mutating func step(_ octet: UInt8) throws(HTTPError) {
        switch state {
        case .size, .digits: try stepSize(octet)
        case .afterSize, .beforeName, .name, .afterName, .beforeValue, .value, .quoted, .quotedPair, .afterValue:
            extensionOctets += 1
            guard extensionOctets <= Self.maxExtensions else { throw .chunk }
            state = try afterExtension(octet)
        case .sizeLineFeed:
            guard octet == 0x0A else { throw .chunk }
            state = size == 0 ? .trailerStart : .content(left: size)
            size = 0
            digitCount = 0
        // Unreachable: `read` takes content in pieces, and nothing follows the end.
        case .content, .ended: break
        case .contentReturn:
            guard octet == 0x0D else { throw .chunk }
            state = .contentLineFeed
        case .contentLineFeed:
            guard octet == 0x0A else { throw .chunk }
            state = .size
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed: try stepTrailer(octet)
        case .lastLineFeed:
            guard octet == 0x0A else { throw .controlOctet }
            state = .ended
        }
    }

    private mutating func stepSize(_ octet: UInt8) throws(HTTPError) {
        if let digit = HeadLines.hexDigit(octet) {
            digitCount += 1
            let (shifted, over) = size.multipliedReportingOverflow(by: 16)
            guard digitCount <= Self.maxDigits, !over else { throw .chunk }
            // The last four bits of `shifted` are zero.
            size = shifted | digit
            state = .digits
            return
        }
        guard state == .digits else { throw .chunk }
        switch octet {
        case 0x0D: state = .sizeLineFeed
        case 0x20, 0x09: state = .afterSize
        case UInt8(ascii: ";"): state = .beforeName
        default: throw .chunk
        }
    }

    /// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )` (§7.1.1).
    private func afterExtension(_ octet: UInt8) throws(HTTPError) -> State {
        let isSpace = octet == 0x20 || octet == 0x09
        let isToken = Grammar.isTokenOctet(octet)
        switch state {
        case .quoted:
            if octet == UInt8(ascii: "\"") { return .afterValue }
            if octet == UInt8(ascii: "\\") { return .quotedPair }
            if octet >= 0x20 && octet != 0x7F || octet == 0x09 { return .quoted }
        case .quotedPair: if octet >= 0x20 && octet != 0x7F || octet == 0x09 { return .quoted }
        case .beforeName:
            if isSpace { return .beforeName }
            if isToken { return .name }
        case .beforeValue:
            if isSpace { return .beforeValue }
            if isToken { return .value }
            if octet == UInt8(ascii: "\"") { return .quoted }
        default:
            if octet == UInt8(ascii: ";") { return .beforeName }
            if octet == UInt8(ascii: "="), state == .name || state == .afterName { return .beforeValue }
            if isToken, state == .name || state == .value { return state }
            if isSpace { return state == .afterSize ? .afterSize : state == .name || state == .afterName ? .afterName : .afterValue }
            if octet == 0x0D, state == .name || state == .value || state == .afterValue { return .sizeLineFeed }
        }
        throw .chunk
    }

    private mutating func stepTrailer(_ octet: UInt8) throws(HTTPError) {
        trailerOctets += 1
        guard trailerOctets <= Self.maxTrailers else { throw .fieldsTooLarge }
        switch state {
        case .trailerStart where octet == 0x0D: state = .lastLineFeed
        case .trailerStart where octet == 0x20 || octet == 0x09: throw .foldedField
        case .trailerStart:
            guard Grammar.isTokenOctet(octet) else { throw .fieldName }
            state = .trailerName
        case .trailerName:
            if octet == UInt8(ascii: ":") {
                state = .trailerValue
            } else if !Grammar.isTokenOctet(octet) {
                throw .fieldName
            }
        case .trailerLineFeed:
            guard octet == 0x0A else { throw .controlOctet }
            state = .trailerStart
        default:
            if octet == 0x0D {
                state = .trailerLineFeed
            } else if octet < 0x20 && octet != 0x09 || octet == 0x7F {
                throw .controlOctet
            }
        }
    }
}
