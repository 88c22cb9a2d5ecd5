// RFC 8259, strictly: a pull reader over octets and a writer into octets. No documents, no reflection, no I/O.

/// The reason why a text was refused. Offsets count octets from the start of the reader's text.
///
/// Decoders of the domain throw the last two from inside the reader's closures. Only `.invalid` is meant for a person,
/// and no case carries a value of the text other than a key.
package enum JSONError: Error, Equatable, Sendable {
    /// Not JSON: the grammar, an escape, UTF-8, or the text ended too early.
    case syntax(String, at: Int)
    /// JSON, but of another type; the text says what was expected ("a string").
    case unexpected(String, at: Int)
    /// A number with a fraction or an exponent where an integer was expected.
    case notInteger(at: Int)
    /// An integer outside `Int64`.
    case outOfRange(at: Int)
    /// The key occurs twice in one object.
    case duplicateKey(String, at: Int)
    /// Containers are nested deeper than allowed.
    case tooDeep(at: Int)
    /// More keys in one object than allowed.
    case tooManyKeys(at: Int)
    /// A raw value is longer than its limit.
    case tooLong(at: Int)
    /// The decoder does not know this key. (Only decoders throw it.)
    case unknownKey(String)
    /// The decoder does not accept this value. (Only decoders throw it.)
    case invalid(String)

    /// A stable name of the case, for responses and logs.
    package var code: String {
        switch self {
        case .syntax: "syntax"
        case .unexpected: "unexpected_type"
        case .notInteger: "not_integer"
        case .outOfRange: "out_of_range"
        case .duplicateKey: "duplicate_key"
        case .tooDeep: "too_deep"
        case .tooManyKeys: "too_many_keys"
        case .tooLong: "too_long"
        case .unknownKey: "unknown_key"
        case .invalid: "invalid"
        }
    }

    /// The position in the text, in octets from its start; `nil` for the decoders' own cases.
    package var offset: Int? {
        switch self {
        case .syntax(_, let offset), .unexpected(_, let offset), .duplicateKey(_, let offset): offset
        case .notInteger(let offset), .outOfRange(let offset), .tooDeep(let offset), .tooManyKeys(let offset), .tooLong(let offset): offset
        case .unknownKey, .invalid: nil
        }
    }
}

extension JSONError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .syntax(let problem, let offset): "not JSON at octet \(offset): \(problem)"
        case .unexpected(let wanted, let offset): "expected \(wanted) at octet \(offset)"
        case .notInteger(let offset): "expected an integer without fraction or exponent at octet \(offset)"
        case .outOfRange(let offset): "integer out of range at octet \(offset)"
        case .duplicateKey(let key, let offset): "key \"\(key)\" occurs twice, at octet \(offset)"
        case .tooDeep(let offset): "nested too deep at octet \(offset)"
        case .tooManyKeys(let offset): "too many keys in one object at octet \(offset)"
        case .tooLong(let offset): "value too long at octet \(offset)"
        case .unknownKey(let key): "unknown key \"\(key)\""
        case .invalid(let problem): problem
        }
    }
}
