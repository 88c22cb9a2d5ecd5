import Bytes
import Family
import FrameCheck
import JSON
import Testing
import Wire

/// One file of `proto/frames/`.
struct GoldenFrame: CustomTestStringConvertible {
    var name = ""
    var direction = ""
    /// A good frame, without white space between its parts.
    var frame: [UInt8]?
    /// The form in which our own writer writes the frame, if it differs.
    var canonical: [UInt8]?
    /// A refused one.
    var text: [UInt8]?
    var error: Expectation?

    /// The refusal in the file; missing members are not compared.
    struct Expectation {
        var mutation: Int64?
        var code: String?
        var message: String?
        var operation: Int64?
        var kind: String?
        var id: String?
        var field: String?
    }

    var testDescription: String { name }

    init(_ octets: [UInt8]) throws(JSONError) {
        try JSONReader.read(octets) { reader throws(JSONError) in
            try reader.readObject { reader, key throws(JSONError) in
                switch key {
                case "name": name = try reader.readString()
                case "direction": direction = try reader.readString()
                case "frame": frame = GoldenFrame.compact(try reader.readRaw(maxOctets: .max, maxDepth: 31))
                case "canonical": canonical = GoldenFrame.compact(try reader.readRaw(maxOctets: .max, maxDepth: 31))
                case "text": text = try reader.readOctets()
                case "note": _ = try reader.readString()
                case "error":
                    var expectation = Expectation()
                    try reader.readObject { reader, key throws(JSONError) in
                        switch key {
                        case "mutation": expectation.mutation = try reader.readInteger()
                        case "code": expectation.code = try reader.readString()
                        case "message": expectation.message = try reader.readString()
                        case "operation": expectation.operation = try reader.readInteger()
                        case "kind": expectation.kind = try reader.readString()
                        case "id": expectation.id = try reader.readString()
                        case "field": expectation.field = try reader.readString()
                        default: throw .unknownKey(key.string)
                        }
                    }
                    error = expectation
                default: throw .unknownKey(key.string)
                }
            }
        }
    }

    /// Without the white space between the parts, which is for readers.
    private static func compact(_ octets: UnsafeRawBufferPointer) -> [UInt8] {
        var compact: [UInt8] = []
        var isInString = false
        var isEscaped = false
        for octet in octets {
            if isInString {
                compact.append(octet)
                if isEscaped { isEscaped = false } else if octet == UInt8(ascii: "\\") { isEscaped = true } else if octet == UInt8(ascii: "\"") { isInString = false }
            } else if octet > 0x20 {
                compact.append(octet)
                isInString = octet == UInt8(ascii: "\"")
            }
        }
        return compact
    }

    static let all: [GoldenFrame] = ProtoFolder.names(in: "frames").compactMap { name in
        guard let octets = ProtoFolder.read("frames/" + name) else { return nil }
        do throws(JSONError) {
            let golden = try GoldenFrame(octets)
            return golden.name + ".json" == name ? golden : nil
        } catch {
            return nil
        }
    }
}

@Suite("Golden frames")
struct GoldenFramesTests {
    @Test("Every file is read, and named as it says")
    func folder() {
        #expect(GoldenFrame.all.count == ProtoFolder.names(in: "frames").count)
        #expect(GoldenFrame.all.count > 80)
    }

    @Test("Every frame that is declared has a golden file")
    func covers() {
        let frames = GoldenFrame.all.compactMap { golden in golden.frame.map { golden.direction + " " + string($0) } }
        for (direction, declarations) in [("client", FrameDeclaration.client), ("server", FrameDeclaration.server)] {
            for declaration in declarations {
                #expect(frames.contains { $0.hasPrefix(direction) && $0.contains("\"type\":\"\(declaration.type)\"") }, "\(declaration.type)")
            }
        }
    }

    @Test("A good frame is read and written as it stands; a refused one gives its error", arguments: GoldenFrame.all)
    func golden(_ golden: GoldenFrame) throws {
        let isClient = golden.direction == "client"
        #expect(isClient || golden.direction == "server")
        if let frame = golden.frame {
            let written = isClient ? try ClientFrame.decode(frame, limits: Limits()).encode() : try ServerFrame.decode(frame).encode()
            #expect(string(written) == string(golden.canonical ?? frame))
            #expect(written == golden.canonical ?? frame)
            // Those of tomorrow show what a later server may send.
            if !golden.name.contains("tomorrow") { #expect(FrameCheck.problem(frame, from: isClient ? .client : .server) == nil) }
        } else {
            let text = try #require(golden.text)
            let expected = try #require(golden.error)
            var rejection: Rejection?
            var mutation: Int64?
            if isClient {
                let outcome = Outcome(octets: text)
                rejection = outcome.rejection
                mutation = outcome.refusedMutation
            } else {
                do { _ = try ServerFrame.decode(text) } catch { rejection = error }
            }
            let refused = try #require(rejection, "accepted")
            #expect(refused.code.rawValue == expected.code)
            #expect(mutation == expected.mutation)
            if let message = expected.message { #expect(refused.message == message) }
            if let operation = expected.operation { #expect(refused.operation == Int(operation)) }
            if let kind = expected.kind { #expect(refused.kind?.name.description == kind) }
            if let id = expected.id { #expect(refused.id?.description == id) }
            if let field = expected.field { #expect(refused.field == field) }
        }
    }
}
