/// Reads calendars, in whatever portions the octets come.
///
/// Strict about what two readers could understand in two ways; tolerant of what programs do: lines may end with LF alone, a
/// fold may be inside a character or begin with a tab, names may have small letters, and empty lines and a byte order mark
/// are skipped. After an error each call throws that error.
package struct CalendarDecoder: Sendable {
    private enum State: Sendable {
        /// Inside of a line.
        case line
        /// After CR, which needs LF.
        case carriageReturn
        /// After the end of a line, which the next octet may continue.
        case lineEnd
    }

    private let limits: CalendarLimits
    private var state = State.line
    /// The unfolded line so far.
    private var line: [UInt8] = []
    /// The numbers of the line that is read, and of the first line of `line`.
    private var number = 1
    private var firstNumber = 1
    private var octets = 0
    private var properties = 0
    private var components = 0
    /// The components that have begun and not ended.
    private var open: [CalendarComponent] = []
    private var read: [CalendarComponent] = []
    private var failure: CalendarSyntaxError?

    package init(_ limits: CalendarLimits = CalendarLimits()) { self.limits = limits }

    /// Reads a whole calendar.
    package static func components(
        _ octets: [UInt8], _ limits: CalendarLimits = CalendarLimits()
    ) throws(CalendarSyntaxError) -> [CalendarComponent] {
        var decoder = CalendarDecoder(limits)
        try decoder.receive(octets[...])
        return try decoder.end()
    }

    /// Takes the next octets.
    package mutating func receive(_ portion: ArraySlice<UInt8>) throws(CalendarSyntaxError) {
        if let failure { throw failure }
        do throws(CalendarSyntaxError) {
            for octet in portion { try receive(octet) }
        } catch {
            failure = error
            throw error
        }
    }

    /// Says that there are no more octets.
    ///
    /// - Returns: the outermost components, at least one.
    package mutating func end() throws(CalendarSyntaxError) -> [CalendarComponent] {
        if let failure { throw failure }
        do throws(CalendarSyntaxError) {
            if state == .carriageReturn { throw fault(.loneReturn) }
            try endLine()
            if !open.isEmpty { throw fault(.unfinished) }
            if read.isEmpty { throw fault(.empty) }
        } catch {
            failure = error
            throw error
        }
        return read
    }

    private func fault(_ reason: CalendarSyntaxError.Reason) -> CalendarSyntaxError { CalendarSyntaxError(reason: reason, line: firstNumber) }

    // MARK: Lines

    private mutating func receive(_ octet: UInt8) throws(CalendarSyntaxError) {
        octets += 1
        guard octets <= limits.octets else { throw fault(.tooLarge) }
        switch state {
        case .carriageReturn:
            guard octet == 0x0A else { throw fault(.loneReturn) }
            number += 1
            state = .lineEnd
        case .lineEnd where octet == 0x20 || octet == 0x09:
            state = .line
        case .lineEnd:
            try endLine()
            firstNumber = number
            state = .line
            try take(octet)
        case .line: try take(octet)
        }
    }

    private mutating func take(_ octet: UInt8) throws(CalendarSyntaxError) {
        switch octet {
        case 0x0D: state = .carriageReturn
        case 0x0A:
            number += 1
            state = .lineEnd
        case 0x00..<0x09, 0x0B..<0x20, 0x7F: throw fault(.controlCharacter)
        default:
            guard line.count < limits.line else { throw fault(.lineTooLong) }
            line.append(octet)
        }
    }

    private mutating func endLine() throws(CalendarSyntaxError) {
        if firstNumber == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        guard !line.isEmpty else { return }
        guard String(validating: line, as: UTF8.self) != nil else { throw fault(.notUTF8) }
        var scanner = LineScanner(octets: line, parameters: limits.parameters)
        line.removeAll(keepingCapacity: true)
        let property: CalendarProperty
        do throws(LineFault) { property = try scanner.property() } catch { throw fault(error.reason) }
        switch property.name {
        case "BEGIN": try begin(property)
        case "END": try end(property)
        default:
            properties += 1
            guard properties <= limits.properties else { throw fault(.tooManyProperties) }
            guard !open.isEmpty else { throw fault(.outsideOfComponents) }
            open[open.count - 1].properties.append(property)
        }
    }

    // MARK: Components

    private mutating func begin(_ property: CalendarProperty) throws(CalendarSyntaxError) {
        guard let name = LineScanner.name(property.value), property.parameters.isEmpty else { throw fault(.notAContentLine) }
        guard open.count < limits.depth else { throw fault(.tooDeep) }
        components += 1
        guard components <= limits.components else { throw fault(.tooManyComponents) }
        open.append(CalendarComponent(name))
    }

    private mutating func end(_ property: CalendarProperty) throws(CalendarSyntaxError) {
        guard let name = LineScanner.name(property.value), open.last?.name == name, property.parameters.isEmpty, let ended = open.popLast()
        else { throw fault(.wrongEnd) }
        if open.isEmpty { read.append(ended) } else { open[open.count - 1].components.append(ended) }
    }
}

