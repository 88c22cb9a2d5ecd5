package import Blobs
internal import Locks
package import Posix

/// A disk in memory that does what a real one may do: fail a call, take or give less than it was asked for, and lose in a power cut what
/// was not synced.
///
/// - Content: what was written since the last `synchronize` of a file is, after a cut, there or not for each 512 octets, by the seed.
/// - Names: every change of a name is durable once all folders it touches were synced after it. The others are, after a cut, done or not, each
///   by the seed; a rename is done as a whole or not at all.
package final class MemoryDisk: Disk {
    /// The fault of the call of a given number.
    package enum Fault: Sendable {
        /// It says no, once.
        case fails(Errno)
        /// It and all after it say no, until `powerOn`: the process is killed or the power is cut.
        case cut
        /// A read or write moves one octet only; others fail.
        case short
    }

    private final class Inode {
        var content: [UInt8] = []
        var synced: [UInt8] = []
        var modified: Int64 = 0
    }

    private enum Node {
        case file(Inode)
        case folder
    }

    /// A change of names.
    private enum Change {
        case make(String, Node)
        case rename(String, String)
        case remove(String)

        var folders: Set<String> {
            switch self {
            case .make(let path, _), .remove(let path): [MemoryDisk.parent(path)]
            case .rename(let path, let other): [MemoryDisk.parent(path), MemoryDisk.parent(other)]
            }
        }
    }

    private struct State {
        var names: [String: Node]
        /// As of the last cut, or the beginning.
        var base: [String: Node]
        /// Since then, with the folders that have not been synced after it.
        var changes: [(change: Change, open: Set<String>)] = []
        var files: [Int32: Inode] = [:]
        var nextFile: Int32 = 3
        var calls = 0
        var faults: [Int: Fault] = [:]
        var isOff = false
        var now: Int64 = 0
        var random: UInt64
    }

    /// Touched under the lock only; `Inode` is not Sendable by itself.
    private struct Guarded: @unchecked Sendable { var state: State }
    private let guarded: Lock<Guarded>

    /// - Parameter root: a folder that is there from the beginning.
    package init(root: String, seed: UInt64 = 1) {
        guarded = Lock(Guarded(state: State(names: [root: .folder], base: [root: .folder], random: seed)))
    }

    /// Calls so far, those that failed included.
    package var calls: Int { guarded.withLock { $0.state.calls } }

    /// Lets the call after `skipped` more meet `fault`.
    package func fail(after skipped: Int, _ fault: Fault) {
        guarded.withLock { $0.state.faults[$0.state.calls + skipped + 1] = fault }
    }

    package func forgetFaults() { guarded.withLock { $0.state.faults = [:] } }

    /// UTC milliseconds that the next changes get.
    package func setTime(_ now: Int64) { guarded.withLock { $0.state.now = now } }

    /// The process that used the disk is gone, and another begins with everything as it is.
    package func restart() {
        guarded.withLock { guarded in
            guarded.state.isOff = false
            guarded.state.faults = [:]
        }
    }

    /// The power was cut and is back: what was not synced is there or not.
    package func powerOn() {
        guarded.withLock { guarded in
            var state = guarded.state
            state.isOff = false
            state.faults = [:]
            var names = state.base
            for (change, open) in state.changes where open.isEmpty || MemoryDisk.coin(&state.random) { MemoryDisk.apply(change, to: &names) }
            // A file that is in no folder does not exist.
            while let orphan = names.keys.first(where: { key in
                let parent = MemoryDisk.parent(key)
                if case .folder? = names[parent] { return false }
                return state.base[key] == nil || names.keys.contains { key.hasPrefix($0 + "/") && $0 != key }
            }) { names[orphan] = nil }
            var seen: Set<ObjectIdentifier> = []
            for case .file(let inode) in names.values where seen.insert(ObjectIdentifier(inode)).inserted {
                var content = inode.synced
                if MemoryDisk.coin(&state.random) {
                    // The length came first, then some of the content.
                    content = Array(content.prefix(inode.content.count))
                    content += [UInt8](repeating: 0, count: max(0, inode.content.count - content.count))
                    for start in stride(from: 0, to: content.count, by: 512) where MemoryDisk.coin(&state.random) {
                        let end = min(start + 512, content.count)
                        content.replaceSubrange(start..<end, with: inode.content[start..<end])
                    }
                }
                inode.content = content
                inode.synced = content
            }
            state.names = names
            state.base = names
            state.changes = []
            guarded.state = state
        }
    }

    /// Every file with its content, by path.
    package var files: [String: [UInt8]] {
        guarded.withLock { guarded in
            guarded.state.names.compactMapValues { if case .file(let inode) = $0 { inode.content } else { nil } }
        }
    }

    /// Changes an octet of a file behind everybody's back.
    package func spoil(_ path: String) {
        guarded.withLock { guarded in
            guard case .file(let inode)? = guarded.state.names[path], !inode.content.isEmpty else { return }
            inode.content[inode.content.count / 2] ^= 0x40
            inode.synced = inode.content
        }
    }

    /// Open files, which must be none when everything was dropped.
    package var openFiles: Int { guarded.withLock { $0.state.files.count } }

    private static func coin(_ random: inout UInt64) -> Bool {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return random >> 63 == 1
    }

    private static func parent(_ path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

    private static func apply(_ change: Change, to names: inout [String: Node]) {
        switch change {
        case .make(let path, let node): if names[path] == nil { names[path] = node }
        case .remove(let path): names[path] = nil
        case .rename(let path, let other):
            guard let node = names[path] else { return }
            names[path] = nil
            names[other] = node
        }
    }

    // MARK: Calls

    /// One call: counted, failed when it is its turn.
    private func call<R>(
        _ name: StaticString, _ body: (inout State, _ isShort: Bool) throws(Errno) -> R
    ) throws(Errno) -> R {
        let result: Result<Box<R>, Errno> = guarded.withLock { guarded in
            guarded.state.calls += 1
            if guarded.state.isOff { return .failure(Errno(5, name)) }
            var isShort = false
            switch guarded.state.faults[guarded.state.calls] {
            case nil: break
            case .fails(let errno): return .failure(errno)
            case .cut:
                guarded.state.isOff = true
                return .failure(Errno(5, name))
            case .short: isShort = true
            }
            do throws(Errno) { return .success(Box(value: try body(&guarded.state, isShort))) } catch { return .failure(error) }
        }
        return try result.get().value
    }

    private struct Box<Value>: @unchecked Sendable { let value: Value }

    private static func note(_ change: Change, _ state: inout State) {
        apply(change, to: &state.names)
        state.changes.append((change, change.folders))
    }

    private static func mustBeFolder(_ path: String, _ state: State) throws(Errno) {
        guard case .folder? = state.names[path] else { throw .noEntry }
    }

    package func create(_ path: String) throws(Errno) -> Int32 {
        try call("open") { (state, isShort) throws(Errno) in
            if isShort { throw .noSpace }
            try Self.mustBeFolder(Self.parent(path), state)
            guard state.names[path] == nil else { throw .exists }
            let inode = Inode()
            inode.modified = state.now
            Self.note(.make(path, .file(inode)), &state)
            return Self.hold(inode, &state)
        }
    }

    private static func hold(_ inode: Inode, _ state: inout State) -> Int32 {
        state.nextFile += 1
        state.files[state.nextFile] = inode
        return state.nextFile
    }

    package func open(_ path: String) throws(Errno) -> Int32 {
        try call("open") { (state, isShort) throws(Errno) in
            if isShort { throw .noSpace }
            guard case .file(let inode)? = state.names[path] else { throw .noEntry }
            return Self.hold(inode, &state)
        }
    }

    package func close(_ file: Int32) {
        // Closing cannot be refused, and is not a step of anything.
        guarded.withLock { guarded in
            precondition(guarded.state.files.removeValue(forKey: file) != nil, "a file is closed once")
        }
    }

    private static func inode(_ file: Int32, _ state: State) -> Inode {
        guard let inode = state.files[file] else { preconditionFailure("the file is open") }
        return inode
    }

    package func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        nonisolated(unsafe) let buffer = buffer
        return try call("pread") { (state, isShort) throws(Errno) in
            let content = Self.inode(file, state).content
            guard offset < content.count else { return 0 }
            let count = min(isShort ? 1 : buffer.count, content.count - Int(offset))
            buffer.copyBytes(from: content[Int(offset)..<(Int(offset) + count)])
            return count
        }
    }

    package func write(_ file: Int32, _ octets: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        nonisolated(unsafe) let octets = octets
        return try call("pwrite") { (state, isShort) throws(Errno) in
            let inode = Self.inode(file, state)
            let count = isShort ? min(1, octets.count) : octets.count
            let end = Int(offset) + count
            if inode.content.count < end { inode.content += [UInt8](repeating: 0, count: end - inode.content.count) }
            inode.content.replaceSubrange(Int(offset)..<end, with: octets[..<count])
            inode.modified = state.now
            return count
        }
    }

    package func cut(_ file: Int32, to length: Int64) throws(Errno) {
        try call("ftruncate") { (state, isShort) throws(Errno) in
            if isShort { throw .noSpace }
            let inode = Self.inode(file, state)
            inode.content = Array(inode.content.prefix(Int(length)))
            inode.content += [UInt8](repeating: 0, count: Int(length) - inode.content.count)
        }
    }

    package func synchronize(_ file: Int32) throws(Errno) {
        try call("fdatasync") { (state, isShort) throws(Errno) in
            if isShort { throw .noSpace }
            let inode = Self.inode(file, state)
            inode.synced = inode.content
        }
    }

    package func synchronizeFolder(_ path: String) throws(Errno) {
        try call("fsync") { (state, isShort) throws(Errno) in
            if isShort { throw .noSpace }
            try Self.mustBeFolder(path, state)
            for index in state.changes.indices { state.changes[index].open.remove(path) }
        }
    }

    package func rename(_ path: String, to other: String) throws(Errno) {
        try call("rename") { (state, isShort) throws(Errno) in
            if isShort { throw .noSpace }
            guard state.names[path] != nil else { throw .noEntry }
            try Self.mustBeFolder(Self.parent(other), state)
            Self.note(.rename(path, other), &state)
        }
    }

    package func remove(_ path: String) throws(Errno) {
        try call("unlink") { (state, isShort) throws(Errno) in
            if isShort { throw .noSpace }
            guard state.names[path] != nil else { return }
            Self.note(.remove(path), &state)
        }
    }

    package func removeFolder(_ path: String) throws(Errno) {
        try call("rmdir") { (state, isShort) throws(Errno) in
            if isShort { throw .noSpace }
            guard state.names[path] != nil else { return }
            guard !state.names.keys.contains(where: { Self.parent($0) == path && $0 != path }) else { throw .exists }
            Self.note(.remove(path), &state)
        }
    }

    package func makeFolder(_ path: String) throws(Errno) -> Bool {
        try call("mkdir") { (state, isShort) throws(Errno) in
            if isShort { throw .noSpace }
            if case .folder? = state.names[path] { return false }
            try Self.mustBeFolder(Self.parent(path), state)
            guard state.names[path] == nil else { throw .exists }
            Self.note(.make(path, .folder), &state)
            return true
        }
    }

    package func list(_ path: String) throws(Errno) -> [String] {
        try call("opendir") { (state, isShort) throws(Errno) in
            if isShort { throw .noSpace }
            return state.names.keys.filter { Self.parent($0) == path && $0 != path }.map { String($0.dropFirst(path.count + 1)) }.sorted()
        }
    }

    package func status(_ path: String) throws(Errno) -> DiskStatus? {
        try call("stat") { (state, isShort) throws(Errno) in
            if isShort { throw .noSpace }
            switch state.names[path] {
            case nil: return nil
            case .folder: return DiskStatus(octets: 0, modified: 0, isFolder: true)
            case .file(let inode): return DiskStatus(octets: Int64(inode.content.count), modified: inode.modified)
            }
        }
    }

    package func touch(_ path: String) throws(Errno) {
        try call("utimensat") { (state, isShort) throws(Errno) in
            if isShort { throw .noSpace }
            guard case .file(let inode)? = state.names[path] else { throw .noEntry }
            inode.modified = state.now
        }
    }
}
