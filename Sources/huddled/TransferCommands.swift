import Arguments
import Family
import Posix
import Server

// Exports and imports of whole families.

/// `huddled export`: the file gets its name only when it is complete.
func exportFamily(_ words: [String]) throws(CommandError) {
    let (list, path, data) = try transferArguments(words, options: ["--data", "--family"], switches: ["--private", "--json"])
    let family: String
    do throws(UsageError) { family = try list.required("--family") } catch { throw .usage(error) }
    guard !Files.exists(path) else { throw .failed("\(path) already exists; it was not overwritten. Choose another name.") }
    let part = path + ".part"
    do {
        let file = try Files.create(part)
        let done = try transfer(.export(family: family, isPrivate: list.has("--private")), data, file)
        try Files.rename(part, to: path)
        try Files.synchronizeFolder(of: path)
        tell(list.has("--json"), done, "\(done.name) is in \(path), up to change \(done.head).")
    } catch {
        try? Files.remove(part)
        throw failure(error, path)
    }
}

/// `huddled import`.
func importFamily(_ words: [String]) throws(CommandError) {
    let (list, path, data) = try transferArguments(words, options: ["--data"], switches: ["--json"])
    do {
        let done = try transfer(.load, data, try Files.openForReading(path))
        let text =
            done.outcome == .alreadyHere
            ? "\(done.name) already exists, as in the archive. Nothing was changed."
            : """
            \(done.name) is here now, up to change \(done.head). Its id is \(done.family).
            Nobody is signed in to it yet. Give each member a sign-in with: huddled token --data DIR --member MEMBER
            """
        tell(list.has("--json"), done, text)
    } catch {
        throw failure(error, path)
    }
}

private func transferArguments(
    _ words: [String], options: Set<String>, switches: Set<String>
) throws(CommandError) -> (list: ArgumentList, path: String, data: String) {
    do throws(UsageError) {
        let list = try ArgumentList(words, options: options, switches: switches)
        guard let path = list.positional.first, !path.isEmpty else { throw UsageError("The file is missing.") }
        if list.positional.count > 1 { throw UsageError("Unexpected word '\(list.positional[1])'.") }
        return (list, path, try list.required("--data"))
    } catch { throw .usage(error) }
}

private func transfer(_ transfer: ArchiveTransfer, _ data: String, _ file: consuming FileDescriptor) throws -> Transferred {
    switch try AdminGate.perform(.transfer(transfer), dataFolder: data, archive: file.raw) {
    case .success(.transferred(let done)): return done
    case .success: throw CommandError.failed("The server gave an unexpected answer.")
    case .failure(let rejection): throw CommandError.failed(rejection.message)
    }
}

private func failure(_ error: any Error, _ path: String) -> CommandError {
    switch error {
    case let error as CommandError: error
    case let error as ServerError: .failed(error.sentence)
    case let error as Errno: .failed("\(path) cannot be used: \(error.text).")
    default: .failed("\(error)")
    }
}

private func tell(_ isJSON: Bool, _ done: Transferred, _ text: String) {
    Standard.write(output: isJSON ? done.encode() + [UInt8(ascii: "\n")] : Array((text + "\n").utf8))
}
