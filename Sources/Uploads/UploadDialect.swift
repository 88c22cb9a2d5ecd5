package import Bytes
package import HTTP1

/// The protocol of a request for resumable uploads. The response uses the same protocol.
package enum UploadDialect: Hashable, Sendable {
    /// tus 1.0.0.
    case tus
    /// draft-ietf-httpbis-resumable-upload.
    case draft(DraftVersion)
    /// A draft whose interop version is missing or unsupported: the request is refused, and never gets a 104.
    case unknownDraft

    /// The interop versions that clients in use send: 3 and 6 by Apple's systems, 5 by Apple's server library, 8 the
    /// latest.
    package enum DraftVersion: Int, CaseIterable, Comparable, Sendable {
        /// draft -01: `Upload-Incomplete`.
        case three = 3
        /// draft -03: `Upload-Complete`.
        case five = 5
        /// drafts -04 and -05: `application/partial-upload`, `Upload-Limit`, `Upload-Length`, problem types.
        case six = 6
        /// drafts -09 to -11.
        case eight = 8

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The dialect of a request. A request without an indication counts as tus, whose rules then refuse it.
    package init(_ head: RequestHead) {
        if head.fields.contains("upload-draft-interop-version") {
            let number = head.fields.only("upload-draft-interop-version").flatMap { StructuredField.integer($0) }
            self = number.flatMap { DraftVersion(rawValue: Int($0)) }.map { .draft($0) } ?? .unknownDraft
        } else if head.fields.contains("tus-resumable") {
            self = .tus
        } else {
            self = head.fields.contains("upload-complete") || head.fields.contains("upload-incomplete") ? .unknownDraft : .tus
        }
    }
}

/// The path of a request for uploads.
package enum UploadPath: Hashable, Sendable {
    /// `/files`: the target of creations.
    case collection
    /// `/files/ID`.
    case upload(Identifier)
    /// A path below `/files` that cannot be an upload.
    case unknown

    /// - Returns: `nil` if the path is not about uploads.
    package init?(_ path: String) {
        if path == "/files" || path == "/files/" {
            self = .collection
        } else if path.hasPrefix("/files/") {
            self = Identifier(String(path.dropFirst("/files/".count))).map { .upload($0) } ?? .unknown
        } else {
            return nil
        }
    }

    /// The target of an upload, as responses name it: relative, so that it is right behind every proxy (RFC 9110
    /// §10.2.2).
    package static func of(_ id: Identifier) -> String { "/files/\(id)" }
}

extension UploadRequest {
    /// Reads the head of a request below `/files`.
    ///
    /// - Parameters:
    ///   - dialect: the dialect of this head.
    ///   - maxLength: the octets of the largest file.
    /// - Throws: the refusal to send, in `dialect`.
    package init(_ head: RequestHead, _ path: UploadPath, _ dialect: UploadDialect, maxLength: Int) throws(UploadRefusal) {
        switch dialect {
        case .tus: self = try UploadRequest.tus(head, path, maxLength: maxLength)
        case .draft(let version): self = try UploadRequest.draft(head, path, version, maxLength: maxLength)
        case .unknownDraft:
            guard head.method != "OPTIONS" else {
                self = .options
                return
            }
            throw .unknownDraft
        }
    }

    /// The length in a request's framing; `nil` for chunked content.
    static func contentLength(_ head: RequestHead) -> Int? {
        switch head.framing {
        case .none: 0
        case .length(let length): length
        case .chunked: nil
        }
    }

    /// Type and subtype of the content, in lower case; empty without one.
    static func mediaType(_ head: RequestHead) -> String {
        let value = head.fields.only("content-type") ?? ""
        let end = value.utf8.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
        return value[..<end].lowercased().split(separator: " ").joined()
    }
}