/// A fault of one line.
private struct LineFault: Error {
    var reason: CalendarSyntaxError.Reason
}

/// The grammar of one unfolded line (RFC 5545 §3.1), which is valid UTF-8 without control characters but tabs.
private struct LineScanner {
    private let octets: [UInt8]
    private let maxParameters: Int
    private var position = 0

    init(octets: [UInt8], parameters: Int) {
        self.octets = octets
        maxParameters = parameters
    }

    /// A name in capital letters; `nil` if the text is not one. White space after it is dropped: some programs leave it.
    static func name(_ text: String) -> String? {
        var octets = Array(text.utf8)
        while octets.last == 0x20 || octets.last == 0x09 { octets.removeLast() }
        guard !octets.isEmpty, octets.allSatisfy(isName) else { return nil }
        return String(decoding: octets.map(capital), as: UTF8.self)
    }

    mutating func property() throws(LineFault) -> CalendarProperty {
        let name = try name(.notAContentLine)
        var parameters: [CalendarParameter] = []
        while next == UInt8(ascii: ";") {
            position += 1
            guard parameters.count < maxParameters else { throw LineFault(reason: .tooManyParameters) }
            parameters.append(try parameter())
        }
        guard next == UInt8(ascii: ":") else { throw LineFault(reason: .notAContentLine) }
        return CalendarProperty(name, parameters, value: String(decoding: octets[(position + 1)...], as: UTF8.self))
    }

    private var next: UInt8? { position < octets.count ? octets[position] : nil }

    private mutating func name(_ reason: CalendarSyntaxError.Reason) throws(LineFault) -> String {
        let start = position
        while let octet = next, Self.isName(octet) { position += 1 }
        guard position > start else { throw LineFault(reason: reason) }
        return String(decoding: octets[start..<position].map(Self.capital), as: UTF8.self)
    }

    private mutating func parameter() throws(LineFault) -> CalendarParameter {
        let name = try name(.badParameter)
        guard next == UInt8(ascii: "=") else { throw LineFault(reason: .badParameter) }
        var values: [String] = []
        repeat {
            position += 1
            guard values.count < maxParameters else { throw LineFault(reason: .tooManyParameters) }
            values.append(try parameterValue())
        } while next == UInt8(ascii: ",")
        return CalendarParameter(name, values: values)
    }

    private mutating func parameterValue() throws(LineFault) -> String {
        guard next == UInt8(ascii: "\"") else {
            let start = position
            while let octet = next, octet != UInt8(ascii: ":"), octet != UInt8(ascii: ";"), octet != UInt8(ascii: ",") {
                guard octet != UInt8(ascii: "\"") else { throw LineFault(reason: .badParameter) }
                position += 1
            }
            return Self.plain(octets[start..<position])
        }
        position += 1
        let start = position
        while let octet = next, octet != UInt8(ascii: "\"") { position += 1 }
        guard next != nil else { throw LineFault(reason: .badParameter) }
        position += 1
        return Self.plain(octets[start..<position - 1])
    }

    /// Without the escapes of RFC 6868; a caret before another character stays, as the RFC asks.
    private static func plain(_ value: ArraySlice<UInt8>) -> String {
        guard value.contains(UInt8(ascii: "^")) else { return String(decoding: value, as: UTF8.self) }
        var plain: [UInt8] = []
        var index = value.startIndex
        while index < value.endIndex {
            let octet = value[index]
            index += 1
            guard octet == UInt8(ascii: "^"), index < value.endIndex else {
                plain.append(octet)
                continue
            }
            switch value[index] {
            case UInt8(ascii: "^"): plain.append(UInt8(ascii: "^"))
            case UInt8(ascii: "n"): plain.append(0x0A)
            case UInt8(ascii: "'"): plain.append(UInt8(ascii: "\""))
            default:
                plain.append(octet)
                continue
            }
            index += 1
        }
        return String(decoding: plain, as: UTF8.self)
    }

    private static func isName(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func capital(_ octet: UInt8) -> UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet) ? octet - 32 : octet
    }
}
