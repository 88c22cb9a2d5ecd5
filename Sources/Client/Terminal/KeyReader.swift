/// What somebody did on a keyboard.
package enum Key: Hashable, Sendable {
    case text(String)
    /// Text that was pasted in one go (bracketed paste); may hold line feeds.
    case paste(String)
    case enter
    case backspace, delete
    case left, right, home, end, up, down
    case wordLeft, wordRight
    case killToEnd, killToStart, killWord
    case clearScreen
    case interrupt, endOfFile, suspend
    case tab
}

/// Turns what a terminal sends, cut anywhere, into keys.
///
/// Source: ECMA-48 §5.4 (control sequences), xterm's control sequences (bracketed paste).
package struct KeyReader: Sendable {
    /// Octets of one paste that are taken; what is beyond is dropped. Four times the longest message.
    package static let pasteLimit = 65_536
    /// Longest control sequence; longer ones are none.
    private static let sequenceLimit = 64

    private var pending: [UInt8] = []
    private var pasted: [UInt8]?

    package init() {}

    /// The keys that are complete now. An escape key by itself waits for what comes next.
    package mutating func feed(_ octets: some Sequence<UInt8>) -> [Key] {
        pending += octets
        var keys: [Key] = []
        var text: [UInt8] = []
        var index = 0
        func flush(_ keys: inout [Key], _ text: inout [UInt8]) {
            if !text.isEmpty { keys.append(.text(String(decoding: text, as: UTF8.self))) }
            text = []
        }
        while index < pending.count {
            if pasted != nil {
                guard let end = takePaste(&index) else { break }
                keys.append(.paste(end))
                continue
            }
            let octet = pending[index]
            if octet >= 0x20, octet != 0x7F {
                let length = Self.length(octet)
                // Half a character waits for its other half.
                if index + length > pending.count, !pending[(index + 1)...].contains(where: { $0 & 0xC0 != 0x80 }) { break }
                text += pending[index..<min(index + length, pending.count)]
                index += length
                continue
            }
            flush(&keys, &text)
            if octet == 0x1B {
                guard let (key, length) = escape(index) else { break }
                index += length
                if case .paste = key { pasted = [] } else if let key { keys.append(key) }
            } else {
                index += 1
                if let key = Self.control(octet) { keys.append(key) }
            }
        }
        flush(&keys, &text)
        pending.removeFirst(min(index, pending.count))
        return keys
    }

    /// Collects pasted octets until the end mark; answers the text when that is there.
    private mutating func takePaste(_ index: inout Int) -> String? {
        let mark: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]
        while index < pending.count {
            if pending[index] == 0x1B {
                let rest = pending[index...].prefix(mark.count)
                if rest.elementsEqual(mark) {
                    index += mark.count
                    defer { pasted = nil }
                    return String(decoding: pasted ?? [], as: UTF8.self).onlyLinesAndText
                }
                if rest.count < mark.count, mark.starts(with: rest) { return nil }
            }
            if (pasted?.count ?? 0) < Self.pasteLimit { pasted?.append(pending[index]) }
            index += 1
        }
        return nil
    }

    /// The key of an escape sequence at `start` and its length; `nil` when more octets are needed. A key of `nil` is passed over.
    private func escape(_ start: Int) -> (Key?, Int)? {
        guard start + 1 < pending.count else { return nil }
        switch pending[start + 1] {
        case UInt8(ascii: "["):
            var index = start + 2
            while index < pending.count, !(0x40...0x7E).contains(pending[index]) {
                // A control character within is the next key, and this was no sequence.
                if pending[index] < 0x20 || index - start > Self.sequenceLimit { return (nil, index - start) }
                index += 1
            }
            guard index < pending.count else { return nil }
            let parameters = String(decoding: pending[(start + 2)..<index], as: UTF8.self)
            return (Self.sequence(parameters, pending[index]), index - start + 1)
        case UInt8(ascii: "O"):
            guard start + 2 < pending.count else { return nil }
            return (Self.sequence("", pending[start + 2]), 3)
        case UInt8(ascii: "b"): return (.wordLeft, 2)
        case UInt8(ascii: "f"): return (.wordRight, 2)
        case 0x7F: return (.killWord, 2)
        case 0x1B: return (nil, 1)
        default: return (nil, 2)
        }
    }

    private static func sequence(_ parameters: String, _ final: UInt8) -> Key? {
        let moved = parameters.hasSuffix(";5") || parameters.hasSuffix(";3")
        switch final {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return moved ? .wordRight : .right
        case UInt8(ascii: "D"): return moved ? .wordLeft : .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "~"):
            switch parameters {
            case "1", "7": return .home
            case "4", "8": return .end
            case "3": return .delete
            case "200": return .paste("")
            default: return nil
            }
        default: return nil
        }
    }

    private static func control(_ octet: UInt8) -> Key? {
        switch octet {
        case 0x01: .home
        case 0x02: .left
        case 0x03: .interrupt
        case 0x04: .endOfFile
        case 0x05: .end
        case 0x06: .right
        case 0x08, 0x7F: .backspace
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x0B: .killToEnd
        case 0x0C: .clearScreen
        case 0x0E: .down
        case 0x10: .up
        case 0x15: .killToStart
        case 0x17: .killWord
        case 0x1A: .suspend
        default: nil
        }
    }

    /// Octets of a character that begins with `octet`; 1 for one that begins none.
    private static func length(_ octet: UInt8) -> Int {
        switch octet {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}

extension String {
    /// Line ends as line feeds, and nothing else that steers a terminal.
    fileprivate var onlyLinesAndText: String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar = " "
        for scalar in unicodeScalars {
            if scalar == "\r" || scalar == "\n" {
                if !(scalar == "\n" && previous == "\r") { result.append("\n") }
            } else if scalar == "\t" {
                result.append(" ")
            } else if !scalar.steersTerminal {
                result.append(scalar)
            }
            previous = scalar
        }
        return String(result)
    }
}
