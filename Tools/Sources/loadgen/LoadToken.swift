/// The beginning of a load message's text: which run, family, author and message it is, and when it was meant to leave.
///
///     HLG:<run>:<family>:<publisher>:<number>:<nanoseconds>;
struct LoadToken: Equatable {
    /// Distinguishes this run's messages from those of an earlier one.
    var run: Int64
    var family: Int64
    /// Of the family's publishers, from 0.
    var publisher: Int64
    /// 1, 2, 3, … of one publisher.
    var number: Int64
    /// Intended time of sending, monotonic clock.
    var intended: Int64

    private static let mark: [UInt8] = Array("HLG:".utf8)

    func append(to octets: inout [UInt8]) {
        octets.append(contentsOf: LoadToken.mark)
        for (index, part) in [run, family, publisher, number, intended].enumerated() {
            Decimal.append(part, to: &octets)
            octets.append(index == 4 ? UInt8(ascii: ";") : UInt8(ascii: ":"))
        }
    }

    /// The first token in a frame.
    ///
    /// - Parameter hint: where one was found last time; it is looked for there first, because one frame looks like the next.
    static func find(in frame: UnsafeRawBufferPointer, hint: inout Int) -> LoadToken? {
        guard var offset = Scan.find(mark, in: frame, hint: &hint) else { return nil }
        func next(_ end: UInt8) -> Int64? {
            guard let number = Decimal.read(frame, &offset), offset < frame.count, frame[offset] == end else { return nil }
            offset += 1
            return number
        }
        let colon = UInt8(ascii: ":")
        guard let run = next(colon), let family = next(colon), let publisher = next(colon), let number = next(colon),
            let intended = next(UInt8(ascii: ";"))
        else { return nil }
        return LoadToken(run: run, family: family, publisher: publisher, number: number, intended: intended)
    }
}

/// Whole numbers as digits.
enum Decimal {
    /// The longest number that cannot overflow.
    private static let maxDigits = 18

    static func append(_ number: Int64, to octets: inout [UInt8]) {
        octets.append(contentsOf: String(number).utf8)
    }

    /// The number at `offset`, which moves behind it; `nil` without a digit, and past 18 of them.
    static func read(_ octets: UnsafeRawBufferPointer, _ offset: inout Int) -> Int64? {
        let start = offset
        var number: Int64 = 0
        while offset < octets.count, case let digit = octets[offset] &- UInt8(ascii: "0"), digit <= 9 {
            guard offset - start < maxDigits else { return nil }
            number = number * 10 + Int64(digit)
            offset += 1
        }
        return offset > start ? number : nil
    }
}

/// Looks into frames without decoding them: the generator must cost less than the server, or it measures itself.
enum Scan {
    static func begins(_ frame: UnsafeRawBufferPointer, with prefix: [UInt8]) -> Bool {
        matches(frame, prefix, at: 0)
    }

    /// Where the first `pattern` in `frame` ends. `hint` is where it began last time.
    static func find(_ pattern: [UInt8], in frame: UnsafeRawBufferPointer, hint: inout Int) -> Int? {
        if matches(frame, pattern, at: hint) { return hint + pattern.count }
        guard frame.count >= pattern.count else { return nil }
        for start in 0...(frame.count - pattern.count) where matches(frame, pattern, at: start) {
            hint = start
            return start + pattern.count
        }
        return nil
    }

    /// The number behind the first `key`.
    static func number(after key: [UInt8], in frame: UnsafeRawBufferPointer, hint: inout Int) -> Int64? {
        guard var offset = find(key, in: frame, hint: &hint) else { return nil }
        return Decimal.read(frame, &offset)
    }

    private static func matches(_ frame: UnsafeRawBufferPointer, _ pattern: [UInt8], at start: Int) -> Bool {
        guard start >= 0, start <= frame.count - pattern.count else { return false }
        for index in pattern.indices where frame[start + index] != pattern[index] { return false }
        return true
    }
}
