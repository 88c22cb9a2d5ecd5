package import Family
import JSON

extension ClientFrame {
    /// Reads one text message of a client, strictly: an unknown member, a member twice, a value of another type, a missing
    /// member are all refused. Members may come in any order.
    ///
    /// - Parameter octets: one whole message; not kept.
    /// - Returns: a frame; `.refusedMutation` for a mutation whose number can be read and whose content is refused, so that the
    ///   author gets an answer to exactly that mutation; `.refusedRequest` for a question about a kind, a filter or an order that this
    ///   server does not know.
    /// - Throws: `bad_frame` for anything that is not a frame of this protocol.
    package static func decode(_ octets: UnsafeRawBufferPointer, limits: Limits) throws(Rejection) -> ClientFrame {
        guard octets.count <= limits.messageOctets else {
            throw Rejection(.badFrame, "A message has at most \(limits.messageOctets) octets")
        }
        var content = FrameContent(limits: limits)
        do throws(JSONError) {
            return try read(try type(of: octets, &content), octets, &content)
        } catch {
            guard let refusal = content.refusal else { throw Rejection(.badFrame, "This is not a frame of the protocol: \(error)") }
            return try refused(octets, refusal, content)
        }
    }

    package static func decode(_ octets: [UInt8], limits: Limits) throws(Rejection) -> ClientFrame {
        try octets.withUnsafeBufferPointer { buffer throws(Rejection) in
            try decode(UnsafeRawBufferPointer(buffer), limits: limits)
        }
    }

    /// The `request` of a frame that `decode` refused, for the error that answers it; `nil` when it has none that can be read.
    package static func request(ofRefused octets: UnsafeRawBufferPointer, limits: Limits) -> Int64? {
        (try? numbers(octets, limits))?.request
    }

    private static let byType = Dictionary(uniqueKeysWithValues: parts.map { ($0.declaration.type, $0) })

    /// Looks for the type, which most clients write first.
    private static func type(of octets: UnsafeRawBufferPointer, _ content: inout FrameContent) throws(JSONError) -> any ClientFrameParts.Type {
        var word: String?
        do throws(JSONError) {
            try JSONReader.read(octets, maxDepth: content.limits.jsonDepth, maxKeys: content.limits.objectKeys) { reader throws(JSONError) in
                try reader.readObject { reader, key throws(JSONError) in
                    guard key == "type" else { return try reader.skipValue() }
                    do throws(JSONError) {
                        word = try reader.readString()
                    } catch {
                        if !error.isOfGrammar { refuse(key, error, &content) }
                        throw error
                    }
                    // Only the reader of the type knows the members that follow.
                    throw JSONError.invalid("type")
                }
            }
        } catch {
            guard word != nil else { throw error }
        }
        guard let word else { throw content.missing("type") }
        guard let known = byType[word] else {
            throw content.refuse(.badFrame, "Unknown frame: \(SentencePart.quoted(word)). \(SentencePart.older)", field: "type")
        }
        return known
    }

    private static func read<Parts: ClientFrameParts>(
        _: Parts.Type, _ octets: UnsafeRawBufferPointer, _ content: inout FrameContent
    ) throws(JSONError) -> ClientFrame {
        var parts = Parts()
        try JSONReader.read(octets, maxDepth: content.limits.jsonDepth, maxKeys: content.limits.objectKeys) { reader throws(JSONError) in
            try reader.readObject { reader, key throws(JSONError) in
                if key == "type" { return try reader.skipValue() }
                let isKnown: Bool
                do throws(JSONError) {
                    isKnown = try parts.read(key, &reader, &content)
                } catch {
                    if !error.isOfGrammar { refuse(key, error, &content) }
                    throw error
                }
                guard isKnown else {
                    let name = key.string
                    throw content.refuse(
                        .unknownField, "\(SentencePart.quoted(name)) is not part of the frame \(Parts.declaration.type). \(SentencePart.older)",
                        field: name.utf8.count <= WireBounds.wordOctets ? name : String(name.unicodeScalars.prefix(40)))
                }
            }
        }
        let frame = try parts.frame(&content)
        if let request = content.request, frame.request == nil { return .tagged(frame, request: request) }
        return frame
    }

    /// Says which member the error is about, unless the reader of that member knew better.
    private static func refuse(_ member: JSONKey, _ error: JSONError, _ content: inout FrameContent) {
        guard content.refusal == nil else { return }
        let name = member.string
        content.refusal = Rejection(.invalid, "\(name) is not valid: \(error)", field: name)
    }

    /// Something in the frame is refused. If the rest is sound and it is a mutation with a number or a question with a request, that number gets
    /// the answer.
    private static func refused(_ octets: UnsafeRawBufferPointer, _ refusal: Rejection, _ content: FrameContent) throws(Rejection) -> ClientFrame {
        let numbers: Numbers
        do throws(JSONError) {
            numbers = try Self.numbers(octets, content.limits)
        } catch {
            throw Rejection(.badFrame, "This is not a frame of the protocol: \(error)")
        }
        if numbers.type == MutateParts.declaration.type, let mutation = numbers.mutation { return .refusedMutation(id: mutation, refusal) }
        if content.refusesQuestion, let request = numbers.request { return .refusedRequest(request: request, refusal) }
        var plain = refusal
        plain.code = .badFrame
        throw plain
    }

    /// The numbers by which a refused frame can be answered; `nil` if they cannot be read.
    private struct Numbers {
        var type: String?
        var mutation: Int64?
        var request: Int64?
    }

    /// - Throws: what is wrong with the JSON of the frame.
    private static func numbers(_ octets: UnsafeRawBufferPointer, _ limits: Limits) throws(JSONError) -> Numbers {
        var numbers = Numbers()
        try JSONReader.read(octets, maxDepth: limits.jsonDepth, maxKeys: limits.objectKeys) { reader throws(JSONError) in
            try reader.readObject { reader, key throws(JSONError) in
                switch key {
                case "type" where try reader.peekKind() == .string: numbers.type = try reader.readString()
                case "mutation" where try reader.peekKind() == .integer:
                    var ahead = reader
                    numbers.mutation = try? ahead.readCount(from: 1)
                    try reader.skipValue()
                case "request" where try reader.peekKind() == .integer:
                    var ahead = reader
                    numbers.request = try? ahead.readCount()
                    try reader.skipValue()
                default: try reader.skipValue()
                }
            }
        }
        return numbers
    }
}

extension JSONError {
    /// Whether the text is not JSON as we read it, whatever it was meant to be.
    fileprivate var isOfGrammar: Bool {
        switch self {
        case .syntax, .duplicateKey, .tooDeep, .tooManyKeys: true
        default: false
        }
    }
}
