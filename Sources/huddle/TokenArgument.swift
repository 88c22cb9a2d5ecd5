import Arguments
import Commands
import Posix
import Terminal

/// Sign-in tokens on the command line: read from files, and removed from the words, which other users of the machine
/// can see.
enum TokenArgument {
    /// The limit in octets, many times the length of a token.
    private static let limit = 4_096

    /// Becomes this program again without the token if the words hold one: the token passes through a pipe, as
    /// `--token-file /dev/fd/N`. The process id stays the same. If that fails, the program continues with the words as
    /// they are.
    ///
    /// - Parameters:
    ///   - words: the program's name and all words.
    ///   - invocation: what the words mean.
    ///   - warns: whether to print a warning.
    static func hide(_ words: [String], _ invocation: Invocation, warns: Bool = true) throws(UsageError) {
        guard let token = invocation.token else { return }
        try check(token, "The token after --token")
        if warns {
            Standard.write(error: "huddle: Other users of this machine can see a token after --token, and the shell's history keeps it. Use huddle sign-in, or --token-file FILE.\n")
        }
        do throws(Errno) {
            var pipe = try Pipe()
            let reading = pipe.takeReading()
            let writing = pipe.takeWriting()
            guard let hidden = replaced(words, token, "/dev/fd/\(reading.raw)") else { return }
            // A pipe holds more than the longest token, so this write never waits for a reader.
            try Octets.writeAll(writing.raw, Array(token.utf8))
            try reading.keepOpen()
            try RunningProgram.restart(hidden)
        } catch {
            if warns { Standard.write(error: "huddle: This token could not be hidden from other users (\(error.text)).\n") }
        }
    }

    /// The words with a file option in place of the token.
    private static func replaced(_ words: [String], _ token: String, _ file: String) -> [String]? {
        var words = words
        if let place = words.firstIndex(of: "--token=" + token) {
            words[place] = "--token-file=" + file
        } else if let place = words.indices.dropFirst().first(where: { words[$0] == token && words[$0 - 1] == "--token" }) {
            words.replaceSubrange(place - 1...place, with: ["--token-file", file])
        } else {
            return nil
        }
        return words
    }

    /// The invocation with the token from its file.
    static func read(_ invocation: Invocation) throws(UsageError) -> Invocation {
        guard let path = invocation.tokenFile else { return invocation }
        var invocation = invocation
        if path == "-" {
            guard !Standard.isTerminal(Standard.input) else {
                throw UsageError("With --token-file - the token comes through a pipe. On a terminal, write huddle sign-in, which asks for it.")
            }
            invocation.token = try token("Standard input", Standard.input)
        } else if let open = FileDescriptor.inherited(path) {
            invocation.token = try token("The token file \(path.printable)", open.raw)
        } else {
            let file: FileDescriptor
            do throws(Errno) { file = try Files.openForReading(path) } catch { throw unreadable(path, error) }
            if let status = try? Files.status(of: file.raw), status.kind == .file, status.mode & 0o044 != 0 {
                Standard.write(error: "huddle: Other users of this machine can read \(path.printable). Write: chmod 600 \(path.printable)\n")
            }
            invocation.token = try token("The token file \(path.printable)", file.raw)
        }
        return invocation
    }

    /// The sign-in for completion, which may name one: without warnings, and without waiting for a pipe.
    static func forCompletion(_ typed: Invocation) -> Invocation {
        guard let path = typed.tokenFile else { return typed }
        var typed = typed
        // "" is not a sign-in, so that the names of another person are not offered.
        typed.token = ""
        if let open = FileDescriptor.inherited(path) {
            typed.token = (try? token(path, open.raw)) ?? ""
        } else if ((try? Files.status(path)) ?? nil)?.kind == .file, let file = try? Files.openForReading(path) {
            typed.token = (try? token(path, file.raw)) ?? ""
        }
        return typed
    }

    // MARK: The file

    private static func token(_ source: String, _ raw: Int32) throws(UsageError) -> String {
        let octets: [UInt8]
        do throws(Errno) { octets = try Files.readToEnd(raw, limit: limit) } catch {
            guard error == .tooBig else { throw UsageError("\(source) cannot be read: \(error.text).") }
            throw UsageError("\(source) is too long for a sign-in token. It has to hold the token alone, on one line.")
        }
        let text = String(decoding: octets, as: UTF8.self).trimmed
        try check(text, source)
        return text
    }

    private static func check(_ token: String, _ source: String) throws(UsageError) {
        guard !token.isEmpty else { throw UsageError("\(source) is empty. It has to be a sign-in token.") }
        guard token.utf8.count <= limit, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw UsageError("\(source) is not a sign-in token. It has to hold the token alone, on one line.")
        }
    }

    private static func unreadable(_ path: String, _ error: Errno) -> UsageError {
        UsageError("The token file \(path.printable) cannot be read: \(error.text). Check its path and its mode.")
    }
}
