import Arguments
import Family
import Posix
import Server

/// `huddled backup`.
func backUp(_ words: [String]) throws(CommandError) {
    if words.contains("--stdout") { return try backUpToOutput(words) }
    let (list, path, data) = try folderArguments(
        words, options: ["--data", "--keep"], switches: ["--json"], missing: "The folder for backups is missing. (--stdout writes a tar archive instead.)")
    var keep: BackupKeep?
    if let text = list.value("--keep") {
        keep = BackupKeep(text)
        guard keep != nil else { throw .usage(UsageError("--keep takes numbers of days, weeks and months, like 7d4w12m, each from 1 to 999.")) }
    }
    do throws(ServerError) {
        let report = try Backup.make(dataFolder: data, to: path, keep: keep)
        guard !list.has("--json") else {
            Standard.write(output: report.encode() + [UInt8(ascii: "\n")])
            return
        }
        let removed = report.removed == 0 ? "" : " Older backups that were removed: \(report.removed)."
        Standard.write(
            output: "\(report.path) is a verified backup. Families: \(report.families). Files: \(report.files) (\(ByteCount.text(report.octets))). "
                + "New files: \(report.newFiles) (\(ByteCount.text(report.newOctets))).\(removed)\n")
    } catch { throw .failed(error.sentence) }
}

/// `huddled backup --stdout`. Its report goes to standard error, because the archive has the output.
private func backUpToOutput(_ words: [String]) throws(CommandError) {
    let list: ArgumentList
    let data: String
    do throws(UsageError) {
        list = try ArgumentList(words, options: ["--data"], switches: ["--stdout", "--json"])
        if let word = list.positional.first { throw UsageError("--stdout takes no folder ('\(word)'): the archive goes to standard output.") }
        data = try list.required("--data")
    } catch { throw .usage(error) }
    do throws(ServerError) {
        let report = try BackupStream.send(dataFolder: data)
        Standard.write(
            error: list.has("--json")
                ? String(decoding: report.encode(), as: UTF8.self) + "\n"
                : "\(report.path) is a verified backup. Families: \(report.families). Files: \(report.files) (\(ByteCount.text(report.octets))).\n")
    } catch { throw .failed(error.sentence) }
}

/// `huddled restore`.
func restore(_ words: [String]) throws(CommandError) {
    let (list, path, data) = try folderArguments(words, options: ["--data"], switches: ["--end-sessions", "--json"], missing: "The folder of the backup is missing.")
    do throws(ServerError) {
        let report = try Restore(path, to: data, endsSessions: list.has("--end-sessions")).run()
        guard !list.has("--json") else {
            Standard.write(output: report.encode() + [UInt8(ascii: "\n")])
            return
        }
        let sessions = report.hasEndedSessions ? " Nobody is signed in: give members a sign-in with huddled token." : ""
        Standard.write(
            output: "\(data) is restored from \(report.backup). Families: \(report.families). Files: \(report.files). Start the server.\(sessions)\n"
                + "Every client loads its families again; changes made after the backup are gone from the server.\n")
    } catch { throw .failed(error.sentence) }
}

private func folderArguments(
    _ words: [String], options: Set<String>, switches: Set<String>, missing: String
) throws(CommandError) -> (list: ArgumentList, path: String, data: String) {
    do throws(UsageError) {
        let list = try ArgumentList(words, options: options, switches: switches)
        guard let path = list.positional.first, !path.isEmpty else { throw UsageError(missing) }
        if list.positional.count > 1 { throw UsageError("Unexpected word '\(list.positional[1])'.") }
        return (list, path, try list.required("--data"))
    } catch { throw .usage(error) }
}
