import Documents
import Locks
import Posix
import Sessions
import Terminal
import Words

/// Writes one file at a time on a thread of its own: laying out pages takes longer than a key may wait.
final class BackgroundFileWriter: Sendable {
    private struct State {
        var thread: Thread?
        var words: String?
    }

    private let state = Lock(State())
    private let waker: ClientWaker

    /// - Parameter waker: woken when a file is written.
    init(_ waker: ClientWaker) { self.waker = waker }

    /// Begins to write a file, which must not exist yet.
    ///
    /// - Parameter path: the path of the new file.
    /// - Returns: false if another file is being written.
    func begin(_ table: ExportedTable, _ format: ExportFormat, path: String) -> Bool {
        state.withLock { state in
            guard state.thread == nil else { return false }
            state.thread = Thread.start(name: "export") { [self] in
                let words = Self.make(table, format, path)
                self.state.withLock { $0.words = words }
                waker.post { _ in }
            }
            return true
        }
    }

    /// The result for a file, as a sentence, once; `nil` while there is none.
    func take() -> String? {
        let done = state.withLock { state -> (Thread?, String)? in
            guard let words = state.words else { return nil }
            defer { state = State() }
            return (state.thread, words)
        }
        done?.0?.join()
        return done?.1
    }

    /// Waits until the current file is written, which takes seconds at most.
    func end() {
        let thread = state.withLock { state in
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join()
    }

    private static func make(_ table: ExportedTable, _ format: ExportFormat, _ path: String) -> String {
        do throws(ExportFailure) {
            let made = try table.octets(format)
            do throws(Errno) { try Files.writeNew(made.octets, to: path) } catch {
                return error == .exists ? "\(path.printable) already exists: nothing was written." : "\(path.printable) could not be written: \(error.text)."
            }
            let count = table.records.count
            return "\(path.printable) is written: \(count == 1 ? "1 line" : "\(count) lines").\(made.remark.isEmpty ? "" : " " + made.remark)"
        } catch {
            return error.sentence
        }
    }
}
