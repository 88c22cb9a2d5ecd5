/// Parses the output of a terminal, cut anywhere, into keys, pastes and clicks. Pure: octets in, events out.
///
/// Source: ECMA-48 §5.4 (control sequences); xterm's control sequences (modified keys, SGR mouse 1006, bracketed paste
/// 2004, focus 1004); `CSI u` (fixterms, kitty). The sequences of terminfo(5) for a terminal's keys take precedence.
package struct KeyParser: Sendable {
    /// The largest number of octets of one paste; the rest is dropped. It exceeds the limit of any text, so that the
    /// receiver can see that the paste is too long.
    package static let pasteLimit = 2 * LineEditor.octetLimit
    /// The length of the longest control sequence; a longer one is not a sequence.
    private static let sequenceLimit = 64

    private var pending: [UInt8] = []
    private var pasted: [UInt8]?
    private let keys: [[UInt8]: Key]
    /// The proper prefixes of the sequences in `keys`.
    private let beginnings: Set<[UInt8]>

    /// - Parameter sequences: the terminal's own sequences, each beginning with an escape; others are ignored.
    package init(sequences: [[UInt8]: Key] = [:]) {
        keys = sequences.filter { $0.key.count > 1 && $0.key.first == 0x1B && $0.key.count <= Self.sequenceLimit }
        beginnings = Set(keys.keys.flatMap { key in (1..<key.count).map { Array(key.prefix($0)) } })
    }

    /// Whether an escape waits for the rest of its sequence. If nothing follows for a moment, call `flush`.
    package var isWaiting: Bool { pasted == nil && pending.first == 0x1B }

    /// Returns the events that are complete now.
    package mutating func feed(_ octets: some Sequence<UInt8>) -> [InputEvent] {
        pending += octets
        return parse(isFinal: false)
    }

    /// Ends the wait: the pending octets become an escape key and the keys after it.
    package mutating func flush() -> [InputEvent] { parse(isFinal: true) }

    private mutating func parse(isFinal: Bool) -> [InputEvent] {
        var events: [InputEvent] = []
        var index = 0
        while index < pending.count {
            if pasted != nil {
                guard let text = takePaste(&index) else { break }
                events.append(.paste(text))
                continue
            }
            let octet = pending[index]
            if octet == 0x1B {
                guard let (event, length) = escape(index, isFinal) else { break }
                index += length
                if case .paste = event { pasted = [] } else if let event { events.append(event) }
            } else if octet < 0x20 || octet == 0x7F {
                index += 1
                events.append(.key(Self.control(octet)))
            } else {
                guard let text = takeText(&index, isFinal) else { break }
                events += text.map { .key(.character($0)) }
            }
        }
        pending.removeFirst(min(index, pending.count))
        return events
    }

    /// Takes all printable octets that follow; `nil` if there is only half a character.
    private func takeText(_ index: inout Int, _ isFinal: Bool) -> String? {
        let start = index
        while index < pending.count, pending[index] >= 0x20, pending[index] != 0x7F {
            let length = Self.length(pending[index])
            let rest = pending[(index + 1)...].prefix(length - 1)
            // Half a character waits for the rest.
            if rest.count < length - 1, rest.allSatisfy({ $0 & 0xC0 == 0x80 }), !isFinal { break }
            index += 1 + rest.prefix { $0 & 0xC0 == 0x80 }.count
        }
        return index == start ? nil : String(decoding: pending[start..<index], as: UTF8.self)
    }

    /// Collects pasted octets until the end mark; returns the text at the end mark.
    private mutating func takePaste(_ index: inout Int) -> String? {
        let mark: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]
        while index < pending.count {
            if pending[index] == 0x1B {
                let rest = pending[index...].prefix(mark.count)
                if rest.elementsEqual(mark) {
                    index += mark.count
                    defer { pasted = nil }
                    return Self.plain(String(decoding: pasted ?? [], as: UTF8.self))
                }
                if mark.starts(with: rest) { return nil }
            }
            if (pasted?.count ?? 0) < Self.pasteLimit { pasted?.append(pending[index]) }
            index += 1
        }
        return nil
    }

    /// The event that begins with the escape at `start`, and its length; `nil` if more octets are needed. An event of
    /// `nil` is skipped.
    private func escape(_ start: Int, _ isFinal: Bool) -> (InputEvent?, Int)? {
        if let own = ownSequence(start) { return (.key(own.key), own.length) }
        let rest = pending[start...]
        if !isFinal, beginnings.contains(Array(rest)) { return nil }
        guard rest.count > 1 else { return isFinal ? (.key(Key(.escape)), 1) : nil }
        switch pending[start + 1] {
        case UInt8(ascii: "["): return sequence(start, isFinal)
        case UInt8(ascii: "O"):
            guard rest.count > 2 else { return isFinal ? (.key(.alt("O")), 2) : nil }
            // Shift-O after an escape key looks like the beginning of a keypad key.
            guard let code = Self.final(pending[start + 2]) else { return (.key(.alt("O")), 2) }
            return (.key(Key(code)), 3)
        case 0x1B:
            // Alt with a key that sends an escape itself (rxvt), or the escape key pressed twice.
            guard rest.count > 2 else { return isFinal ? (.key(Key(.escape)), 1) : nil }
            if pending[start + 2] == UInt8(ascii: "[") || pending[start + 2] == UInt8(ascii: "O") {
                guard let (event, length) = escape(start + 1, isFinal) else { return nil }
                if case .key(var key) = event {
                    key.modifiers.insert(.alt)
                    return (.key(key), length + 1)
                }
            }
            return (.key(Key(.escape)), 1)
        case let octet where octet < 0x20 || octet == 0x7F:
            var key = Self.control(octet)
            key.modifiers.insert(.alt)
            return (.key(key), 2)
        default:
            var end = start + 1
            guard let text = takeText(&end, isFinal), let first = text.first else { return nil }
            return (.key(.alt(first)), 1 + String(first).utf8.count)
        }
    }

    /// The longest of the terminal's own sequences at `start`.
    private func ownSequence(_ start: Int) -> (key: Key, length: Int)? {
        guard !keys.isEmpty else { return nil }
        var found: (Key, Int)?
        var length = 1
        var text = [pending[start]]
        while true {
            if let key = keys[text] { found = (key, length) }
            guard beginnings.contains(text), start + length < pending.count else { break }
            text.append(pending[start + length])
            length += 1
        }
        return found
    }

    /// A control sequence: `ESC [`, parameters, a final octet.
    private func sequence(_ start: Int, _ isFinal: Bool) -> (InputEvent?, Int)? {
        var index = start + 2
        // The Linux console: ESC [ [ A is F1.
        if index < pending.count, pending[index] == UInt8(ascii: "[") {
            guard index + 1 < pending.count else { return isFinal ? (nil, index + 1 - start) : nil }
            let number = Int(pending[index + 1]) - Int(UInt8(ascii: "A")) + 1
            return ((1...5).contains(number) ? .key(Key(.function(number))) : nil, index + 2 - start)
        }
        while index < pending.count, !(0x40...0x7E).contains(pending[index]) {
            // rxvt marks modifiers with `$` at the end, which is not a final octet elsewhere.
            if pending[index] == UInt8(ascii: "$"), index > start + 2 { break }
            // A control character is the next key, so the octets before it are not a sequence.
            if pending[index] < 0x20 || pending[index] > 0x7E || index - start > Self.sequenceLimit { return (nil, index - start) }
            index += 1
        }
        guard index < pending.count else {
            guard isFinal else { return nil }
            return index == start + 2 ? (.key(.alt("[")), 2) : (nil, index - start)
        }
        let length = index - start + 1
        let text = pending[(start + 2)..<index]
        // The terminal's replies to queries are not keys.
        if let first = text.first, first > UInt8(ascii: "<"), first <= UInt8(ascii: "?") { return (nil, length) }
        if text.first == UInt8(ascii: "<") {
            return (Self.mouse(Self.numbers(text.dropFirst()), isRelease: pending[index] == UInt8(ascii: "m")).map { .mouse($0) }, length)
        }
        // Mouse events in the old form: the three octets that follow are ignored.
        if text.isEmpty, pending[index] == UInt8(ascii: "M") {
            return index + 3 < pending.count || isFinal ? (nil, min(length + 3, pending.count - start)) : nil
        }
        return (Self.event(Self.numbers(text), pending[index], isBare: text.isEmpty), length)
    }

    /// Numbers between semicolons; a missing number is 0; "5:1" gives 5.
    private static func numbers(_ text: ArraySlice<UInt8>) -> [Int] {
        text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part in
            part.prefix { $0 != UInt8(ascii: ":") }.reduce(0) { sum, octet in
                (0x30...0x39).contains(octet) ? min(sum * 10 + Int(octet & 0x0F), 0x10_FFFF) : sum
            }
        }
    }

    private static func event(_ numbers: [Int], _ final: UInt8, isBare: Bool) -> InputEvent? {
        let first = numbers.first ?? 0
        let modifiers = numbers.count > 1 ? modifiers(numbers[1]) : []
        switch final {
        case UInt8(ascii: "I") where isBare: return .focus(true)
        case UInt8(ascii: "O") where isBare: return .focus(false)
        case UInt8(ascii: "Z"): return .key(Key(.tab, modifiers.union(.shift)))
        case UInt8(ascii: "u"): return key(scalar: first, modifiers).map { .key($0) }
        case UInt8(ascii: "~"), UInt8(ascii: "^"), UInt8(ascii: "$"), UInt8(ascii: "@"):
            if first == 200, final == UInt8(ascii: "~") { return .paste("") }
            // modifyOtherKeys: CSI 27 ; modifiers ; character ~
            if first == 27, numbers.count > 2 { return key(scalar: numbers[2], modifiers).map { .key($0) } }
            guard let code = tilde(first) else { return nil }
            // rxvt: ^ means control, $ means shift, @ means both.
            var modifiers = modifiers
            if final == UInt8(ascii: "^") || final == UInt8(ascii: "@") { modifiers.insert(.control) }
            if final == UInt8(ascii: "$") || final == UInt8(ascii: "@") { modifiers.insert(.shift) }
            return .key(Key(code, modifiers))
        case UInt8(ascii: "a")...UInt8(ascii: "d") where isBare:
            // rxvt: arrow keys with shift.
            guard let code = Self.final(final - 0x20) else { return nil }
            return .key(Key(code, .shift))
        default: return Self.final(final).map { .key(Key($0, modifiers)) }
        }
    }

    private static func modifiers(_ parameter: Int) -> Key.Modifiers {
        // The bits above the three are meta, which is alt on current keyboards, and locks.
        let bits = max(parameter - 1, 0)
        var modifiers = Key.Modifiers(rawValue: UInt8(truncatingIfNeeded: bits & 7))
        if bits & 8 != 0 { modifiers.insert(.alt) }
        return modifiers
    }

    private static func key(scalar: Int, _ modifiers: Key.Modifiers) -> Key? {
        switch scalar {
        case 9: return Key(.tab, modifiers)
        case 13: return Key(.enter, modifiers)
        case 27: return Key(.escape, modifiers)
        case 8, 127: return Key(.backspace, modifiers)
        // Kitty's codes for the keypad and for its own keys are in the private use area.
        case 0..<32, 0xE000...0xF8FF: return nil
        default:
            guard let scalar = Unicode.Scalar(UInt32(truncatingIfNeeded: scalar)) else { return nil }
            let character = Character(scalar)
            if modifiers == .shift { return .character(Character(character.uppercased())) }
            return Key(.character(modifiers.contains(.control) ? Character(character.lowercased()) : character), modifiers)
        }
    }

    private static func tilde(_ number: Int) -> Key.Code? {
        switch number {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case 11...15: .function(number - 10)
        case 17...21: .function(number - 11)
        case 23...26: .function(number - 12)
        case 28, 29: .function(number - 13)
        case 31...34: .function(number - 14)
        default: nil
        }
    }

    private static func final(_ octet: UInt8) -> Key.Code? {
        switch octet {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(octet) - Int(UInt8(ascii: "P")) + 1)
        default: nil
        }
    }

    /// Source: xterm's control sequences, "Extended coordinates", SGR.
    private static func mouse(_ numbers: [Int], isRelease: Bool) -> MouseEvent? {
        guard numbers.count == 3, numbers[1] > 0, numbers[2] > 0 else { return nil }
        let bits = numbers[0]
        let point = Point(numbers[1] - 1, numbers[2] - 1)
        var modifiers: Key.Modifiers = []
        if bits & 4 != 0 { modifiers.insert(.shift) }
        if bits & 8 != 0 { modifiers.insert(.alt) }
        if bits & 16 != 0 { modifiers.insert(.control) }
        let action: MouseEvent.Action
        switch bits & 0b1100_0011 {
        case 64: action = .wheelUp
        case 65: action = .wheelDown
        case 0...2:
            let button = bits & 3 + 1
            action = isRelease ? .release(button) : bits & 32 != 0 ? .drag(button) : .press(button)
        default: return nil
        }
        return MouseEvent(action, at: point, modifiers)
    }

    private static func control(_ octet: UInt8) -> Key {
        switch octet {
        case 0x00: .control(" ")
        case 0x09: Key(.tab)
        case 0x0A: .control("j")
        case 0x0D: Key(.enter)
        case 0x7F: Key(.backspace)
        case 0x08: .control("h")
        case 0x1C: .control("\\")
        case 0x1D: .control("]")
        case 0x1E: .control("^")
        case 0x1F: .control("_")
        default: .control(Character(Unicode.Scalar(octet + 0x60)))
        }
    }

    /// The length in octets of a character that begins with `octet`; 1 if no character begins with it.
    private static func length(_ octet: UInt8) -> Int {
        switch octet {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    /// The text with line feeds as line ends, without anything that steers a terminal.
    private static func plain(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            if scalar == "\r" || scalar == "\n" {
                if !(scalar == "\n" && previous == "\r") { result.append("\n") }
            } else if scalar == "\t" {
                result.append(" ")
            } else if !scalar.steersScreen {
                result.append(scalar)
            }
            previous = scalar
        }
        return String(result)
    }
}
