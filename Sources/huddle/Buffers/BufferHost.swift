import Bytes
import Family
import Posix
import Sessions
import Terminal
import Views
import Words

/// What a buffer may ask of the program that shows it. Buffers know this protocol and never the program.
protocol BufferHost: AnyObject {
    // What there is to show.
    var session: ClientSession { get }
    var records: ShownRecords { get }
    var facts: StatusFacts { get }
    var keymap: Keymap { get }
    /// Of the screen.
    var size: Size { get }
    /// A record in full, in lines.
    func lines(of record: Record) -> [DetailLine]

    // The line of commands, in the room.
    /// Whether a question waits for its answer.
    var isAsking: Bool { get }
    /// Takes a command, or an answer to a question.
    func submit(_ line: String)
    /// Gives the question up.
    func interrupt()
    /// Keeps a line for the history of the next run.
    func remember(_ line: String)

    // What is said to the person, whatever is on the screen.
    func toast(_ text: String)
    func bell()
    /// Puts a text into the clipboard of the terminal, and says so.
    func copy(_ text: String)
    /// Starts the person's own editor; `done` gets what it was left with.
    func edit(_ text: String, done: @escaping (String) -> Void) throws(Errno)

    // Other buffers.
    func isShown(_ key: BufferKey) -> Bool
    func show(_ key: BufferKey)
    func close(_ key: BufferKey)
    /// Both sides of something that was refused, where it is decided.
    func showConflict(_ draft: Int64)
    func perform(_ action: SharedAction) throws
    func perform(_ action: PaneAction) throws
    /// Has everything laid out again before the next key: more than events of the session tell has changed.
    func refreshSoon()

    // Forms and questions about records; each says itself why it cannot be.
    func add(_ kind: Kind, athlete: Identifier?, preset: [String: Value], whenMade: ((FormOption) -> Void)?)
    func edit(_ kind: Kind, _ id: Identifier)
    func attend(_ id: Identifier)
    func coaches(_ id: Identifier)
    func remove(_ part: RecordReference, from event: Identifier)
    func log(_ kind: Kind, at event: Identifier)
    func offerExport(_ listed: [Identifier], event: Identifier?)
    /// An id for a record that is created.
    func freshIdentifier() -> Identifier
}

extension BufferHost {
    /// Asks for the fields of a new record of whose season is looked at.
    func add(_ kind: Kind, preset: [String: Value] = [:], whenMade: ((FormOption) -> Void)? = nil) {
        add(kind, athlete: nil, preset: preset, whenMade: whenMade)
    }

    /// Says what a view has for the person.
    func say(_ words: inout String?) {
        if let words { toast(words) }
        words = nil
    }
}
