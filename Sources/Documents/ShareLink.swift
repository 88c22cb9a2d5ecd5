package import Bytes
internal import Family
internal import JSON

/// A link with which people outside the family open a document.
package struct ShareLink: Hashable, Sendable {
    /// The id for `revoke`.
    package var id = ""
    /// Only in the response to its creation: the server keeps only a digest of it.
    package var url: String?
    package var school: Identifier?
    package var createdBy: Identifier?
    /// UTC milliseconds.
    package var createdAt: Int64 = 0
    package var expiresAt: Int64 = 0
    package var endedAt: Int64?
    /// The number of views of its page, and of downloads of the file.
    package var views: Int64 = 0
    package var downloads: Int64 = 0

    package init() {}

    /// Whether the link works at an instant.
    package func isOpen(at now: Int64) -> Bool { endedAt == nil && now < expiresAt }

    static func read(_ octets: [UInt8]) throws(JSONError) -> ShareLink {
        try JSONReader.read(octets) { reader throws(JSONError) in try read(&reader) }
    }

    static func readList(_ octets: [UInt8]) throws(JSONError) -> [ShareLink] {
        try JSONReader.read(octets) { reader throws(JSONError) in
            var links: [ShareLink] = []
            try reader.readObject { reader, key throws(JSONError) in
                guard key == "shares" else { return try reader.skipValue() }
                try reader.readArray { reader throws(JSONError) in links.append(try read(&reader)) }
            }
            return links
        }
    }

    private static func read(_ reader: inout JSONReader) throws(JSONError) -> ShareLink {
        var link = ShareLink()
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "id": link.id = try reader.readString()
            case "url": link.url = try reader.readString()
            case "school": link.school = try reader.readIdentifier()
            case "created_by": link.createdBy = try reader.readIdentifier()
            case "created_at": link.createdAt = try reader.readInteger()
            case "expires_at": link.expiresAt = try reader.readInteger()
            case "ended_at": link.endedAt = try reader.readInteger()
            case "views": link.views = try reader.readInteger()
            case "downloads": link.downloads = try reader.readInteger()
            default: try reader.skipValue()
            }
        }
        return link
    }
}
