/// One request of a client.
package struct HTTPRequest: Sendable {
    package enum Content: Sendable {
        case none
        case octets([UInt8])
        /// This many octets of an open file from an offset on. The file stays open until the request is over.
        case file(raw: Int32, offset: Int64, count: Int64)

        /// The number of octets.
        package var count: Int64 {
            switch self {
            case .none: 0
            case .octets(let octets): Int64(octets.count)
            case .file(_, _, let count): count
            }
        }
    }

    package var method: String
    /// The complete URL, beginning with `http://` or `https://`.
    package var url: String
    package var fields: [(name: String, value: String)]
    package var content: Content
    /// The seconds with less than one octet per second in either direction after which the server counts as gone; `nil`: `CurlClient.stallTime`.
    package var stallSeconds: Int?

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
    /// The fields, with names in lower case.
    package var fields: [(name: String, value: String)] = []

    package init(status: Int) { self.status = status }

    /// The first field with a name.
    ///
    /// - Parameter name: in lower case.
    package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// A response.
package struct HTTPReply: Sendable {
    package var head: HTTPReplyHead
    /// The content, unless it went to a file; at most `CurlClient.maxContent` of it.
    package var content: [UInt8]
}

/// The progress of a request.
package struct HTTPProgress: Hashable, Sendable {
    /// The octets of content, of this request alone.
    package var sent: Int64
    package var received: Int64
}

/// The reason why there is no response.
package enum HTTPClientError: Error, Hashable, Sendable {
    /// The network, the name, TLS: another try may succeed; the text is libcurl's and names the cause.
    case unreachable(String)
    /// No response came in time, or the transfer stalled.
    case timedOut
    /// The caller cancelled the request.
    case cancelled
    /// A local file cannot be read or written.
    case file(String)
}
