package import Bytes
package import Queries
internal import Terminal

/// The commands for documents; configurations use these names.
package enum DocumentsCommand: String, CaseIterable, Sendable, PaneCommand {
    case next = "document-next", previous = "document-previous", right = "document-right", left = "document-left"
    case first = "document-first", last = "document-last"
    case open = "document-open", add = "document-upload", version = "document-version", edit = "document-edit", delete = "document-delete"
    case download = "document-download", share = "document-share", copyLink = "document-copy-link"
    case view = "document-view", search = "document-search", type = "document-type", school = "document-school", shared = "document-shared"
    case sort = "document-sort", unfilter = "document-unfilter", clear = "document-clear", stop = "transfer-stop", again = "transfer-again"
    case back = "document-back", close = "document-close"

    package var summary: String {
        switch self {
        case .next: "the next one, below"
        case .previous: "the one before, above"
        case .right: "the one to the right"
        case .left: "the one to the left"
        case .first: "to the first"
        case .last: "to the last"
        case .open: "details: versions, links, fields"
        case .add: "upload a document"
        case .version: "upload its next version"
        case .edit: "change title, school and the like"
        case .delete: "delete it, which can be undone; a link: end it"
        case .download: "download the file"
        case .share: "a link for a school"
        case .copyLink: "copy the link that was made"
        case .view: "grid or list"
        case .search: "search while you type"
        case .type: "types"
        case .school: "school"
        case .shared: "shared only"
        case .sort: "order: newest, oldest, name, type, most shared"
        case .unfilter: "take the last filter off"
        case .clear: "clear filters and search"
        case .stop: "stop an upload or a download"
        case .again: "try again what failed, or the server"
        case .back: "close the document, then clear search and filters"
        case .close: "back"
        }
    }

    static let writing: Set<Self> = [.add, .version, .edit, .delete, .share]

    package static let helpLines = allCases.map { ($0.rawValue, $0.summary) }

    static func bindDefaults(_ keymap: inout Keymap) {
        let keys: [(String, DocumentsCommand)] = [
            ("down", .next), ("j", .next), ("up", .previous), ("k", .previous), ("right", .right), ("l", .right), ("left", .left), ("h", .left),
            ("home", .first), ("g g", .first), ("end", .last), ("G", .last), ("enter", .open), ("o", .open), ("n", .add), ("N", .version), ("e", .edit),
            ("x", .delete), ("delete", .delete), ("d", .download), ("s", .share), ("y", .copyLink), ("v", .view), ("/", .search), ("t", .type), ("f", .school),
            ("w", .shared), ("r", .sort), ("backspace", .unfilter), ("c", .clear), ("K", .stop), ("R", .again), ("esc", .back), ("q", .close), ("ctrl-c", .close),
        ]
        keymap.bind("u", to: RoomCommand.undoLast.rawValue, in: "documents")
        keymap.bind("U", to: RoomCommand.redoLast.rawValue, in: "documents")
        for (names, command) in keys { keymap.bind(names, to: command.rawValue, in: "documents") }
    }
}

/// An upload as the form describes it.
package struct UploadDescription: Hashable, Sendable {
    package var path: String
    /// One of the document types.
    package var type: String
    package var title: String
    package var text: String?
    package var school: Identifier?
    package var athlete: Identifier
    package var replaces: Identifier?
}

/// The actions that the documents view requests.
package enum DocumentsAction: Hashable, Sendable {
    case pane(PaneAction)
    /// Open one document in full: the caller passes its lines to `showDetail`, and its links to `show(links:)` when
    /// they arrive.
    case open(Identifier)
    /// The caller suggests an unused path with `askForPlace`.
    case askDownload(Identifier)
    case download(Identifier, to: String)
    case upload(UploadDescription)
    /// The caller passes the matches to `complete`.
    case completePath(String)
    case share(Identifier, school: Identifier)
    case revoke(String, of: Identifier)
    /// A transfer, by its number.
    case stop(Int)
    case again(Int)
    /// Retry the server immediately instead of after the wait.
    case hurry
    /// The user's display settings, saved on this machine (R124, R127).
    case remember(isGrid: Bool, Query.Sort?)
}

extension DocumentsAction: ViewAction {
    static func shared(_ action: SharedAction) -> Self { .pane(.shared(action)) }
}
