import Bytes
import Family
import HTTP1
import JSON

/// A response; length, date and connection are added by who sends it.
struct HTTPResponse {
    var status: Int
    var fields: [Field] = []
    /// In memory; empty when there is a `file`.
    var content: [UInt8] = []
    /// Content that is sent from where it is.
    var file: FileContent?

    init(_ status: Int, _ fields: [Field] = [], content: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.content = content
    }

    /// A sentence for whoever reads the answer; it is about this request only, so nobody may keep it.
    init(_ status: Int, _ sentence: String, _ fields: [Field] = []) {
        self.init(
            status, fields + [Field("Content-Type", "text/plain; charset=utf-8"), Field("Cache-Control", "no-store")],
            content: Array((sentence + "\n").utf8))
    }

    /// Why something was not done, for a program and for a person: `{"code":…,"field":…,"sentence":…}`, `field` where there is one.
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

    /// Why the rules of the family, the disk or the load did not let something happen.
    init(_ rejection: Rejection) {
        let fields = rejection.retryAfterSeconds.map { [Field("Retry-After", "\($0)")] } ?? []
        self.init(rejection.code.httpStatus, code: rejection.code.rawValue, field: rejection.field, sentence: rejection.message, fields)
    }

    /// What a `Selection` says about a file, of which nothing is read here.
    init(_ selection: Selection, of file: OpenFile, key: Identifier, family: Identifier) {
        self.init(selection.status, selection.fields)
        if !selection.pieces.isEmpty { self.file = FileContent(file, key: key, of: family, pieces: selection.pieces) }
    }

    /// Octets of content.
    var length: Int { file?.length ?? content.count }

    /// The fields with those of `defaults` whose names are not among them.
    func fields(with defaults: [Field]) -> [Field] {
        fields + defaults.filter { one in !fields.contains { $0.name == one.name } }
    }
}
