import Family
import JSON

/// One field as the codec needs it: no strings to copy, no arrays to retain.
struct WireField: Sendable {
    /// The form of a value in a frame.
    enum Shape: Sendable, Equatable {
        case text
        case integer
        case flag
        case reference
        case link
        case set
        case json(maxOctets: Int, maxDepth: Int)
    }

    let key: StaticString
    let shape: Shape

    init(_ declaration: FieldDeclaration) {
        key = declaration.key
        shape = switch declaration.type {
        case .line, .text, .choice, .decimal, .measure, .date, .time, .localDateTime, .zone, .url, .state: .text
        case .integer: .integer
        case .flag: .flag
        case .reference: .reference
        case .link: .link
        case .set: .set
        case .json(let maxOctets, let maxDepth): .json(maxOctets: maxOctets, maxDepth: maxDepth)
        }
    }
}

/// The fields of one kind as the codec needs them.
struct WireKind: Sendable {
    let kind: Kind
    let fields: [WireField]
    private let keys: JSONKeyList

    private init(_ kind: Kind) {
        self.kind = kind
        fields = kind.declaration.fields.map(WireField.init)
        keys = JSONKeyList(kind.declaration.fields.map(\.key))
    }

    static func of(_ kind: Kind) -> WireKind { all[Int(kind.rawValue)] }

    /// By raw value.
    private static let all = (0...(Kind.allCases.map(\.rawValue).max() ?? 0)).map { WireKind(Kind(rawValue: $0) ?? .family) }

    /// The position of the field with that name; looked for from `hint` on, because fields mostly come in the order of the declaration.
    func index(of key: JSONKey, near hint: Int) -> Int? { keys.index(of: key, near: hint) }
}
