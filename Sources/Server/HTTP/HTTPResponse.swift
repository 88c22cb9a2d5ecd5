import Bytes
import Family
import HTTP1
import JSON

/// A response. The sender adds length, date and connection.
struct HTTPResponse {
    var status: Int
    var fields: [Field] = []
    /// Content in memory; empty if there is a `file`.
    var content: [UInt8] = []
    /// Content that is sent from a file.
    var file: FileContent?

    init(_ status: Int, _ fields: [Field] = [], content: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.content = content
    }

    /// A response with a sentence for a person. It is about this request only, so it must not be cached.
    init(_ status: Int, _ sentence: String, _ fields: [Field] = []) {
        self.init(
            status, fields + [Field("Content-Type", "text/plain; charset=utf-8"), Field("Cache-Control", "no-store")],
            content: Array((sentence + "\n").utf8))
    }

    /// A refusal for a program and for a person: `{"code":…,"field":…,"sentence":…}`, with `field` if there is one.
    init(_ status: Int, code: String, field: String? = nil, sentence: String, _ fields: [Field] = []) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("code")
        writer.string(code)
        if let field {
            writer.key("field")
            writer.string(field)
        }
        writer.key("sentence")
        writer.string(sentence)
        writer.endObject()
        self.init(
            status, fields + [Field("Content-Type", "application/json"), Field("Cache-Control", "no-store")], content: writer.octets + [0x0A])
    }

    /// A refusal by the rules of the family, the disk or the load.
    init(_ rejection: Rejection) {
        let fields = rejection.retryAfterSeconds.map { [Field("Retry-After", "\($0)")] } ?? []
        self.init(rejection.code.httpStatus, code: rejection.code.rawValue, field: rejection.field, sentence: rejection.message, fields)
    }

    /// The response for a `ContentSelection` of a file; the file is not read here.
    init(_ selection: ContentSelection, of file: OpenFile, key: Identifier, family: Identifier) {
        self.init(selection.status, selection.fields)
        if !selection.pieces.isEmpty { self.file = FileContent(file, key: key, of: family, pieces: selection.pieces) }
    }

    /// The number of octets of content.
    var length: Int { file?.length ?? content.count }

    /// The fields with those of `defaults` whose names are not among them.
    func fields(with defaults: [Field]) -> [Field] {
        fields + defaults.filter { one in !fields.contains { $0.name == one.name } }
    }
}
