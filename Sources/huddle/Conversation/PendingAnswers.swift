import Commands

/// The requests and mutations that have no answer yet.
struct PendingAnswers {
    /// Questions, by their request numbers.
    private(set) var requests: Set<Int64> = []
    /// The mutations that commands sent.
    private var mutations: Set<Int64> = []
    /// The request for the history that determines the change of an undo without a number, or of a redo.
    var undo: (request: Int64, step: Request.UndoStep)?
    /// The undo or redo whose request waits until the commands before it are done.
    var undoWaits: Request.UndoStep?

    var isEmpty: Bool { requests.isEmpty && undoWaits == nil }

    mutating func ask(_ request: Int64) { requests.insert(request) }
    mutating func answered(_ request: Int64) { requests.remove(request) }
    mutating func perform(_ mutation: Int64) { mutations.insert(mutation) }

    /// - Returns: whether a command sent it.
    @discardableResult
    mutating func done(_ mutation: Int64) -> Bool { mutations.remove(mutation) != nil }

    /// Removes a question that was refused.
    mutating func failed(_ request: Int64?) {
        if let request { requests.remove(request) }
        if request == undo?.request { undo = nil }
    }

    /// Removes everything, because the connection and its answers are lost.
    ///
    /// - Returns: whether an answer was still to come.
    mutating func lose() -> Bool {
        defer { (requests, undo) = ([], nil) }
        return !requests.isEmpty
    }
}
