import Dates
import JSON

/// The rules of one value of a field, and its one spelling.
enum ValueRules {
    /// Why a value is refused; the caller adds where.
    struct Failure: Error {
        let code: ErrorCode
        let message: String
    }

    /// Brings a value into its canonical spelling.
    ///
    /// - Returns: the value, or `nil` when nothing is left of it (a blank text, an empty set).
    static func canonical(_ value: Value, _ field: FieldDeclaration, environment: RuleEnvironment) throws(Failure) -> Value? {
        switch (field.type, value) {
        case (.line(let max), .text(let text)):
            return try line(text, max: max, field).map(Value.text)
        case (.text(let max), .text(let text)):
            return try lines(text, max: max, field).map(Value.text)
        case (.choice(let words, _), .text(let word)):
            if word.isEmpty { return nil }
            guard words.contains(word) else {
                throw Failure(code: .invalid, message: "\(field.label) must be one of: \(words.joined(separator: ", "))")
            }
            return value
        case (.flag, .flag): return value
        case (.integer(let range), .integer(let number)):
            guard range.contains(number) else {
                throw Failure(code: .outOfRange, message: "\(field.label) must be from \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        case (.decimal(let digits, let scale, let min), .text(let text)):
            return try TextRules.trimmed(text).map { text throws(Failure) in
                .text(try decimal(text, digits: digits, scale: scale, min: min, field))
            }
        case (.measure(let digits, let scale, let min), .text(let text)):
            return try TextRules.trimmed(text).map { text throws(Failure) in
                .text(try measure(text, digits: digits, scale: scale, min: min, field))
            }
        case (.date, .text(let text)):
            return try TextRules.trimmed(text).map { text throws(Failure) in
                guard CalendarDate(text) != nil else {
                    throw Failure(code: .invalid, message: "\(field.label) must be a date that exists, such as 2026-04-15")
                }
                return .text(text)
            }
        case (.time, .text(let text)):
            return try TextRules.trimmed(text).map { text throws(Failure) in
                guard LocalTime(text) != nil else {
                    throw Failure(code: .invalid, message: "\(field.label) must be a time from 00:00 to 23:59, written like 09:30")
                }
                return .text(text)
            }
        case (.localDateTime, .text(let text)):
            return try TextRules.trimmed(text).map { text throws(Failure) in
                guard LocalDateTime(text) != nil else {
                    throw Failure(code: .invalid, message: "\(field.label) must be a date and a time, written like 2026-04-15T09:30")
                }
                return .text(text)
            }
        case (.zone, .text(let text)):
            return try TextRules.trimmed(text).map { text throws(Failure) in
                guard ZoneName(text) != nil, environment.zoneExists(text) else {
                    throw Failure(code: .invalid, message: "\(field.label) must be a time zone such as Europe/Warsaw")
                }
                return .text(text)
            }
        case (.url, .text(let text)):
            return try TextRules.trimmed(text).map { text throws(Failure) in
                guard text.utf8.count <= Validation.urlOctets else {
                    throw Failure(code: .tooLong, message: "\(field.label) is at most \(Validation.urlOctets) characters long")
                }
                guard let url = TextRules.canonicalURL(text) else {
                    throw Failure(code: .invalid, message: "Please enter a valid URL (e.g., https://...)")
                }
                return .text(url)
            }
        case (.state, .text(let text)):
            return try TextRules.trimmed(text).map { text throws(Failure) in
                guard text.utf8.count <= 2, text.utf8.allSatisfy(TextRules.isLetter) else {
                    throw Failure(code: .invalid, message: "\(field.label) is at most two letters")
                }
                return .text(text.uppercased())
            }
        case (.reference, .reference), (.link, .link): return value
        case (.set(_, let max), .set(let elements)):
            // Twice the bound before duplicates are removed: nobody may make us sort a million ids.
            guard elements.count <= 2 * max else { throw tooMany(field, max: max) }
            let ids = Set(elements.map(\.id))
            guard ids.count <= max else { throw tooMany(field, max: max) }
            return ids.isEmpty ? nil : .set(ids.sorted().map { SetElement(id: $0) })
        case (.json(let maxOctets, let maxDepth), .json(let octets)):
            try json(octets, maxOctets: maxOctets, maxDepth: maxDepth, field)
            return value
        default:
            throw Failure(code: .invalid, message: "\(field.label) has a value of the wrong type")
        }
    }

    private static func tooMany(_ field: FieldDeclaration, max: Int) -> Failure {
        Failure(code: .tooMany, message: "\(field.label): at most \(max) entries")
    }

    private static func line(_ text: String, max: Int, _ field: FieldDeclaration) throws(Failure) -> String? {
        guard let text = TextRules.trimmed(text) else { return nil }
        guard TextRules.isShown(text, lines: false) else { throw notShown(field) }
        guard TextRules.fits(text, max: max) else { throw tooLong(field, max: max) }
        if field.isName, TextRules.visible(text).utf8.count != text.utf8.count {
            throw Failure(code: .invalid, message: "\(field.label) contains an invisible character. Type it again without copying it")
        }
        return text
    }

    /// Several lines keep their inner and outer white space (indented lists, a last empty line); only the line ends become one kind.
    private static func lines(_ text: String, max: Int, _ field: FieldDeclaration) throws(Failure) -> String? {
        guard TextRules.trimmed(text) != nil else { return nil }
        let text = TextRules.withLineFeeds(text)
        guard TextRules.isShown(text, lines: true) else { throw notShown(field) }
        guard TextRules.fits(text, max: max) else { throw tooLong(field, max: max) }
        return text
    }

    private static func notShown(_ field: FieldDeclaration) -> Failure {
        Failure(code: .invalid, message: "\(field.label) contains a control character that cannot be shown")
    }

    private static func tooLong(_ field: FieldDeclaration, max: Int) -> Failure {
        Failure(code: .tooLong, message: "\(field.label) is at most \(max) characters long")
    }

    private static func decimal(
        _ text: String, digits: Int, scale: Int, min: Int64, _ field: FieldDeclaration
    ) throws(Failure) -> String {
        guard let number = DecimalText(text) else {
            throw Failure(code: .invalid, message: "\(field.label) must be a number such as 150.00")
        }
        try bound(number, digits: digits, scale: scale, min: min, field)
        return number.canonical(scale: scale)
    }

    private static func measure(
        _ text: String, digits: Int, scale: Int, min: Int64, _ field: FieldDeclaration
    ) throws(Failure) -> String {
        guard let number = DecimalText(text) else { throw Failure(code: .invalid, message: "Please enter a valid number") }
        try bound(number, digits: digits, scale: scale, min: min, field)
        return number.asWritten
    }

    private static func bound(
        _ number: DecimalText, digits: Int, scale: Int, min: Int64, _ field: FieldDeclaration
    ) throws(Failure) {
        guard number.fraction.count <= scale else {
            throw Failure(code: .outOfRange, message: "\(field.label) has at most \(scale) decimals")
        }
        guard number.whole.count <= digits else {
            throw Failure(code: .outOfRange, message: "\(field.label) has at most \(digits) digits before the point")
        }
        guard !number.isBelow(min) else {
            throw Failure(code: .outOfRange, message: "\(field.label) must not be below \(min)")
        }
    }

    private static func json(_ octets: [UInt8], maxOctets: Int, maxDepth: Int, _ field: FieldDeclaration) throws(Failure) {
        guard octets.count <= maxOctets else {
            throw Failure(code: .tooLong, message: "\(field.label): at most \(maxOctets) octets of JSON")
        }
        do throws(JSONError) {
            try JSONReader.read(octets, maxDepth: maxDepth) { reader throws(JSONError) in
                guard try reader.peekKind() == .object else { throw .unexpected("an object", at: reader.offset) }
                try reader.skipValue()
            }
        } catch .tooDeep {
            throw Failure(code: .invalid, message: "\(field.label): objects and lists can be nested at most \(maxDepth) deep")
        } catch {
            throw Failure(code: .invalid, message: "\(field.label) must be an object")
        }
    }
}
