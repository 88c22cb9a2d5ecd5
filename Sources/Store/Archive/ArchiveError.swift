package import Family
package import Posix

/// The reason why an archive was not written or not read, as one sentence for a person.
package enum ArchiveError: Error, Equatable, Sendable {
    case notAnArchive
    case newer(Int64)
    /// The archive ends before its manifest.
    case partial
    /// A file of the archive does not match the manifest.
    case changed(String)
    /// The digests agree, and yet a line is not valid: another program than `huddled export` wrote it, or a newer
    /// version.
    case badLine(String, Int64)
    /// The lines do not make a family together.
    case inconsistent(String)
    case tooLarge(String)
    case file(Errno)
    /// A document's file is missing or damaged, so the archive would be incomplete.
    case lostFile(String)
    /// The server is shutting down.
    case stopped
    /// The writer refused a part.
    case refused(Rejection)

    package var rejection: Rejection {
        if case .refused(let rejection) = self { return rejection }
        if case .file(let errno) = self, errno == .noSpace { return Rejection(.storageFull, sentence) }
        if case .stopped = self { return Rejection(.busy, sentence) }
        return Rejection(.invalid, sentence)
    }

    package var sentence: String {
        switch self {
        case .notAnArchive: "This is not a Huddle archive. Choose a file that 'huddled export' wrote."
        case .newer(let version):
            "This archive was written by a newer Huddle (format \(version), this program knows \(ArchiveManifest.version)): "
                + "install the newer program to import it."
        case .partial: "This archive is incomplete, its end is missing. Copy or export it again."
        case .changed(let name):
            "This archive was changed after it was written: \(name) does not match its manifest. Copy or export it again."
        case .badLine(let name, let line):
            "Line \(line) of \(name) is not understood: the archive was written by a newer Huddle, or not by Huddle. Nothing was imported."
        case .inconsistent(let what): "This archive does not contain a complete family: \(what). Nothing was imported."
        case .tooLarge(let name): "\(name) would be larger than a tar archive can hold (8 GiB): copy the database instead (see the runbook)."
        case .lostFile(let name):
            "The file \(name) of a document is missing or damaged, so the archive would be incomplete. 'huddled check --deep' reports the details."
        case .file(let errno): "The archive cannot be written or read: \(errno.text)."
        case .stopped: "The server is shutting down, so this was not finished and nothing of it remains. Try again when the server runs."
        case .refused(let rejection): rejection.message
        }
    }
}
