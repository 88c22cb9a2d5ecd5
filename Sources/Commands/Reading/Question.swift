package import Arguments
internal import Bytes
package import Family
internal import Terminal
package import Wire
package import Words

/// What only the server knows: history, what happened since, figures, who looked.
package enum Question: Hashable, Sendable {
    /// Of one record that is named, or of the family.
    case history(target: String?, before: Int64?, limit: Int)
    /// Since a sequence; `nil`: since one's own reading position.
    case since(Int64?)
    case statistics(Kind)
    case accesses(before: String?, limit: Int)
    /// Messages older than those that are here.
    case olderMessages(before: String?)

    /// Entries of one answer unless more are asked for: what a screen holds.
    package static let usualLimit = 20

    /// The frame that asks it.
    ///
    /// - Throws: a sentence, when a name fits no record or several.
    package func frame(_ request: Int64, _ names: RecordNames, find: (Kind, String) throws(UsageError) -> Record) throws(UsageError) -> ClientFrame {
        switch self {
        case .history(let target, let before, let limit):
            var record: HistoryRequest.Target?
            if let target { record = try Self.target(target, names, find: find) }
            return .history(HistoryRequest(request: request, record: record, before: before, limit: limit))
        case .since(let after): return .digest(DigestRequest(request: request, after: after))
        case .statistics(let kind): return .statistics(StatisticsRequest(request: request, kind: kind))
        case .accesses(let before, let limit): return .accessLog(AccessLogRequest(request: request, before: before, limit: limit))
        case .olderMessages(let before):
            return .list(ListRequest(request: request, kind: .message, before: before, limit: Self.usualLimit))
        }
    }

    /// Kinds whose records people name, in the order in which a name is looked up.
    private static let kinds: [Kind] = [.event, .trip, .tripItem, .document, .school, .coach, .metric, .interaction, .member]

    /// An id may be of a record that is deleted; then its kind is asked for as well: `event ID`.
    private static func target(
        _ text: String, _ names: RecordNames, find: (Kind, String) throws(UsageError) -> Record
    ) throws(UsageError) -> HistoryRequest.Target {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        if words.count == 2, let kind = Kind(name: words[0]) {
            if let id = Identifier(words[1]) { return .init(kind: kind, id: id) }
            return .init(kind: kind, id: try find(kind, words[1]).id)
        }
        if let id = Identifier(text), let record = names[id] { return .init(kind: record.kind, id: id) }
        var problem: UsageError?
        for kind in kinds {
            do { return .init(kind: kind, id: try find(kind, text).id) } catch {
                // What is told of one kind alone would be wrong, unless several there are called so.
                if !error.message.hasPrefix("There is no ") { problem = problem ?? error }
            }
        }
        throw problem ?? UsageError("There is nothing called '\(text.printable)'.")
    }
}

extension ClientFrame {
    /// The same request with another number.
    package func numbered(_ number: Int64) -> ClientFrame {
        switch self {
        case .list(var request):
            request.request = number
            return .list(request)
        case .statistics(var request):
            request.request = number
            return .statistics(request)
        case .history(var request):
            request.request = number
            return .history(request)
        case .digest(var request):
            request.request = number
            return .digest(request)
        case .accessLog(var request):
            request.request = number
            return .accessLog(request)
        default: return self
        }
    }
}

extension ServerFrame {
    /// The number of the request that it answers.
    package var request: Int64? {
        switch self {
        case .page(let page): page.request
        case .statistics(let answer): answer.request
        case .history(let page): page.request
        case .digest(let answer): answer.request
        case .accessLog(let page): page.request
        default: nil
        }
    }
}
