package import Posix

/// A text on its way through the person's own editor (`VISUAL`, `EDITOR`, or vi).
package final class ExternalEditor {
    /// Octets of a text that comes back; a longer one does not.
    package static let limit = 1_048_576

    private let folder: String
    private var path: String { folder + "/text.txt" }
    private let child: ChildProcess
    private let screen: FullScreen

    /// Starts the editor on a file that only this person can read.
    package init(_ text: String, _ screen: FullScreen) throws(Errno) {
        self.screen = screen
        let folder = try Files.makeTemporaryFolder()
        self.folder = folder
        let path = folder + "/text.txt"
        let editor = [Environment.value("VISUAL"), Environment.value("EDITOR")].compactMap(\.self).first { !$0.isEmpty } ?? "vi"
        do throws(Errno) {
            try Files.write(Array(text.utf8), to: path)
            // As git does: the variable may hold words and quotes that a shell understands.
            child = try screen.handOver(to: ["/bin/sh", "-c", "\(editor) \"$@\"", editor, path])
        } catch {
            try? Files.removeTree(folder)
            throw error
        }
    }

    deinit { try? Files.removeTree(folder) }

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
}

@available(*, unavailable) extension ExternalEditor: Sendable {}
