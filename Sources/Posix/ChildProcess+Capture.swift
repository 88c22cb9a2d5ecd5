import Glibc

extension ChildProcess {
    /// What became of a program whose output was wanted.
    package enum Captured: Equatable, Sendable {
        case ended(Ending, output: [UInt8])
        /// It wrote more than was allowed, and was killed.
        case tooMuch
        /// It took too long, and was killed.
        case late
        /// Nobody wants the answer any more; it was killed.
        case stopped
    }

    /// Runs a program that nobody trusts, without input, and takes what it writes to its standard output.
    ///
    /// - Parameters:
    ///   - limit: octets of output at most.
    ///   - isStopped: asked several times a second.
    package static func capture(
        _ arguments: [String], environment: [String], limit: Int, timeoutMilliseconds: Int, isStopped: () -> Bool = { false }
    ) throws(Errno) -> Captured {
        let child = try start(arguments, environment: environment, input: .nothing, output: .piped, errors: .nothing)
        let end = Clock.monotonicMilliseconds() + Int64(timeoutMilliseconds)
        var output: [UInt8] = []
        // It is killed with the last reference, whichever way this ends.
        while true {
            let left = Int(end - Clock.monotonicMilliseconds())
            guard left > 0 else { return .late }
            guard !isStopped() else { return .stopped }
            var items = [Poll.Item(child.endedRaw, .readable)]
            if let raw = child.outputRaw { items.append(Poll.Item(raw, .readable)) }
            guard try Poll.wait(&items, timeoutMilliseconds: min(left, 100)) > 0 else { continue }
            if items.count > 1, items[1].ready != [] {
                output += try child.takeOutput()
                guard output.count <= limit else { return .tooMuch }
            } else if items[0].ready != [], let ending = try child.wait(timeoutMilliseconds: 0) {
                return .ended(ending, output: output)
            }
        }
    }
}
