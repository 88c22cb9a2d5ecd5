import Posix
import Terminal

/// Paths as people type them.
enum PathTyping {
    /// Names that are shown when several fit.
    private static let mostNames = 12

    /// With the home folder for `~`.
    static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = Environment.value("HOME") else { return path }
        return home + path.dropFirst()
    }

    /// As a shell does: as far as all that fits is alike.
    ///
    /// - Returns: what is typed now, and what fits when several do.
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
