package import Arguments
internal import Family
package import Sync
internal import Terminal

/// A command about the outbox: changes that wait or were refused.
package enum OutboxRequest: Hashable, Sendable {
    case list
    /// Connects and waits until every waiting change has its receipt.
    case send
    /// `number`: a place in the list of refused changes, or the mutation's number. `drop` also takes a file ("f1").
    case retry(number: String)
    case drop(number: String)
    case resolve(number: String, [String])

    /// - Parameter words: behind `outbox`.
    init(_ words: [String], _ usage: UsageError) throws(UsageError) {
        switch (words.first, words.count) {
        case (nil, _), ("list"?, 1): self = .list
        case ("send"?, 1): self = .send
        case ("retry"?, 2): self = .retry(number: words[1])
        case ("drop"?, 2): self = .drop(number: words[1])
        case ("resolve"?, 3...): self = .resolve(number: words[1], Array(words.dropFirst(2)))
        default: throw usage
        }
    }

    /// The choices that the words name: `yours`, `theirs` or `both` for everything, `cost=theirs` for one field.
    package static func choices(
        _ words: [String], _ sides: ConflictSides
    ) throws(UsageError) -> (fields: [Int: ConflictChoice], whole: ConflictChoice?) {
        var fields: [Int: ConflictChoice] = [:]
        var whole: ConflictChoice?
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let last = parts.last, let choice = choice(last) else {
                throw UsageError("'\(word.printable)' isn't a choice. Write yours, theirs or both, or FIELD=yours and so on.")
            }
            guard parts.count == 2 else {
                whole = choice
                continue
            }
            let name = String(parts[0].map { $0 == "-" ? "_" : $0 })
            let declared = sides.record.kind.declaration.fields
            guard let field = sides.fields.first(where: { declared[$0.field].name == name || declared[$0.field].name.hasPrefix(name + "_") }) else {
                throw UsageError("'\(parts[0].printable)' isn't a field of this conflict.")
            }
            fields[field.field] = choice
        }
        return (fields, whole)
    }

    private static func choice(_ word: String) -> ConflictChoice? {
        switch word {
        case "yours", "mine": .yours
        case "theirs": .theirs
        case "both": .both
        default: nil
        }
    }

    /// The index of the file that a number names ("f1" is 0); `nil` for other numbers.
    package static func file(_ number: String) -> Int? {
        guard number.first == "f", let place = Int(number.dropFirst()), place > 0 else { return nil }
        return place - 1
    }

    /// The draft that a number names: its place in the list, from 1, or its mutation's number. Behind "#" only the
    /// mutation's number counts, which no other draft ever has.
    ///
    /// - Parameter listed: the mutations of the list that was shown last, so that its numbers stay the same when some
    ///   drafts are gone. `nil`: no list was shown, and `drafts` is the list.
    package static func draft(_ number: String, _ drafts: [Draft], listed: [Int64]? = nil) throws(UsageError) -> Draft {
        if number.hasPrefix("#") {
            if let value = Int64(number.dropFirst()), let draft = drafts.first(where: { $0.id == value }) { return draft }
            throw UsageError("Nothing that was refused has the number \(number.printable). See /drafts, or: huddle outbox")
        }
        if let value = Int64(number) {
            let listed = listed ?? drafts.map(\.id)
            if let place = Int(exactly: value), place > 0, place <= listed.count {
                if let draft = drafts.first(where: { $0.id == listed[place - 1] }) { return draft }
                throw UsageError("The entry with the number \(place) was sent again, decided or discarded already. /drafts numbers the rest.")
            }
            if let draft = drafts.first(where: { $0.id == value }) { return draft }
        }
        throw UsageError("Nothing that was refused has the number \(number.printable). See /drafts, or: huddle outbox")
    }
}
