internal import Bytes
internal import Family
internal import HTTP1

/// A client's description of its file: names and values, in the order of arrival.
package struct UploadMetadata: Hashable, Sendable {
    /// One name with its value.
    package struct Entry: Hashable, Sendable {
        package var name: String
        package var value: [UInt8]
    }

    package private(set) var entries: [Entry] = []
    /// The metadata as the client wrote it in `Upload-Metadata`, to be returned to HEAD (tus, Creation); `nil` if it
    /// wrote none.
    package private(set) var written: String?

    /// The limit on entries; the head limits the octets, and this limits the work with them.
    package static let maxEntries = 32

    package init() {}

    /// Reads the lines of `Upload-Metadata`: pairs separated by commas, each a name and, after a space, a value in base64.
    ///
    /// - Throws: for a repeated or empty name, or a value that is not base64.
    package init(_ lines: [String]) throws(UploadRefusal) {
        guard !lines.isEmpty else { return }
        let text = lines.joined(separator: ",")
        written = text
        for element in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let isBlank = { (octet: UInt8) in octet == 0x20 || octet == 0x09 }
            let parts = element.split(whereSeparator: isBlank)
            guard let name = parts.first, parts.count <= 2 else {
                throw .badRequest("metadata must be names, each with a space and a value in base64, separated by commas")
            }
            var value: [UInt8] = []
            if parts.count == 2 {
                guard let decoded = Base64.decode(Array(parts[1]).span) else { throw .badRequest("a value in the metadata is not base64") }
                value = decoded
            }
            try add(String(decoding: name, as: UTF8.self), value)
        }
    }

    /// Drops the original text, for metadata that did not come as `Upload-Metadata`.
    package mutating func forgetWriting() { written = nil }

    /// The value of a name.
    package subscript(name: String) -> [UInt8]? { entries.first { $0.name == name }?.value }

    /// A value as text; `nil` if it is missing.
    ///
    /// - Throws: if the value is not UTF-8.
    package func text(_ name: String) throws(UploadRefusal) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = String(validating: value, as: UTF8.self) else {
            throw .metadata(.invalid, name, "\(name) is not valid UTF-8 text. Nothing was kept; send it again.")
        }
        return text
    }

    mutating func add(_ name: String, _ value: [UInt8]) throws(UploadRefusal) {
        guard self[name] == nil else { throw .badRequest("the metadata have a name twice") }
        guard entries.count < Self.maxEntries else { throw .badRequest("there are more than \(Self.maxEntries) names in the metadata") }
        entries.append(Entry(name: name, value: value))
    }

    package mutating func add(_ name: String, _ value: String) throws(UploadRefusal) { try add(name, Array(value.utf8)) }

    /// Adds the parameters of a query: `name=value&…`, percent-encoded UTF-8; a space may also be `+`, as in forms.
    mutating func add(query: String) throws(UploadRefusal) {
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decode(parts[0], plusIsSpace: true), !name.isEmpty,
                let value = parts.count == 2 ? PercentCoding.decode(parts[1], plusIsSpace: true) : []
            else { throw .badRequest("a parameter of the address is not percent-encoded") }
            try add(String(decoding: name, as: UTF8.self), value)
        }
    }

    /// The value of `Upload-Metadata`, for a client.
    package var text: String {
        entries.map { $0.value.isEmpty ? $0.name : "\($0.name) \(Base64.encode($0.value))" }.joined(separator: ",")
    }
}
