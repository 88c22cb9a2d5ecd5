import Bytes
import Family
import Posix
import Sessions
import Terminal
import Views
import Words

/// The services that a buffer uses of the program that shows it. Buffers know this protocol and never the program.
protocol BufferHost: AnyObject {
    // The content that buffers show.
    var session: ClientSession { get }
    var records: ShownRecords { get }
    var facts: StatusFacts { get }
    var keymap: Keymap { get }
    /// The size of the screen, and that of a cell in pixels if the screen shows pictures.
    var size: Size { get }
    var pictureCell: Size? { get }
    /// A record in full, in lines.
    func lines(of record: Record) -> [DetailLine]

    // The line of commands, in the room.
    /// Whether a question waits for its answer.
    var isAsking: Bool { get }
    /// Takes a command, or an answer to a question.
    func submit(_ line: String)
    /// Cancels the question.
    func interrupt()
    /// Keeps a line for the history of the next run.
    func remember(_ line: String)

    // Messages to the person, on any page.
    func toast(_ text: String)
    func bell()
    /// Copies a text to the terminal's clipboard, and says so.
    func copy(_ text: String)
    /// Starts the person's own editor; `done` receives the text that the editor saved.
    func edit(_ text: String, done: @escaping (String) -> Void) throws(Errno)

    // Other buffers.
    func isShown(_ key: BufferKey) -> Bool
    func show(_ key: BufferKey)
    func close(_ key: BufferKey)
    /// Shows both sides of a refused change on the page where the person decides.
    func showConflict(_ draft: Int64)
    func perform(_ action: SharedAction) throws
    func perform(_ action: PaneAction) throws
    /// Lays out everything again before the next key, because more has changed than the session's events report.
    func refreshSoon()

    // Forms and questions about records; each method reports by itself why it refuses.
    func add(_ kind: Kind, athlete: Identifier?, preset: [String: Value], whenMade: ((FormOption) -> Void)?)
    func edit(_ kind: Kind, _ id: Identifier)
    func attend(_ id: Identifier)
    func coaches(_ id: Identifier)
    func remove(_ part: RecordReference, from event: Identifier)
    func log(_ kind: Kind, at event: Identifier)
    func offerExport(_ listed: [Identifier], event: Identifier?)
    /// An id for a new record.
    func freshIdentifier() -> Identifier
}

extension BufferHost {
    /// Opens a form for a new record of the athlete whose season is shown.
    func add(_ kind: Kind, preset: [String: Value] = [:], whenMade: ((FormOption) -> Void)? = nil) {
        add(kind, athlete: nil, preset: preset, whenMade: whenMade)
    }

    /// Shows a view's message to the person.
    func say(_ words: inout String?) {
        if let words { toast(words) }
        words = nil
    }
}
