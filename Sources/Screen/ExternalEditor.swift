package import Posix

/// A text on its way through the person's own editor (`VISUAL`, `EDITOR`, or vi).
package final class ExternalEditor {
    /// Octets of a text that comes back; a longer one does not.
    package static let limit = 1_048_576

    private let folder: String
    private var path: String { folder + "/text.txt" }
    private let given: [UInt8]
    private var staysThere = false
    private let child: ChildProcess
    private let screen: FullScreen

    /// Starts the editor on a file that only this person can read.
    package init(_ text: String, _ screen: FullScreen) throws(Errno) {
        self.screen = screen
        let folder = try Files.makeTemporaryFolder()
        self.folder = folder
        given = Array(text.utf8)
        let path = folder + "/text.txt"
        let editor = [Environment.value("VISUAL"), Environment.value("EDITOR")].compactMap(\.self).first { !$0.isEmpty } ?? "vi"
        do throws(Errno) {
            try Files.write(given, to: path)
            // As git does: the variable may hold words and quotes that a shell understands.
            child = try screen.handOver(to: ["/bin/sh", "-c", "\(editor) \"$@\"", editor, path])
        } catch {
            try? Files.removeTree(folder)
            throw error
        }
    }

    deinit { if !staysThere { try? Files.removeTree(folder) } }

    /// Readable when the editor has ended: for waiting.
    package var raw: Int32 { child.endedRaw }

    /// Whether the editor has ended; then the screen is taken back.
    ///
    /// - Returns: `nil` while it runs. Else the text, without the line end that editors add, or no text when the editor failed
    ///   or the file is none any more; and what the caller hears of the screen.
    package func result() throws(Errno) -> (text: String?, events: [ScreenEvent])? {
        guard let ending = try child.wait(timeoutMilliseconds: 0) else { return nil }
        let events = screen.takeBack()
        guard ending == .exited(0), let octets = try? Files.read(path, limit: Self.limit) else { return (nil, events) }
        var text = String(decoding: octets, as: UTF8.self)
        if text.hasSuffix("\n") { text.removeLast() }
        return (text, events)
    }

    /// Keeps the file as it was left, for a text that was not taken in whole.
    ///
    /// - Parameter wanted: where nothing is yet; `nil` to leave it where it is, which is done as well where it cannot go there.
    /// - Returns: where it is; `nil` when it holds nothing but what the editor was given, or is none any more.
    package func keep(at wanted: String?) -> String? {
        guard let status = (try? Files.status(path)) ?? nil, status.kind == .file, status.size > 0 else { return nil }
        if let octets = try? Files.read(path, limit: given.count + 1), octets == given || octets == given + [UInt8(ascii: "\n")] { return nil }
        if let wanted {
            if (try? Files.rename(path, to: wanted)) != nil { return wanted }
            // Temporary files lie on another disk, or in memory.
            if let octets = try? Files.read(path), (try? Files.write(octets, to: wanted)) != nil { return wanted }
        }
        staysThere = true
        return path
    }
}

@available(*, unavailable) extension ExternalEditor: Sendable {}
