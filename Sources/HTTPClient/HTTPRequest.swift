/// One request of a client.
package struct HTTPRequest: Sendable {
    package enum Content: Sendable {
        case none
        case octets([UInt8])
        /// So many octets of an open file from an offset on. The file stays open until the request is over.
        case file(raw: Int32, offset: Int64, count: Int64)

        /// Octets.
        package var count: Int64 {
            switch self {
            case .none: 0
            case .octets(let octets): Int64(octets.count)
            case .file(_, _, let count): count
            }
        }
    }

    package var method: String
    /// Whole, beginning with `http://` or `https://`.
    package var url: String
    package var fields: [(name: String, value: String)]
    package var content: Content

    package init(_ method: String, _ url: String, fields: [(name: String, value: String)] = [], content: Content = .none) {
        self.method = method
        self.url = url
        self.fields = fields
        self.content = content
    }
}

/// The head of a final response.
package struct HTTPReplyHead: Sendable {
    package var status: Int
    /// Names in lower case.
    package var fields: [(name: String, value: String)] = []

    package init(status: Int) { self.status = status }

    /// The first field of a name.
    ///
    /// - Parameter name: in lower case.
    package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// What came back.
package struct HTTPReply: Sendable {
    package var head: HTTPReplyHead
    /// The content, unless it was asked to go elsewhere; no more than `HTTPClient.maxContent` of it.
    package var content: [UInt8]
}

/// How far a request is.
package struct HTTPProgress: Hashable, Sendable {
    /// Octets of content, of this request alone.
    package var sent: Int64
    package var received: Int64
}

/// Why there is no response.
package enum HTTPClientError: Error, Hashable, Sendable {
    /// The network, the name, TLS: worth another try, perhaps; the text is libcurl's and names the cause.
    case unreachable(String)
    /// Nobody answered in time, or nothing came any more.
    case timedOut
    /// Who asked does not want it any more.
    case cancelled
    /// A file of ours cannot be read or written.
    case file(String)
}
