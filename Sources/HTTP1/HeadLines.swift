/// Strict parsers of lines and fields at the front of some octets. Shared by requests and responses.
enum HeadLines {
    /// The line that begins at `start`, without its CRLF.
    ///
    /// - Parameters:
    ///   - limit: the largest number of octets of the line.
    ///   - tooLong: the error to throw above the limit.
    /// - Returns: `nil` while its end has not arrived. Octets that cannot become a line are refused before that.
    static func line(
        _ octets: Span<UInt8>, from start: Int, limit: Int, tooLong: HTTPError
    ) throws(HTTPError) -> Range<Int>? {
        var index = start
        while index < octets.count {
            let octet = octets[index]
            if octet == 0x0D {
                guard index - start <= limit else { throw tooLong }
                guard index + 1 < octets.count else { return nil }
                guard octets[index + 1] == 0x0A else { throw .controlOctet }
                return start..<index
            }
            guard octet >= 0x20 && octet != 0x7F || octet == 0x09 else { throw .controlOctet }
            index += 1
        }
        guard index - start <= limit else { throw tooLong }
        return nil
    }

    /// The field lines from `start` to the empty line.
    ///
    /// - Returns: the fields and the start of the content, or `nil` while the empty line has not arrived.
    static func fields(
        _ octets: Span<UInt8>, from start: Int, limits: HeadLimits
    ) throws(HTTPError) -> (fields: HTTPFields, end: Int)? {
        var fields = HTTPFields()
        var offset = start
        while true {
            let left = limits.fieldOctets - (offset - start)
            // The line's own CRLF counts, that of the empty line does not: hence at least 0.
            guard let line = try line(octets, from: offset, limit: max(0, left - 2), tooLong: .fieldsTooLarge) else { return nil }
            offset = line.upperBound + 2
            if line.isEmpty { return (fields, offset) }
            guard fields.list.count < limits.fieldCount else { throw .fieldsTooLarge }
            fields.list.append(try field(octets, line))
        }
    }

    private static func field(_ octets: Span<UInt8>, _ line: Range<Int>) throws(HTTPError) -> Field {
        let first = octets[line.lowerBound]
        guard first != 0x20, first != 0x09 else { throw .foldedField }
        var colon = line.lowerBound
        var name: [UInt8] = []
        while colon < line.upperBound, octets[colon] != UInt8(ascii: ":") {
            let octet = octets[colon]
            guard Grammar.isTokenOctet(octet) else { throw .fieldName }
            let isUpper = octet >= UInt8(ascii: "A") && octet <= UInt8(ascii: "Z")
            name.append(isUpper ? octet | 0x20 : octet)
            colon += 1
        }
        guard colon < line.upperBound, !name.isEmpty else { throw .fieldName }
        var low = colon + 1
        var high = line.upperBound
        while low < high, octets[low] == 0x20 || octets[low] == 0x09 { low += 1 }
        while low < high, octets[high - 1] == 0x20 || octets[high - 1] == 0x09 { high -= 1 }
        return Field(String(decoding: name, as: UTF8.self), text(octets, low..<high))
    }

    /// The octets as text: UTF-8, or otherwise one scalar per octet.
    static func text(_ octets: Span<UInt8>, _ range: Range<Int>) -> String {
        var copy: [UInt8] = []
        copy.reserveCapacity(range.count)
        for index in range { copy.append(octets[index]) }
        if let text = String(validating: copy, as: UTF8.self) { return text }
        var scalars = String.UnicodeScalarView()
        for octet in copy { scalars.append(Unicode.Scalar(octet)) }
        return String(scalars)
    }

    /// 0 or 1: the digit after `HTTP/1.`.
    static func minorVersion(_ octets: Span<UInt8>, _ range: Range<Int>, malformed: HTTPError) throws(HTTPError) -> Int {
        let expected: StaticString = "HTTP/"
        guard range.count == 8 else { throw malformed }
        for index in 0..<5 where octets[range.lowerBound + index] != expected.utf8Start[index] { throw malformed }
        guard let major = digit(octets[range.lowerBound + 5]), octets[range.lowerBound + 6] == UInt8(ascii: "."),
            let minor = digit(octets[range.lowerBound + 7])
        else { throw malformed }
        guard major == 1, minor <= 1 else { throw .version }
        return minor
    }

    static func digit(_ octet: UInt8) -> Int? {
        octet >= UInt8(ascii: "0") && octet <= UInt8(ascii: "9") ? Int(octet &- UInt8(ascii: "0")) : nil
    }

    /// 0...15, from a digit of either case.
    static func hexDigit(_ octet: UInt8) -> Int? {
        if let digit = digit(octet) { return digit }
        let lower = octet | 0x20
        return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "f") ? Int(lower &- UInt8(ascii: "a")) + 10 : nil
    }

    static func contains(_ octets: Span<UInt8>, _ wanted: UInt8) -> Bool {
        for index in 0..<octets.count where octets[index] == wanted { return true }
        return false
    }
}
