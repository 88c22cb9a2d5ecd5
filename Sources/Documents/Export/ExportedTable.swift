package import Family
internal import PDF
package import Sync
package import Words

/// Records to export, in either format.
package struct ExportedTable: Sendable {
    package let kind: Kind
    /// The records in the order of the rows.
    package let records: [Record]
    /// The title for people: "Results at Spring Showcase".
    package let title: String
    private let names: RecordNames
    private let family: String
    private let whose: String
    private let clock: LocalClock
    private let now: Int64

    /// - Parameters:
    ///   - engine: the engine that knows the owners of the records.
    ///   - names: the names of its records, if the caller has them already.
    ///   - now: UTC milliseconds.
    package init(_ title: String, _ kind: Kind, _ records: [Record], _ engine: borrowing SyncEngine, names: RecordNames? = nil, now: Int64) {
        (self.title, self.kind, self.records, self.now) = (title, kind, records, now)
        self.names = names ?? RecordNames(engine)
        family = engine.familyName ?? "Huddle"
        if kind.declaration.scope == .athlete, case .athlete(let id)? = engine.context { whose = self.names.member(id) } else { whose = "" }
        clock = LocalClock(zone: engine.timeZone)
    }

    /// - Returns: the whole file, and a remark for the user, as a sentence, or "".
    /// - Throws: a sentence, if the file cannot be produced on this machine.
    package func octets(_ format: ExportFormat) throws(ExportFailure) -> (octets: [UInt8], remark: String) {
        guard format == .pdf else { return (CSV.octets(RecordSheet.rows(kind, records, names)), "") }
        let who = [whose, family].filter { !$0.isEmpty }.joined(separator: ", ")
        let count = records.isEmpty ? "" : records.count == 1 ? "1 line, " : "\(records.count) lines, "
        let report = RecordPages.report(
            kind, records, names, title: title, notes: [who, "\(count)written \(clock.day(now))"], footer: "\(title), \(who)", clock: clock)
        do throws(PDFError) {
            let pages = try report.pages(on: .ofLocale)
            guard pages.unknown > 0 else { return (pages.octets, "") }
            let signs = pages.unknown == 1 ? "1 character is shown as a box" : "\(pages.unknown) characters are shown as boxes"
            return (pages.octets, "\(signs), because no font here has it: the package fonts-noto-cjk brings Chinese, Japanese and Korean, fonts-noto-core most others.")
        } catch {
            throw ExportFailure(sentence: error.sentence)
        }
    }
}

/// The reason why a table cannot be exported, as a sentence.
package struct ExportFailure: Error, Hashable, Sendable {
    package let sentence: String
}
