import Store
import Testing

@Suite("Cursors belong to one family")
struct CursorTests {
    private func joined(_ client: TestClient) throws -> [String] {
        var words: [String] = []
        while words.last?.hasPrefix("live") != true { words.append(String(try client.next().prefix { $0 != " " })) }
        return words
    }

    @Test("A cursor of one family is reset in another family of the server, and the client gets a snapshot; its own cursor resumes")
    func foreign() throws {
        let server = try TestShard()
        let parent = try server.live(server.parent)
        let epoch = parent.epoch
        let stranger = try server.live(server.stranger)
        #expect(stranger.epoch != epoch)

        let guest = try server.signedIn(server.stranger)
        guest.join(server.stranger.family, extra: ",\"cursor\":{\"epoch\":\"\(epoch)\",\"seq\":1}")
        #expect(try joined(guest) == ["joined", "reset", "snapshot", "snapshot_end", "live"])
        #expect(guest.epoch == stranger.epoch)

        let own = try server.signedIn(server.stranger)
        own.join(server.stranger.family, extra: ",\"cursor\":{\"epoch\":\"\(stranger.epoch)\",\"seq\":1}")
        #expect(try joined(own) == ["joined", "live"])
    }
}
