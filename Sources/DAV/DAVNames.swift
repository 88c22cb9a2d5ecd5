// WebDAV and CalDAV (RFC 4918, RFC 4791, RFC 6578) as values: the content of requests, and of responses; no sockets, no files.

package import XML

/// The names of WebDAV and CalDAV that this server knows.
package enum DAVNames {
    package static let dav = "DAV:"
    package static let calDAV = "urn:ietf:params:xml:ns:caldav"
    package static let calendarServer = "http://calendarserver.org/ns/"
    package static let apple = "http://apple.com/ns/ical/"
    /// Of this server: sentences in errors.
    package static let huddle = "urn:huddle:dav"

    /// The prefixes in documents of this server.
    package static let prefixes = [dav: "d", calDAV: "c", calendarServer: "cs", apple: "i", huddle: "h"]

    package static func d(_ local: String) -> XMLName { XMLName(local, in: dav) }
    package static func c(_ local: String) -> XMLName { XMLName(local, in: calDAV) }
    package static func cs(_ local: String) -> XMLName { XMLName(local, in: calendarServer) }
    package static func i(_ local: String) -> XMLName { XMLName(local, in: apple) }
}

/// The reason why the content of a request is refused.
package struct DAVRefusal: Error, Hashable, Sendable {
    package var status: Int
    /// The condition that is not met, of RFC 4918, RFC 4791 or RFC 6578.
    package var condition: XMLName?
    /// For people.
    package var sentence: String

    package init(_ status: Int, _ condition: XMLName? = nil, _ sentence: String) {
        self.status = status
        self.condition = condition
        self.sentence = sentence
    }

    /// The content of the response: `DAV:error`.
    package var content: [UInt8] {
        var writer = XMLWriter(prefixes: DAVNames.prefixes)
        writer.begin(DAVNames.d("error"))
        if let condition { writer.element(XMLElement(condition, [XMLElement.Node]())) }
        writer.element(XMLName("sentence", in: DAVNames.huddle), text: sentence)
        writer.end(DAVNames.d("error"))
        return writer.octets
    }
}
