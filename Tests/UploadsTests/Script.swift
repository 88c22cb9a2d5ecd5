import Bytes
import HTTP1

@testable import Uploads

/// A request as on the wire, with the result of parsing it.
enum Script {
    static let id = "0198c2a4-0000-7000-8000-00000000000a"
    static let upload = Identifier(high: 0x0198_c2a4_0000_7000, low: 0x8000_0000_0000_000a)
    static let maxLength = 104_857_600
    static let now: Int64 = 1_795_219_200_000

    /// - Parameter lines: the request line without version, then fields.
    static func head(_ lines: [String]) throws -> RequestHead {
        let text = "\(lines[0]) HTTP/1.1\r\nHost: h\r\n" + lines.dropFirst().map { $0 + "\r\n" }.joined() + "\r\n"
        // In three steps: Swift 6.3.1 corrupts the head when it optimises them into one, as for the address sanitizer.
        let octets = Array(text.utf8)
        guard let parsed = try RequestHead.parse(octets.span) else { throw HTTPError.startLine }
        return parsed.head
    }

    static func parse(_ lines: [String]) throws -> UploadRequest {
        let head = try head(lines)
        guard let path = UploadPath(head.path) else { throw UploadRefusal.notFound }
        return try UploadRequest(head, path, UploadDialect(head), maxLength: maxLength)
    }

    /// The refusal of a request, or `nil` if it is accepted.
    static func refusal(_ lines: [String]) throws -> UploadRefusal? {
        do { _ = try parse(lines) } catch let refusal as UploadRefusal { return refusal }
        return nil
    }

    static func tus(_ request: String, _ fields: String...) -> [String] { [request, "Tus-Resumable: 1.0.0"] + fields }

    static func draft(_ version: Int, _ request: String, _ fields: String...) -> [String] {
        [request, "Upload-Draft-Interop-Version: \(version)"] + fields
    }

    static func state(_ offset: Int, of length: Int? = 100, isComplete: Bool = false) -> UploadState {
        UploadState(
            id: upload, offset: offset, length: length, isComplete: isComplete, expires: now + 3_600_000, metadata: "filename YS5wZGY=,secret")
    }

    static func answer(_ dialect: UploadDialect, _ outcome: UploadOutcome) -> UploadAnswer {
        dialect.answer(outcome, maxLength: maxLength, now: now)
    }
}

extension UploadRequest {
    var creation: UploadCreation? { if case .create(let creation) = self { creation } else { nil } }
    var append: UploadAppend? { if case .append(_, let append) = self { append } else { nil } }
}
