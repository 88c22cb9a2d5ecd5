package import Bytes
internal import Family

/// The document that an upload becomes, as described by its metadata.
package struct DocumentDescription: Hashable, Sendable {
    package var family: Identifier
    /// The athlete who will own the document.
    package var athlete: Identifier
    package var type: DocumentType
    /// The title without surrounding white space.
    package var title: String
    /// The id of a record of kind `school`.
    package var school: Identifier?
    /// The member's description of the document.
    package var text: String?
    /// The document of which this is a new version.
    package var replaces: Identifier?
    /// The file name without folders.
    package var fileName: String
    package var fileExtension: FileExtension
    /// The digest of the whole file, if the client declares one.
    package var sha256: [UInt8]?

    /// The longest file name in characters, as in the kind `document`.
    private static let maxFileName = 255

    /// Reads the metadata that `proto/uploads.md` lists; all others are ignored.
    ///
    /// - Throws: a refusal with the field that is missing or unreadable.
    package init(_ metadata: UploadMetadata) throws(UploadRefusal) {
        family = try DocumentDescription.identifier(metadata, "family")
        athlete = try DocumentDescription.identifier(metadata, "athlete")
        let typeName = try metadata.text("type") ?? ""
        guard !typeName.isEmpty else { throw .metadata(.required, "type", "Document type is required. Nothing was kept.") }
        guard let type = DocumentType(rawValue: typeName) else {
            let names = DocumentType.allCases.map(\.rawValue).joined(separator: ", ")
            throw .metadata(.invalid, "type", "Document type must be one of \(names). Nothing was kept; choose one of them.")
        }
        self.type = type
        let trimmed = (try metadata.text("title") ?? "").trimmed
        guard !trimmed.isEmpty else { throw .metadata(.required, "title", "Title is required. Nothing was kept.") }
        title = trimmed
        school = try DocumentDescription.optional(metadata, "school_id")
        replaces = try DocumentDescription.optional(metadata, "replaces")
        text = try metadata.text("description").flatMap { $0.isEmpty ? nil : $0 }
        let name = (try metadata.text("filename") ?? "").afterFolders.trimmed
        guard !name.isEmpty else { throw .metadata(.required, "filename", "The name of the file is required. Nothing was kept.") }
        guard name.count <= Self.maxFileName, !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw .metadata(.invalid, "filename", "The name of the file is too long or contains control characters. Rename it, and upload it again.")
        }
        guard let fileExtension = FileExtension(fileName: name), type.extensions.contains(fileExtension) else { throw .fileType(type) }
        fileName = name
        self.fileExtension = fileExtension
        if let hex = try metadata.text("sha256"), !hex.isEmpty {
            guard let digest = Hex.decode(hex.lowercased()), digest.count == 32 else {
                throw .metadata(.invalid, "sha256", "sha256 must be 64 hexadecimal digits, or left out. Nothing was kept.")
            }
            sha256 = digest
        }
    }

    private static func identifier(_ metadata: UploadMetadata, _ name: String) throws(UploadRefusal) -> Identifier {
        guard let id = try optional(metadata, name) else { throw .metadata(.required, name, "\(name) is required. Nothing was kept.") }
        return id
    }

    private static func optional(_ metadata: UploadMetadata, _ name: String) throws(UploadRefusal) -> Identifier? {
        guard let text = try metadata.text(name), !text.isEmpty else { return nil }
        guard let id = Identifier(text) else { throw .metadata(.invalid, name, "\(name) is not an identifier. Nothing was kept.") }
        return id
    }
}

extension String {
    fileprivate var trimmed: String {
        let body = drop { $0.isWhitespace }
        guard let end = body.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(body[...end])
    }

    /// Some clients send the whole path, with either kind of separator.
    fileprivate var afterFolders: String {
        guard let slash = utf8.lastIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) else { return self }
        return String(self[utf8.index(after: slash)...])
    }
}
