import Arguments
import Posix
import Server
import Store

/// `huddled check`.
///
/// - Throws: `.disagrees` if a fault was found and not repaired.
func check(_ words: [String]) throws(CommandError) {
    let list: ArgumentList
    let data: String
    do throws(UsageError) {
        list = try ArgumentList(words, options: ["--data"], switches: ["--repair", "--deep", "--json"])
        try list.expectNoPositional()
        data = try list.required("--data")
    } catch { throw .usage(error) }
    let report: CheckReport
    do throws(ServerError) {
        report = try DataCheck.run(dataFolder: data, isRepairing: list.has("--repair"), isDeep: list.has("--deep"))
    } catch { throw .failed(error.sentence) }
    if list.has("--json") {
        Standard.write(output: report.encode() + [UInt8(ascii: "\n")])
    } else {
        for finding in report.findings { Standard.write(output: finding.sentence + (finding.isRepaired ? " Fixed.\n" : "\n")) }
        if report.omitted > 0 { Standard.write(output: "And \(report.omitted) more.\n") }
        Standard.write(output: report.summary + "\n")
    }
    if !report.agrees { throw .disagrees }
}

extension CheckReport {
    /// The checked parts and the result.
    fileprivate var summary: String {
        let looked =
            "\(Self.counted(families, "family", "families")), \(Self.counted(changes, "change")), \(Self.counted(records, "record")), "
            + "\(Self.counted(documents, "document")) with \(Self.counted(files, "file")) (\(Self.counted(octets, "octet"))), "
            + "\(Self.counted(uploads, "upload")) under way."
        let content = isDeep ? "" : " The content of files was not read (--deep does)."
        return looked + (agrees ? " No problems found." : " Problems found.") + content
    }

    private static func counted(_ number: some BinaryInteger, _ word: String, _ several: String? = nil) -> String {
        "\(number) \(number == 1 ? word : several ?? word + "s")"
    }
}
