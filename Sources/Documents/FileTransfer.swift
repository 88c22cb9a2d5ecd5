internal import Bytes
internal import JSON
internal import Terminal

/// An upload or a download, with all facts that another run of the program needs to resume it.
package struct FileTransfer: Hashable, Sendable {
    package enum Way: Hashable, Sendable {
        case upload(NewUpload)
        case download(DocumentDownload.File)
    }

    package var way: Way
    /// The absolute path of the source or the target on this machine.
    package var path: String
    /// An upload's file as it was when the user chose it: a different file is not sent.
    package var stamp: FileStamp?

    package init(_ way: Way, path: String, stamp: FileStamp? = nil) {
        self.way = way
        self.path = path
        self.stamp = stamp
    }

    package var isUpload: Bool {
        if case .upload = way { true } else { false }
    }

    /// The title for the user: the document's title, or the file's name.
    package var title: String {
        switch way {
        case .upload(let new): new.title.printable
        case .download: (path.split(separator: "/").last.map(String.init) ?? path).printable
        }
    }

    /// The total number of octets; 0 while it is unknown.
    package var total: Int64 {
        switch way {
        case .upload: stamp?.octets ?? 0
        case .download(let file): file.octets
        }
    }

    // MARK: Stored form

    /// A JSON object.
    var saved: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        func text(_ key: StaticString, _ value: String?) {
            guard let value else { return }
            writer.key(key)
            writer.string(value)
        }
        func id(_ key: StaticString, _ value: Identifier?) {
            guard let value else { return }
            writer.key(key)
            writer.identifier(value)
        }
        func number(_ key: StaticString, _ value: Int64) {
            writer.key(key)
            writer.integer(value)
        }
        text("path", path)
        switch way {
        case .upload(let new):
            id("family", new.family)
            id("athlete", new.athlete)
            text("type", new.type)
            text("title", new.title)
            text("description", new.description)
            id("school", new.school)
            id("replaces", new.replaces)
            text("file_name", new.fileName)
            if let stamp {
                number("octets", stamp.octets)
                number("changed", stamp.changed)
                text("sha256", stamp.sha256)
            }
        case .download(let file):
            id("document", file.document)
            number("octets", file.octets)
            text("sha256", file.sha256)
        }
        writer.endObject()
        return writer.octets
    }

    /// - Returns: `nil` for content that this program never wrote.
    static func read(saved octets: [UInt8]) -> FileTransfer? {
        var texts: [String: String] = [:]
        var numbers: [String: Int64] = [:]
        let isRead: Void? = try? JSONReader.read(octets) { (reader: inout JSONReader) throws(JSONError) in
            try reader.readObject { (reader: inout JSONReader, key: JSONKey) throws(JSONError) in
                if let name = counts.first(where: { (name: String) in key == name }) {
                    numbers[name] = try reader.readInteger()
                } else if let name = words.first(where: { (name: String) in key == name }) {
                    texts[name] = try reader.readString()
                } else {
                    try reader.skipValue()
                }
            }
        }
        guard isRead != nil, let path = texts["path"] else { return nil }
        func id(_ name: String) -> Identifier? { texts[name].flatMap { Identifier($0) } }
        if let document = id("document"), let octets = numbers["octets"], let sha256 = texts["sha256"] {
            return FileTransfer(.download(.init(document: document, octets: octets, sha256: sha256)), path: path)
        }
        guard let family = id("family"), let athlete = id("athlete"), let type = texts["type"], let title = texts["title"], let name = texts["file_name"] else { return nil }
        let new = NewUpload(
            family: family, athlete: athlete, type: type, title: title, description: texts["description"], school: id("school"), replaces: id("replaces"), fileName: name)
        var stamp: FileStamp?
        if let octets = numbers["octets"], let changed = numbers["changed"] { stamp = FileStamp(octets: octets, changed: changed, sha256: texts["sha256"]) }
        return FileTransfer(.upload(new), path: path, stamp: stamp)
    }

    private static let counts = ["octets", "changed"]
    private static let words = ["path", "family", "athlete", "type", "title", "description", "school", "replaces", "file_name", "document", "sha256"]
}
