import Family
import HTTP1
import JSON

/// The members of a JSON object that a request has as its content.
protocol JSONContent {
    /// The most octets of the content: a few times what there is to say.
    static var maxOctets: Int { get }
    /// Names the members in the refusal of other content.
    static var members: String { get }

    init()

    /// Reads the value of one member.
    ///
    /// - Returns: false, with nothing read, if no member has this name.
    mutating func read(_ name: String, _ reader: inout JSONReader) throws(JSONError) -> Bool
    /// Refuses values that do not belong together, and members that are missing.
    func check() throws(Rejection)
}

/// How the content of a request becomes a value: as one JSON object, read strictly (no key twice, no unknown key, nothing behind it).
enum JSONBody {
    /// Containers inside of each other; more than any content of ours has.
    private static let maxDepth = 4

    /// The refusal of content that is declared as something else than JSON. Content without a declared type is read as JSON.
    static func refusal(_ fields: HTTP1.Fields) -> HTTPResponse? {
        if fields.contains("content-encoding") {
            return HTTPResponse(415, code: "content_type", sentence: "Send the content of this request without Content-Encoding.")
        }
        guard fields.contains("content-type"), !isJSON(fields.only("content-type") ?? "") else { return nil }
        return otherType
    }

    /// The refusal of content of another type.
    static var otherType: HTTPResponse {
        HTTPResponse(415, code: "content_type", sentence: "The content of this request has to be sent as application/json.")
    }

    /// The refusal of more content than is taken, in the words of content whose length is not declared.
    static var tooLarge: HTTPResponse { HTTPResponse(413, code: "too_large", sentence: "This is more content than is taken here. Send less.") }

    private static func isJSON(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" }
        return name.drop { $0 == " " || $0 == "\t" }.lowercased().trimmingEnd == "application/json"
    }

    /// - Throws: a refusal that names the member that is wrong, if one is.
    static func read<Content: JSONContent>(_ octets: [UInt8], as type: Content.Type = Content.self) throws(Rejection) -> Content {
        var content = Content()
        /// The member whose value is being read.
        var current: String?
        do throws(JSONError) {
            try JSONReader.read(octets, maxDepth: maxDepth) { reader throws(JSONError) in
                try reader.readObject { reader, key throws(JSONError) in
                    let name = key.string
                    current = name
                    guard try content.read(name, &reader) else { throw .unknownKey(name) }
                    current = nil
                }
            }
        } catch {
            switch (error, current) {
            case (.unexpected, let name?), (.notInteger, let name?), (.outOfRange, let name?):
                throw Rejection(.invalid, "\(name) holds a value of the wrong type", field: name)
            default: throw Rejection(.invalid, "The content must be a JSON object with \(Content.members)")
            }
        }
        try content.check()
        return content
    }
}

extension String {
    fileprivate var trimmingEnd: Substring {
        var rest = self[...]
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
