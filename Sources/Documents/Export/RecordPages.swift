package import Family
package import PDF
internal import Terminal
package import Words

/// Records of one kind as pages for people.
package enum RecordPages {
    /// A report with the columns of the list, none cut, and below each row its longer texts (notes, descriptions), with
    /// their labels.
    ///
    /// - Parameters:
    ///   - title: the title of the report.
    ///   - notes: the lines under the title: owner and date.
    ///   - records: records of that kind, in the order of the rows.
    ///   - clock: the family's clock.
    package static func report(
        _ kind: Kind, _ records: [Record], _ names: RecordNames, title: String, notes: [String], footer: String, clock: LocalClock
    ) -> PDFReport {
        let table = RecordTables.table(kind, records, names, showsAthlete: true, isNumbered: true, isWhole: true, clock: clock)
        let fields = kind.declaration.fields
        let texts = fields.indices.filter { if case .text = fields[$0].type { true } else { false } }
        // The column before each line has a number for a conversation, or an id for a command: a page needs neither.
        let columns = table.columns.indices.dropFirst()
        let rows = zip(records, table.rows).map { record, row in
            PDFReport.Row(
                columns.map { row[$0] },
                details: texts.compactMap { field in
                    guard case .text(let text)? = record.fields[field] else { return nil }
                    return "\(fields[field].label): " + text.printableLines.joined(separator: "\n")
                })
        }
        let headings = columns.map { Self.sentenceCase(table.columns[$0].heading) }
        return PDFReport(
            title: title.printable, notes: (records.isEmpty ? [RecordTables.empty(kind)] : []) + notes.map(\.printable), headings: headings, rows: rows,
            footer: footer.printable)
    }

    /// "E-MAIL" as "E-mail".
    private static func sentenceCase(_ heading: String) -> String { heading.prefix(1) + heading.dropFirst().lowercased() }
}
