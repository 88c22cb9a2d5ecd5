import Family
import JSON

/// One type of frame that clients send: its declaration, and what has been read of such a frame so far. The type's file also holds the value
/// that the frame carries and how the frame is written.
///
/// To add a frame, write such a file and name it in `ClientFrame`.
protocol ClientFrameParts: SendableMetatype {
    static var declaration: FrameDeclaration { get }

    /// Nothing has been read.
    init()

    /// Reads the value of one member; `type` is never asked for.
    ///
    /// - Returns: false if this frame has no such member. Nothing was read then.
    /// - Throws: a content error, which becomes the refusal of that member, or the refusal that `content` has noted.
    mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool

    /// Puts the members together.
    ///
    /// - Throws: the refusal that `content` has noted.
    func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame
}

/// The state that the members of a client's frame share while they are read.
struct FrameContent {
    let limits: Limits
    var request: Int64?
    /// The refusal; a grammar error leaves it `nil`.
    var refusal: Rejection?
    /// Whether the refusal is about a word in a question that a later server may know, not about the form of the frame.
    private(set) var refusesQuestion = false

    init(limits: Limits) {
        self.limits = limits
    }

    /// - Returns: what to throw.
    mutating func refuse(_ code: ErrorCode, _ message: String, field: String) -> JSONError {
        refusal = Rejection(code, message, field: field)
        return .invalid(message)
    }

    /// Refuses a question whose form is right, so that its request gets the answer.
    mutating func refuseQuestion(_ code: ErrorCode, _ message: String, field: String) -> JSONError {
        refusesQuestion = true
        return refuse(code, message, field: field)
    }

    mutating func missing(_ name: String) -> JSONError {
        refuse(.required, "The frame needs \(name)", field: name)
    }

    mutating func need<Value>(_ value: Value?, _ name: String) throws(JSONError) -> Value {
        guard let value else { throw missing(name) }
        return value
    }

    /// The kind that a question is about.
    mutating func readKind(_ reader: inout JSONReader) throws(JSONError) -> Kind {
        let name = try reader.readString()
        guard let known = Kind(name: name) else {
            throw refuseQuestion(.unknownKind, "Unknown kind: \(SentencePart.quoted(name)). \(SentencePart.older)", field: "kind")
        }
        return known
    }

    mutating func readLimit(_ reader: inout JSONReader) throws(JSONError) -> Int {
        let number = try reader.readInteger()
        guard number >= 1, number <= limits.pageRecords else {
            throw refuse(.badFrame, "limit must be from 1 to \(limits.pageRecords)", field: "limit")
        }
        return Int(number)
    }

    /// The `next` of an earlier page.
    mutating func readMark(_ reader: inout JSONReader) throws(JSONError) -> String {
        guard try reader.peekKind() != .integer else { throw refuse(.invalid, "before must be the next of an earlier page", field: "before") }
        return try reader.readWord()
    }
}
