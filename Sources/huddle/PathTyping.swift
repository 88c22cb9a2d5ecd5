import Posix
import Terminal

/// Expands and completes the paths that people type.
enum PathTyping {
    /// The largest number of names that are shown if several fit.
    private static let mostNames = 12

    /// The path with the home folder in place of `~`.
    static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = Environment.value("HOME") else { return path }
        return home + path.dropFirst()
    }

    /// The folder for a download, with a slash at its end: the home folder's "Downloads" if there is one, otherwise the
    /// home folder. A program that was started from a menu has another current folder than its user expects.
    static var downloads: String {
        guard Environment.value("HOME") != nil else { return "" }
        return ((try? Files.status(expanded("~/Downloads"))) ?? nil)?.kind == .folder ? "~/Downloads/" : "~/"
    }

    /// Completes a path as a shell does: as far as all matches agree.
    ///
    /// - Returns: the completed text, and the matches if there are several.
    static func completed(_ typed: String) -> (path: String, options: [String]) {
        let path = expanded(typed)
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? ""
        let start = slash.map { String(path[path.index(after: $0)...]) } ?? path
        let names = ((try? Files.list(folder.isEmpty ? "." : folder)) ?? []).filter { $0.hasPrefix(start) && (!$0.hasPrefix(".") || start.hasPrefix(".")) }.sorted()
        guard var common = names.first else { return (typed, []) }
        for name in names { while !name.hasPrefix(common) { common.removeLast() } }
        var shown = names.prefix(mostNames).map(\.printable)
        if names.count > mostNames { shown.append("and \(names.count - mostNames) more") }
        if names.count == 1 {
            shown = []
            if ((try? Files.status(folder + common)) ?? nil)?.kind == .folder { common += "/" }
        }
        return (folder + common, shown)
    }
}
