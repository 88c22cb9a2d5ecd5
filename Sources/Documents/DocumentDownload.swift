package import Bytes
internal import Crypto
internal import Posix
internal import Sync
internal import Terminal

/// Downloads a document's file into a folder of this machine, resumes after an interrupted attempt, and verifies that
/// the file is complete.
package struct DocumentDownload {
    /// The facts about its file from a document's record.
    package struct File: Hashable, Sendable {
        package var document: Identifier
        package var octets: Int64
        /// Hex.
        package var sha256: String

        package init(document: Identifier, octets: Int64, sha256: String) {
            self.document = document
            self.octets = octets
            self.sha256 = sha256
        }
    }

    private let server: DocumentServer
    private let attempts: Int
    private let wait: (Int64) -> Bool
    private var backoff: Backoff

    /// - Parameters:
    ///   - attempts: the number of consecutive network failures, without an octet between them, after which the
    ///     download fails; the received octets stay next to the target.
    ///   - wait: waits this many milliseconds; false if the user cancelled in the meantime.
    package init(_ server: DocumentServer, attempts: Int = 8, seed: UInt64, wait: @escaping (Int64) -> Bool) {
        self.server = server
        self.attempts = attempts
        self.wait = wait
        backoff = Backoff(seed: seed)
    }

    /// - Parameters:
    ///   - path: the path of the file; nothing may exist there. Until it is complete, the file grows next to it
    ///     (`part`).
    ///   - progress: receives the number of octets so far, on this thread; false cancels.
    package mutating func run(_ file: File, to path: String, progress: @escaping (Int64) -> Bool) throws(DocumentFailure) {
        try DocumentDownload.expectNothing(at: path)
        let part = DocumentDownload.part(of: file, for: path)
        let target = try DocumentDownload.open(part)
        var failures = 0
        while true {
            let have = DocumentDownload.size(target.raw)
            if have == file.octets, Hex.encode(try DocumentUpload.digest(target.raw, have)) == file.sha256 { break }
            // A part of full length has a wrong digest here, so it starts again from 0.
            let offset = have < file.octets ? have : 0
            // A server that sends without end would fill the disk.
            var isTooMuch = false
            do throws(DocumentFailure) {
                _ = try server.fetch(file.document, from: offset, sha256: file.sha256, into: target.raw) { done in
                    isTooMuch = done > file.octets
                    return !isTooMuch && progress(done)
                }
                let whole = DocumentDownload.size(target.raw)
                guard whole >= file.octets else { throw .offline("The download ended early.") }
                if whole > file.octets { try DocumentDownload.cut(target.raw, file.octets) }
                guard Hex.encode(try DocumentUpload.digest(target.raw, file.octets)) == file.sha256 else {
                    try DocumentDownload.cut(target.raw, 0)
                    throw .offline("The downloaded octets are not the file.")
                }
            } catch {
                var error = error
                if isTooMuch {
                    try DocumentDownload.cut(target.raw, 0)
                    error = .offline("The downloaded octets are not the file.")
                }
                guard case .offline(let reason) = error else { throw error }
                if DocumentDownload.size(target.raw) > have { failures = 0 }
                failures += 1
                guard failures < attempts else { throw .offline("Download failed. Please try again. \(reason)") }
                guard wait(backoff.wait(failures: failures)) else { throw .cancelled }
            }
        }
        // Another program may have created a file there in the meantime.
        try DocumentDownload.expectNothing(at: path)
        do throws(Errno) {
            try Files.synchronize(target.raw)
            try Files.rename(part, to: path)
        } catch {
            throw .file("\(path.printable) cannot be written: \(error.text).")
        }
    }

    /// The path of the incomplete file; the digest in it keeps it apart from the parts of other documents.
    package static func part(of file: File, for path: String) -> String { "\(path).\(file.sha256.prefix(8)).part" }

    static func expectNothing(at path: String) throws(DocumentFailure) {
        guard Files.exists(path) else { return }
        throw .file("\(path.printable) already exists. Choose another name with --output.")
    }

    /// Others may have write access to the folder, as in /tmp: only a file of this user is written to.
    static func open(_ path: String) throws(DocumentFailure) -> FileDescriptor {
        do throws(Errno) {
            if let file = try Files.openOwn(path) { return file }
        } catch { throw .file("\(path.printable) cannot be written: \(error.text).") }
        throw .file("\(path.printable) is a link, or not a file of yours. Remove it, or choose another folder with --output.")
    }

    static func size(_ raw: Int32) -> Int64 { Int64((try? Files.length(raw)) ?? 0) }

    /// The octets of a file; 0 if there is none.
    static func size(_ path: String) -> Int64 { Int64(((try? Files.status(path)) ?? nil)?.size ?? 0) }

    static func cut(_ raw: Int32, _ octets: Int64) throws(DocumentFailure) {
        do throws(Errno) { try Files.cut(raw, to: octets) } catch { throw .file("The file cannot be written: \(error.text).") }
    }

    /// A name in a folder under which a download of `fileName` overwrites nothing: "transcript.pdf", "transcript
    /// (2).pdf", …
    ///
    /// - Parameter exists: whether a name is taken.
    package static func freeName(_ fileName: String, exists: (String) -> Bool) -> String {
        let name = safeName(fileName)
        guard exists(name) else { return name }
        let dot = name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil } ?? name.endIndex
        for number in 2...9_999 {
            let next = "\(name[..<dot]) (\(number))\(name[dot...])"
            if !exists(next) { return next }
        }
        return name
    }

    /// The path of a download that a user requested at `path`: in a folder it takes its own name, and it never replaces
    /// an existing file.
    ///
    /// - Parameter path: `nil` for the current folder.
    package static func place(_ fileName: String, _ path: String?) -> String {
        guard let path else { return freeName(fileName) { Files.exists($0) } }
        guard ((try? Files.status(path)) ?? nil)?.kind == .folder else { return path }
        let folder = path.hasSuffix("/") ? path : path + "/"
        return folder + freeName(fileName) { Files.exists(folder + $0) }
    }

    /// An unused path next to a path that is taken.
    package static func freePath(_ path: String) -> String {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let folder = String(path[..<start])
        return folder + freeName(String(path[start...])) { Files.exists(folder + $0) }
    }

    /// A safe single-component name without hidden parts: the uploader chose it.
    package static func safeName(_ fileName: String) -> String {
        var name = String(fileName.printable.map { $0 == "/" || $0 == "\\" || $0 == "\u{FFFD}" ? "_" : $0 })
        while name.first == "." || name.first == "-" || name.first == " " { name.removeFirst() }
        while name.utf8.count > 200 { name.removeFirst() }
        return name.isEmpty ? "document" : name
    }
}

@available(*, unavailable)
extension DocumentDownload: Sendable {}
