import Bytes
import Family
import JSON

/// Reads the operations of a mutation, and remembers what is wrong with their content as a rejection for the author.
///
/// Members may come in any order. Those that need the kind (`fields`, `add`, `remove`) are read in place when it is known, and
/// put off until the end of the operation when it is not.
struct OperationReader {
    private let limits: Limits
    private(set) var operations: [Operation] = []
    /// Set when a method threw because of the content; a grammar error leaves it `nil`.
    private(set) var refusal: Rejection?
    private var parts = Parts()

    init(limits: Limits) {
        self.limits = limits
    }

    /// Reads the array.
    ///
    /// - Throws: errors of the grammar as they are; anything else after it was put into `refusal`.
    mutating func read(_ reader: inout JSONReader) throws(JSONError) {
        try reader.readArray { reader throws(JSONError) in
            guard operations.count < limits.operationsPerMutation else {
                throw refuse(.tooMany, "At most \(limits.operationsPerMutation) operations in one mutation. Nothing was changed")
            }
            parts = Parts()
            do throws(JSONError) {
                try readMembers(&reader)
                try readPutOff()
            } catch {
                throw refused(error)
            }
            operations.append(try operation())
        }
    }

    private mutating func readMembers(_ reader: inout JSONReader) throws(JSONError) {
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "op":
                parts.begin("op", .op)
                let word = try reader.readString()
                parts.op = Op(rawValue: word)
                // Refused at the end, when kind and id are known as well.
                if parts.op == nil { parts.unknownOp = word }
            case "kind":
                parts.begin("kind", .kind)
                let name = try reader.readString()
                guard let kind = Kind(name: name) else {
                    throw refuse(.unknownKind, "Unknown kind: \(SentencePart.quoted(name)). \(SentencePart.older)", field: "kind")
                }
                parts.kind = kind
            case "id":
                parts.begin("id", .id)
                parts.id = try reader.readIdentifier()
            case "athlete":
                parts.begin("athlete", .athlete)
                parts.athlete = try reader.readIdentifier()
            case "base":
                parts.begin("base", .base)
                parts.base = try reader.readCount(from: 1)
            case "days":
                parts.begin("days", .days)
                let start = reader.offset
                guard let days = Int(exactly: try reader.readInteger()) else { throw .outOfRange(at: start) }
                parts.days = days
            case "from":
                parts.begin("from", .from)
                parts.from = try reader.readIdentifier()
            case "merge":
                parts.begin("merge", .merge)
                let word = try reader.readString()
                guard word == MergeMode.disjoint.rawValue else {
                    throw refuse(.invalid, "Unknown way to merge: \(SentencePart.quoted(word)). \(SentencePart.older)", field: "merge")
                }
                parts.merge = .disjoint
            case "fields":
                parts.begin("fields", .fields)
                guard let kind = parts.kind else { return parts.fields = try putOff(&reader) }
                try readFields(kind, &reader)
            case "add":
                parts.begin("add", .add)
                guard let kind = parts.kind else { return parts.add = try putOff(&reader) }
                try readEdits(kind, &reader, \.add)
            case "remove":
                parts.begin("remove", .remove)
                guard let kind = parts.kind else { return parts.remove = try putOff(&reader) }
                try readEdits(kind, &reader, \.remove)
            default:
                throw refuse(.unknownField, "\(SentencePart.quoted(key.string)) is not part of an operation. \(SentencePart.older)", field: key.string)
            }
        }
    }

    /// A value for later: checked now, so that what is wrong with the grammar is found where it stands.
    private func putOff(_ reader: inout JSONReader) throws(JSONError) -> UnsafeRawBufferPointer {
        // An operation stands three deep in its frame.
        try reader.readRaw(maxOctets: .max, maxDepth: max(0, limits.jsonDepth - 3))
    }

    private mutating func readPutOff() throws(JSONError) {
        guard let kind = parts.kind else { return }
        if let octets = parts.fields {
            parts.memberName = "fields"
            try JSONReader.read(octets, maxDepth: limits.jsonDepth, maxKeys: limits.objectKeys) { reader throws(JSONError) in try readFields(kind, &reader) }
        }
        if let octets = parts.add {
            parts.memberName = "add"
            try JSONReader.read(octets, maxDepth: limits.jsonDepth, maxKeys: limits.objectKeys) { reader throws(JSONError) in try readEdits(kind, &reader, \.add) }
        }
        if let octets = parts.remove {
            parts.memberName = "remove"
            try JSONReader.read(octets, maxDepth: limits.jsonDepth, maxKeys: limits.objectKeys) { reader throws(JSONError) in try readEdits(kind, &reader, \.remove) }
        }
    }

    private mutating func readFields(_ kind: Kind, _ reader: inout JSONReader) throws(JSONError) {
        let declared = WireKind.of(kind)
        var last = -1
        var isOrdered = true
        try reader.readObject { reader, key throws(JSONError) in
            guard let index = declared.index(of: key, near: last + 1) else { throw unknownField(key, kind) }
            parts.field = index
            let value = try ValueCodec.read(&reader, declared.fields[index].shape, form: .operation)
            parts.patch.assignments.append(.init(field: index, value: value))
            if index < last { isOrdered = false }
            last = index
        }
        parts.field = nil
        if !isOrdered { parts.patch.assignments.sort { $0.field < $1.field } }
    }

    private mutating func readEdits(
        _ kind: Kind, _ reader: inout JSONReader, _ side: WritableKeyPath<FieldPatch.SetEdit, [Identifier]>
    ) throws(JSONError) {
        let declared = WireKind.of(kind)
        try reader.readObject { reader, key throws(JSONError) in
            guard let index = declared.index(of: key, near: 0) else { throw unknownField(key, kind) }
            parts.field = index
            guard declared.fields[index].shape == .set else {
                let field = kind.declaration.fields[index]
                throw refuse(.invalid, "\(field.label): add and remove are for sets only", field: field.name)
            }
            let ids = try ValueCodec.readElements(&reader, form: .operation).map(\.id)
            guard !ids.isEmpty else { return }
            if let position = parts.patch.setEdits.firstIndex(where: { $0.field == index }) {
                parts.patch.setEdits[position][keyPath: side] = ids
            } else {
                var edit = FieldPatch.SetEdit(field: index)
                edit[keyPath: side] = ids
                parts.patch.setEdits.append(edit)
            }
        }
        parts.field = nil
    }

    /// Puts the parts together, when they belong together.
    private mutating func operation() throws(JSONError) -> Operation {
        if let word = parts.unknownOp {
            throw refuse(.unknownOperation, "Unknown operation: \(SentencePart.quoted(word)). \(SentencePart.older)", field: "op")
        }
        guard let op = parts.op else { throw missing("op") }
        guard let kind = parts.kind else { throw missing("kind") }
        guard let id = parts.id else { throw missing("id") }
        let foreign = parts.seen.subtracting(op.members)
        if let name = foreign.firstName {
            throw refuse(.invalid, "\(name) is not allowed in \(op == .update ? "an" : "a") \(op.rawValue). Nothing was changed", field: name)
        }
        switch op {
        case .create: return Operation(kind: kind, id: id, action: .create(athlete: parts.athlete, patch: parts.patch))
        case .update:
            guard let base = parts.base else { throw missing("base") }
            if let edit = parts.patch.setEdits.first(where: { edit in parts.patch.assignments.contains { $0.field == edit.field } }) {
                let field = kind.declaration.fields[edit.field]
                throw refuse(.invalid, "\(field.label): set it as a whole, or use add and remove, not both", field: field.name)
            }
            parts.patch.setEdits.sort { $0.field < $1.field }
            return Operation(kind: kind, id: id, action: .update(base: base, merge: parts.merge, patch: parts.patch))
        case .delete, .restore:
            guard let base = parts.base else { throw missing("base") }
            return Operation(kind: kind, id: id, action: op == .delete ? .delete(base: base) : .restore(base: base))
        case .shift:
            guard let base = parts.base else { throw missing("base") }
            guard let days = parts.days else { throw missing("days") }
            return Operation(kind: kind, id: id, action: .shift(base: base, days: days))
        case .copy:
            guard let from = parts.from else { throw missing("from") }
            guard let days = parts.days else { throw missing("days") }
            return Operation(kind: kind, id: id, action: .copy(from: from, days: days))
        }
    }

    // MARK: Refusals

    private mutating func missing(_ member: String) -> JSONError {
        refuse(.required, "An operation needs \(member). Nothing was changed", field: member)
    }

    private mutating func unknownField(_ key: JSONKey, _ kind: Kind) -> JSONError {
        let name = key.string
        return refuse(
            .unknownField, "\(kind.declaration.label) has no field \(SentencePart.quoted(name)). \(SentencePart.older)", field: name)
    }

    private mutating func refuse(_ code: ErrorCode, _ message: String, field: String? = nil) -> JSONError {
        // A key can be as long as a frame; nobody needs it back in full.
        let field = field.map { $0.utf8.count <= WireBounds.wordOctets ? $0 : String($0.unicodeScalars.prefix(40)) }
        refusal = Rejection(code, message, operation: operations.count, kind: parts.kind, id: parts.id, field: field)
        return .invalid(message)
    }

    /// Turns a value of another type into a refusal of its field; grammar errors stay what they are.
    private mutating func refused(_ error: JSONError) -> JSONError {
        guard refusal == nil else { return error }
        switch error {
        case .syntax, .duplicateKey, .tooManyKeys: return error
        case .tooDeep:
            // Too deep for its field, or for the frame; only the first is a matter of content.
            guard let (name, label, type) = refusedField, case .json(_, let maxDepth) = type else { return error }
            return refuse(.invalid, "\(label): objects and lists can be nested at most \(maxDepth) deep", field: name)
        case .tooLong:
            guard let (name, label, type) = refusedField, case .json(let maxOctets, _) = type else { return error }
            return refuse(.tooLong, "\(label): at most \(maxOctets) octets of JSON", field: name)
        case .unknownKey(let kind):
            guard let (name, label, _) = refusedField else { return error }
            return refuse(.unknownKind, "\(label): unknown kind \(SentencePart.quoted(kind)). \(SentencePart.older)", field: name)
        case .unexpected, .notInteger, .outOfRange, .invalid:
            if let (name, label, type) = refusedField {
                return refuse(.invalid, "\(label) must be \(ValueCodec.wanted(type))", field: name)
            }
            guard let member = parts.member else { return refuse(.invalid, "An operation must be an object. Nothing was changed") }
            return refuse(.invalid, "\(member) is not valid: \(error). Nothing was changed", field: member)
        }
    }

    private var refusedField: (name: String, label: String, type: FieldType)? {
        guard let kind = parts.kind, let index = parts.field else { return nil }
        let field = kind.declaration.fields[index]
        return (field.name, field.label, field.type)
    }
}

