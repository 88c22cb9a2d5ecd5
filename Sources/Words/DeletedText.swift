internal import Bytes
package import Family
internal import Terminal

/// Records that were deleted and can be restored.
package enum DeletedText {
    /// Those among the records, latest first. Messages stay deleted, as do reading positions.
    package static func records(_ all: some Sequence<Record>, of kind: Kind? = nil) -> [Record] {
        all.filter { $0.isDeleted && ![.readingPosition, .reminderRule, .family, .message].contains($0.kind) && (kind == nil || $0.kind == kind) }
            .sorted { ($0.deletedAt ?? 0, $0.id) > ($1.deletedAt ?? 0, $1.id) }
    }

    /// The list as lines, with the command that restores a record.
    ///
    /// - Parameters:
    ///   - deleted: the names of these records, for short ids among them.
    ///   - columns: the width of the terminal; `nil` for a pipe.
    ///   - restore: the command, as it is written where the list is shown: "huddle restore".
    package static func lines(_ records: [Record], _ names: RecordNames, _ deleted: RecordNames, _ clock: LocalClock, columns: Int?, restore: String) -> [String] {
        guard let first = records.first else { return ["Nothing was deleted in the last 30 days."] }
        let table = Table(
            ["ID", .init("DELETED", leaves: 1), .init("KIND", leaves: 2), .init("NAME", least: 20), .init("BY", least: 10, leaves: 0)],
            records.map { record in
                [
                    deleted.short(record.id), clock.moment(record.deletedAt ?? 0), KindWords.singular(record.kind)[0], TextWidth.cut(RecordNames.name(record), to: 60),
                    names.member(record.updatedBy),
                ]
            })
        return table.lines(within: columns) + ["To bring one back: \(restore) \(deleted.short(first.id))"]
    }
}
