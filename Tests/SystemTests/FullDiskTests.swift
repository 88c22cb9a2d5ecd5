import Bytes
import Family
import Glibc
import Posix
import TestSupport
import Testing
import Wire

extension SystemTests {
    @Suite("A full disk") struct FullDiskTests {
        @Test("writes are refused for now, reads continue, and with room again everything works without a restart")
        func recovers() throws {
            guard let disk = try SmallDisk(megabytes: 6) else { return }
            let data = disk.path + "/data"
            let demo = try Demo(in: data)
            let server = try RunningServer(data)
            let client = try RawClient(server)
            let installation = Ask.id()
            try client.enter(demo.parents[0].token, demo.family, client: installation)
            func mutate(_ id: Int64, _ text: String) throws -> ServerFrame {
                let record = Identifier(high: 1, low: UInt64(id))
                client.send(.mutate(id: id, operations: [Ask.create(.message, ["text": .text(text)], id: record)]))
                return try client.frame { frame in
                    switch frame {
                    case .ack(let ack) where ack.mutation == id: frame
                    case .reject(id, _): frame
                    default: nil
                    }
                }
            }
            guard case .ack = try mutate(1, "There is room") else { throw Unexpected("nothing can be written") }

            let ballast = disk.path + "/ballast"
            try disk.fill(ballast)
            // SQLite's log may have room inside: what fits there is taken as before.
            let long = String(repeating: "long ", count: 700)
            var refused: Int64?
            var id: Int64 = 1
            while refused == nil, id < 3_000 {
                id += 1
                guard case .reject(_, let rejection) = try mutate(id, long) else { continue }
                #expect(rejection.code == .storageFull)
                #expect(rejection.code.isRetryable)
                refused = id
            }
            let late = try #require(refused, "the disk never filled")
            let answer = try Programs.huddled("token", "--data", data, "--member", "\(demo.parents[1].id)")
            #expect(answer.ending == .exited(1))
            #expect(answer.errors.hasPrefix("huddled: ") && answer.errors.split(separator: "\n").count == 1, "\(answer.errors)")

            // Reads continue: a snapshot, old messages, notices for a member.
            let reader = try RawClient(server)
            let head = try reader.enter(demo.athletes[0].token, demo.family, client: Ask.id())
            reader.send(.list(ListRequest(request: 1, kind: .message, limit: 5)))
            let page = try reader.frame { if case .page(let page) = $0, page.request == 1 { page.records } else { nil } }
            #expect(page.count == 5)

            try Files.remove(ballast)
            guard case .ack(let ack) = try mutate(late, long) else { throw Unexpected("there is room again, and nothing can be written") }
            #expect(ack.sequence == head + 1)
            let change = try reader.frame { if case .change(let change) = $0 { change } else { nil } }
            #expect(change.sequence == head + 1)
            #expect(change.mutation == late)
            print("A full disk: refused at mutation \(late), sequence \(head)")

            client.leave()
            reader.leave()
            try server.stop()
            let book = try DatabaseContent(data, demo.family)
            #expect(book.changes.map(\.sequence) == Array(1...head + 1))
            #expect(book.changes(of: installation).values.allSatisfy { $0.count == 1 })
            #expect(Set(book.changes(of: installation).keys) == Set(1...late))
        }
    }
}

/// A file system of its own with a few megabytes, in memory. It is taken away when the last reference goes.
final class SmallDisk {
    let path: String
    private let folder: TemporaryFolder

    /// - Returns: `nil` with a printed line when this machine does not let us; with HUDDLE_REQUIRE_DISK=1 that is a failure.
    init?(megabytes: Int) throws {
        folder = try TemporaryFolder()
        path = folder.path + "/disk"
        try Files.makeFolder(path)
        let options = ["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=700", "huddle-test", path]
        let answer = try? Programs.run(options[0], Array(options.dropFirst()))
        guard answer?.ending == .exited(0) else {
            print("A full disk: SKIPPED, because no small file system can be mounted here (are you root?)")
            if Environment.value("HUDDLE_REQUIRE_DISK") == "1" { Issue.record("no small file system can be mounted") }
            return nil
        }
    }

    deinit { _ = try? Programs.run("umount", ["-l", path]) }

    /// Takes all the room that is left.
    func fill(_ file: String) throws {
        let descriptor = try Files.create(file)
        for size in [65_536, 4_096, 512] {
            let block = [UInt8](repeating: 0x62, count: size)
            do throws(Errno) {
                while true { try Octets.writeAll(descriptor.raw, block) }
            } catch {
                guard error.code == ENOSPC else { throw error }
            }
        }
    }
}
