package import Posix

/// A text that is open in the user's own editor (`VISUAL`, `EDITOR`, or vi).
package final class ExternalEditor {
    /// The largest text that is taken back, in octets.
    package static let limit = 1_048_576

    private let folder: String
    private var path: String { folder + "/text.txt" }
    private let given: [UInt8]
    private var staysThere = false
    private let child: ChildProcess
    private let screen: FullScreen

    /// Starts the editor on a file that only this user can read.
    package init(_ text: String, _ screen: FullScreen) throws(Errno) {
        self.screen = screen
        let folder = try Files.makeTemporaryFolder()
        self.folder = folder
        given = Array(text.utf8)
        let path = folder + "/text.txt"
        let editor = [Environment.value("VISUAL"), Environment.value("EDITOR")].compactMap(\.self).first { !$0.isEmpty } ?? "vi"
        do throws(Errno) {
            try Files.write(given, to: path)
            // As git does: the variable may contain arguments and quotes that a shell understands.
            child = try screen.handOver(to: ["/bin/sh", "-c", "\(editor) \"$@\"", editor, path])
        } catch {
            try? Files.removeTree(folder)
            throw error
        }
    }

    deinit { if !staysThere { try? Files.removeTree(folder) } }

    /// The descriptor to wait for: readable when the editor has ended.
    package var raw: Int32 { child.endedRaw }

    /// The edited text, if the editor has ended; the screen is then taken back.
    ///
    /// - Returns: `nil` while the editor runs. Afterwards the text, without the line end that editors add, or no text
    ///   if the editor failed or the file is no longer a file; and the events of the screen.
    package func result() throws(Errno) -> (text: String?, events: [ScreenEvent])? {
        guard let ending = try child.wait(timeoutMilliseconds: 0) else { return nil }
        let events = screen.takeBack()
        guard ending == .exited(0), let octets = try? Files.read(path, limit: Self.limit) else { return (nil, events) }
        var text = String(decoding: octets, as: UTF8.self)
        if text.hasSuffix("\n") { text.removeLast() }
        return (text, events)
    }

    /// Keeps the file as the editor left it, for a text that was not taken completely.
    ///
    /// - Parameter wanted: an unused path; `nil` leaves the file where it is, which also happens if it cannot be moved
    ///   there.
    /// - Returns: the path of the file; `nil` if it contains only the original text, or is no longer a file.
    package func keep(at wanted: String?) -> String? {
        guard let status = (try? Files.status(path)) ?? nil, status.kind == .file, status.size > 0 else { return nil }
        if let octets = try? Files.read(path, limit: given.count + 1), octets == given || octets == given + [UInt8(ascii: "\n")] { return nil }
        if let wanted {
            if (try? Files.rename(path, to: wanted)) != nil { return wanted }
            // Temporary files are on another disk, or in memory.
            if let octets = try? Files.read(path), (try? Files.write(octets, to: wanted)) != nil { return wanted }
        }
        staysThere = true
        return path
    }
}

@available(*, unavailable) extension ExternalEditor: Sendable {}