/// The words of `"op"`.
private enum Op: String {
    case create, update, delete, restore, shift, copy

    var members: Members {
        switch self {
        case .create: [.op, .kind, .id, .athlete, .fields]
        case .update: [.op, .kind, .id, .base, .merge, .fields, .add, .remove]
        case .delete, .restore: [.op, .kind, .id, .base]
        case .shift: [.op, .kind, .id, .base, .days]
        case .copy: [.op, .kind, .id, .from, .days]
        }
    }
}

/// Which members an operation has.
private struct Members: OptionSet {
    let rawValue: UInt16

    static let op = Members(rawValue: 1)
    static let kind = Members(rawValue: 2)
    static let id = Members(rawValue: 4)
    static let athlete = Members(rawValue: 8)
    static let base = Members(rawValue: 16)
    static let merge = Members(rawValue: 32)
    static let fields = Members(rawValue: 64)
    static let add = Members(rawValue: 128)
    static let remove = Members(rawValue: 256)
    static let days = Members(rawValue: 512)
    static let from = Members(rawValue: 1_024)

    var firstName: String? {
        let names = ["op", "kind", "id", "athlete", "base", "merge", "fields", "add", "remove", "days", "from"]
        return isEmpty ? nil : names[rawValue.trailingZeroBitCount]
    }
}

