import Commands

/// What was asked of the server and has no answer yet.
struct AwaitedAnswers {
    /// Questions, by their numbers.
    private(set) var requests: Set<Int64> = []
    /// Mutations that commands asked for.
    private var mutations: Set<Int64> = []
    /// The question whose answer says which change an undo without a number, or a redo, means.
    var undo: (request: Int64, step: Request.UndoStep)?
    /// The undo or redo whose question waits until what was typed before is done.
    var undoWaits: Request.UndoStep?

    var isEmpty: Bool { requests.isEmpty && undoWaits == nil }

    mutating func ask(_ request: Int64) { requests.insert(request) }
    mutating func answered(_ request: Int64) { requests.remove(request) }
    mutating func perform(_ mutation: Int64) { mutations.insert(mutation) }

    /// - Returns: whether a command asked for it.
    @discardableResult
    mutating func done(_ mutation: Int64) -> Bool { mutations.remove(mutation) != nil }

    /// A question was refused.
    mutating func failed(_ request: Int64?) {
        if let request { requests.remove(request) }
        if request == undo?.request { undo = nil }
    }

    /// The connection is gone, and with it every answer.
    ///
    /// - Returns: whether there was one to come.
    mutating func lose() -> Bool {
        defer { (requests, undo) = ([], nil) }
        return !requests.isEmpty
    }
}
