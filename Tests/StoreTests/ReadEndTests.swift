import Store
import Testing

@Suite("How reads end that are stopped")
struct ReadEndTests {
    @Test("A read that is stopped ends its transaction, so that the next one begins")
    func ends() throws {
        let world = try World()
        let home = try world.home()
        for number in 0..<40 { try world.mutate(home, home.parent, message(world.newID(), "Message \(number)")) }
        let whole = try world.snapshot(home).records.count
        var stopped = 0
        // Of 400 ends, some fall on the step at which SQLite asks whether the time is over.
        for _ in 0..<400 {
            do throws(StoreFailure) {
                _ = try world.reader.stopping(when: { true }) { () throws(StoreFailure) in try world.reader.snapshot(family: home.family) { $0.records.count } }
            } catch {
                #expect(error.isStopped, "\(error)")
                stopped += 1
            }
            #expect(try world.reader.snapshot(family: home.family) { $0.records.count }.parts.reduce(0, +) == whole)
        }
        #expect(stopped > 300)
    }
}