/// One operation, as far as it is read.
private struct Parts {
    var op: Op?
    var unknownOp: String?
    var kind: Kind?
    var id: Identifier?
    var athlete: Identifier?
    var base: Int64?
    var days: Int?
    var from: Identifier?
    var merge = MergeMode.none
    var patch = FieldPatch()
    var seen: Members = []
    /// The member that is being read, for the refusal.
    var memberName: StaticString?
    var field: Int?
    /// The fields that came before the kind was known.
    var fields: UnsafeRawBufferPointer?
    var add: UnsafeRawBufferPointer?
    var remove: UnsafeRawBufferPointer?

    mutating func begin(_ name: StaticString, _ member: Members) {
        memberName = name
        seen.insert(member)
    }

    var member: String? { memberName?.description }
}

extension ValueCodec {
    /// The form of a value of the type, for a sentence.
    static func wanted(_ type: FieldType) -> String {
        switch type {
        case .line, .text, .choice, .date, .time, .localDateTime, .zone, .url, .state: "text"
        case .decimal, .measure: "a number written as text, such as \"150.00\""
        case .flag: "true or false"
        case .integer: "a whole number"
        case .reference: "the id of a record"
        case .link: "a record: kind and id"
        case .set: "a list of ids"
        case .json: "an object"
        }
    }
}
