import Blobs
package import Family
import JSON
import Posix
import Store

/// The way of a command to the one writer: through the running server's socket, or by being the writer itself for the
/// command.
package enum AdminGate {
    /// Milliseconds for the running server to answer.
    static let answerTime = 10_000
    /// Milliseconds for an export or import of the largest family, on the slowest disk.
    static let transferTime = 3_600_000
    /// Milliseconds that a server may take from claiming the folder to listening, and from the end of listening to
    /// releasing the folder.
    static let claimTime: Int64 = 5_000

    /// - Parameters:
    ///   - dataFolder: created if it is missing.
    ///   - archive: the open file of a transfer; the caller keeps it.
    /// - Returns: the answer, or the refusal of the rules.
    /// - Throws: a sentence, if the folder or the server cannot be used.
    package static func perform(
        _ request: AdminRequest, dataFolder: String, archive: Int32? = nil
    ) throws(ServerError) -> Result<AdminReply, Rejection> {
        let deadline = Clock.monotonicMilliseconds() + claimTime
        while true {
            if let answer = try performHere(request, dataFolder, archive) { return answer }
            if let answer = try ask(request, socket: DataFolder.socketPath(in: dataFolder), archive) { return answer }
            guard Clock.monotonicMilliseconds() < deadline else {
                throw ServerError("\(dataFolder) is in use, but no server answers there. If one is starting or stopping, try again.")
            }
            var nothing: [Poll.Item] = []
            _ = try? Poll.wait(&nothing, timeoutMilliseconds: 50)
        }
    }

    /// - Returns: `nil` if another process has the folder.
    private static func performHere(
        _ request: AdminRequest, _ path: String, _ archive: Int32?
    ) throws(ServerError) -> Result<AdminReply, Rejection>? {
        let folder: DataFolder
        do throws(DataFolderError) {
            folder = try DataFolder(path: path)
        } catch {
            switch error {
            case .inUse: return nil
            case .unfinished: throw .unfinishedRestore(path)
            case .failed(let errno):
                throw ServerError("\(path) cannot be used: \(errno.text). Choose another --data, or fix its permissions.")
            }
        }
        do throws(StoreFailure) {
            let limits = Limits()
            let database = ServerDatabase(folder)
            let store = try database.openStore(limits)
            let answer: Result<AdminReply, Rejection>
            if case .transfer(let transfer) = request, let archive {
                let reader = try database.openReader(limits)
                answer = try transfer.perform(
                    archive, reader: reader, blobs: BlobFolder(path: folder.blobsPath), isStopped: { false },
                    note: { export throws(StoreFailure) in try store.note(export) }
                ) { step throws(ArchiveError) in
                    let refusal: Rejection?
                    do throws(StoreFailure) {
                        refusal = try store.perform(step)
                    } catch {
                        throw .refused(Rejection(.invalid, "The database cannot be used: \(error)."))
                    }
                    if let refusal { throw .refused(refusal) }
                }
            } else if case .ask(let question) = request {
                var found = try database.openReader(limits).answer(question)
                if case .status = question { found = found.map { ServerStatus.withoutServer($0, folder: path) } }
                answer = found.map(AdminReply.tree)
            } else {
                answer = try request.perform(in: store, environment: MachineEnvironment.make(limits)).0
            }
            // The command has been carried out; if the log cannot be truncated now, the next start does it.
            try? store.stop()
            return answer
        } catch {
            throw ServerError("The database cannot be used: \(error).")
        }
    }

    /// - Returns: `nil` if no server listens.
    static func ask(
        _ request: AdminRequest, socket: String, _ archive: Int32?
    ) throws(ServerError) -> Result<AdminReply, Rejection>? {
        guard let descriptor = try? Socket.connectUnix(path: socket) else { return nil }
        let line: String?
        do throws(Errno) {
            let octets = request.encode() + [UInt8(ascii: "\n")]
            if let archive {
                try Socket.sendAll(descriptor.raw, octets, descriptor: archive)
            } else {
                try Socket.sendAll(descriptor.raw, octets)
            }
            line = try LineReader(descriptor).line(archive == nil ? answerTime : transferTime)
        } catch {
            throw ServerError("The server does not answer: \(error.text). Check whether the command was carried out before you try again.")
        }
        guard let line else {
            throw ServerError("The server ended without an answer. Check whether the command was carried out before you try again.")
        }
        do throws(JSONError) {
            return try AdminReply.decode(Array(line.utf8))
        } catch {
            throw ServerError("The server has another version than this program, so its answer cannot be read.")
        }
    }
}
