import Bytes
import HTTP1
import Uploads

extension FuzzTarget {
    static let uploads: [FuzzTarget] = [
        FuzzTarget("upload-metadata") { octets in try checkMetadata(octets) },
        FuzzTarget("upload-checksum") { octets in try checkChecksum(octets) },
        FuzzTarget("structured-fields") { octets in try checkStructuredFields(octets) },
        FuzzTarget("upload-request", dictionary: "uploads") { octets in try checkUploadRequest(octets) },
        FuzzTarget("first-octets") { octets in try checkFirstOctets(octets) },
    ]
}

/// Metadata that were read are written so that they read the same, and no name occurs twice.
func checkMetadata(_ octets: [UInt8]) throws {
    let text = String(decoding: octets, as: UTF8.self)
    if let metadata = try? UploadMetadata([text]) {
        let names = metadata.entries.map(\.name)
        try hold(Set(names).count == names.count && !names.contains(""), "a name is empty or occurs twice")
        try hold(metadata.entries.count <= UploadMetadata.maxEntries, "more names than allowed")
        try hold(try UploadMetadata([metadata.text]).entries == metadata.entries, "metadata differ after writing and reading")
        _ = try? DocumentDescription(metadata)
    }
    _ = ContentDisposition.fileName(text)
}

func checkChecksum(_ octets: [UInt8]) throws {
    let text = String(decoding: octets, as: UTF8.self)
    guard let checksum = try? UploadChecksum(tus: text) else { return }
    try hold(checksum.tus == text && checksum.digest.count == checksum.algorithm.width, "a checksum differs after writing and reading")
}

/// An item is also valid after blanks, with a parameter, and as the value of a dictionary.
func checkStructuredFields(_ octets: [UInt8]) throws {
    let text = String(decoding: octets, as: UTF8.self)
    if let item = StructuredField.item(text) {
        try hold(StructuredField.item(" \(text) ") == item, "blanks change an item")
        let body = text.trimmingSpaces
        try hold(StructuredField.item("\(body);a=1") == item, "a parameter changes an item")
        try hold(StructuredField.dictionary("k=\(body), l")?["k"] == item, "an item is invalid in a dictionary")
    }
    if let members = StructuredField.dictionary(text), !members.isEmpty {
        let joined = StructuredField.dictionary("\(text.trimmingSpaces), zz=1")
        try hold(joined.map { $0.count == members.count + (members["zz"] == nil ? 1 : 0) } ?? false, "lines do not join")
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}

/// Any request below `/files`, in any dialect: read or refused, with a response in the same dialect.
func checkUploadRequest(_ octets: [UInt8]) throws {
    guard let parsed = try? RequestHead.parse(octets.span), let path = UploadPath(parsed.head.path) else { return }
    let dialect = UploadDialect(parsed.head)
    let largest = 1_000
    let outcome: UploadOutcome
    do throws(UploadRefusal) {
        let request = try UploadRequest(parsed.head, path, dialect, maxLength: largest)
        switch request {
        case .create(let creation):
            try? hold(creation.length ?? 0 <= largest, "a file of \(creation.length ?? 0) octets")
            outcome = .stored(UploadState(id: Identifier(high: 0, low: 0), offset: 0, length: creation.length, isComplete: false, expires: 0), isCreation: true)
        case .append(let id, let append):
            outcome = .stored(UploadState(id: id, offset: append.offset, length: append.length, isComplete: false, expires: 0), isCreation: false)
        case .offset(let id): outcome = .offset(UploadState(id: id, offset: 0, length: nil, isComplete: false, expires: .max))
        case .cancel: outcome = .cancelled
        case .options: outcome = .options
        }
        if let length = request.length { try? hold(length >= 0 && length <= largest, "a file of \(length) octets") }
    } catch {
        outcome = .refused(error, nil)
    }
    let answer = dialect.answer(outcome, maxLength: largest, now: 0)
    try hold((200...599).contains(answer.status), "status \(answer.status)")
    for field in answer.fields {
        try hold(field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a field of the answer holds control octets")
    }
    if case .refused(let refusal, _) = outcome { try hold(!refusal.sentence.isEmpty, "a refusal without a sentence") }
}

extension UploadRequest {
    fileprivate var length: Int? {
        switch self {
        case .create(let creation): creation.length
        case .append(_, let append): append.length
        default: nil
        }
    }
}

func checkFirstOctets(_ octets: [UInt8]) throws {
    for kind in FileExtension.allCases {
        let agrees = FirstOctets.agree(octets, with: kind, isWhole: true)
        try hold(agrees == FirstOctets.agree(octets, with: kind, isWhole: true), "the same octets are judged twice")
        // A beginning that is complete and matches also matches if more may follow.
        if agrees { try hold(FirstOctets.agree(octets, with: kind, isWhole: false), "\(kind): further octets make it another kind") }
    }
}
