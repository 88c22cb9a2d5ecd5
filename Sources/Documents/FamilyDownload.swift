package import Bytes
internal import Posix
internal import Terminal

/// Downloads a whole family as one file. The server makes the archive for this request, so an interrupted download begins again.
package struct FamilyDownload {
    private let server: DocumentServer

    package init(_ server: DocumentServer) { self.server = server }

    /// - Parameters:
    ///   - path: the path of the file; nothing may exist there. It has its name when it is complete.
    ///   - progress: receives the number of octets so far, on this thread; false cancels.
    /// - Returns: its octets.
    package func run(_ family: Identifier, isPrivate: Bool, to path: String, progress: @escaping (Int64) -> Bool) throws(DocumentFailure) -> Int64 {
        try DocumentDownload.expectNothing(at: path)
        let part = "\(path).part"
        let target = try DocumentDownload.open(part)
        do throws(DocumentFailure) {
            try DocumentDownload.cut(target.raw, 0)
            try server.fetchFamily(family, isPrivate: isPrivate, into: target.raw, progress: progress)
            let octets = DocumentDownload.size(target.raw)
            // Another program may have created a file there in the meantime.
            try DocumentDownload.expectNothing(at: path)
            do throws(Errno) {
                try Files.synchronize(target.raw)
                try Files.rename(part, to: path)
            } catch {
                throw .file("\(path.printable) cannot be written: \(error.text).")
            }
            return octets
        } catch {
            // Nothing of a family stays that nobody asked to keep.
            try? Files.remove(part)
            throw error
        }
    }
}

@available(*, unavailable)
extension FamilyDownload: Sendable {}
