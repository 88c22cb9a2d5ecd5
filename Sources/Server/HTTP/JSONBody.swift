import Family
import HTTP1
import JSON

/// The JSON object in the content of a request.
protocol JSONContent {
    /// The largest number of octets of the content: a few times what valid content needs.
    static var maxOctets: Int { get }
    /// The names of the members, for the refusal of other content.
    static var members: String { get }

    init()

    /// Reads the value of one member.
    ///
    /// - Returns: false, with nothing read, if no member has this name.
    mutating func read(_ name: String, _ reader: inout JSONReader) throws(JSONError) -> Bool
    /// Refuses values that contradict each other, and objects with missing members.
    func check() throws(Rejection)
}

/// Reads the content of a request as one JSON object, strictly (no key twice, no unknown key, nothing behind it).
enum JSONBody {
    /// The largest depth of nested containers; no valid content has more.
    private static let maxDepth = 4

    /// The refusal of content with a declared type other than JSON. Content without a declared type is read as JSON.
    static func refusal(_ fields: HTTPFields) -> HTTPResponse? {
        if fields.contains("content-encoding") {
            return HTTPResponse(415, code: "content_type", sentence: "Send the content of this request without Content-Encoding.")
        }
        guard fields.contains("content-type"), !isJSON(fields.only("content-type") ?? "") else { return nil }
        return otherType
    }

    /// The refusal of content of another type.
    static var otherType: HTTPResponse {
        HTTPResponse(415, code: "content_type", sentence: "The content of this request must be sent as application/json.")
    }

    /// The refusal of content above the limit, with the sentence for content of undeclared length.
    static var tooLarge: HTTPResponse { HTTPResponse(413, code: "too_large", sentence: "The request body is too large. Send a smaller one.") }

    private static func isJSON(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" }
        return name.drop { $0 == " " || $0 == "\t" }.lowercased().trimmingEnd == "application/json"
    }

    /// - Throws: a refusal that names the wrong member, if one is wrong.
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
                throw Rejection(.invalid, "\(name) has a value of the wrong type", field: name)
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
