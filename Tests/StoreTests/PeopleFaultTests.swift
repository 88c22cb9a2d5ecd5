import CFaultVFS
import Family
import Posix
import Store
import StoreMemory
import Testing

/// Lets operations of a sign-up fail, or the process or the power end there. The steps include the invite, the consent and its withdrawal, passwords, the
/// check before an act, and the correction of a birth date.
///
/// `HUDDLE_SWEEP=all swift test --filter PeopleFaultTests` meets every operation of the disk and every call of the engine; otherwise some are chosen.
@Suite("Sign-up and consent on disks that fail (issue 15, section 8)", .serialized)
struct PeopleFaultTests {
    private static var isWhole: Bool { Environment.value("HUDDLE_SWEEP") == "all" }

    /// The numbers of the operations, or calls, that a sweep meets: the first, the last, one after the last, and the chosen ones between.
    private static func chosen(_ count: Int, steps: Int = 12) -> [Int] {
        Array(stride(from: 1, to: count, by: isWhole ? 1 : max(count / steps, 1))) + [count, count + 1]
    }

    /// The operations of the disk that a run without faults takes.
    private static func operations(_ disk: FaultDisk) throws -> Int {
        #expect(faultvfs_reset(disk.name) == 0)
        let episode = PeopleEpisode()
        let world = try disk.world(episode.surroundings)
        try episode.prepare(world)
        let before = faultvfs_operations(disk.name)
        #expect(try episode.run(world))
        return Int(faultvfs_operations(disk.name) - before)
    }

    /// The summaries of a run without faults, before the first step and after each.
    private static func reference(_ disk: FaultDisk) throws -> [PeopleEpisode.Summary] {
        #expect(faultvfs_reset(disk.name) == 0)
        let episode = PeopleEpisode()
        let world = try disk.world(episode.surroundings)
        return try summaries(episode, world)
    }

    private static func summaries(_ episode: PeopleEpisode, _ world: World) throws -> [PeopleEpisode.Summary] {
        try episode.prepare(world)
        var summaries = [try episode.summary(world)]
        while episode.done < PeopleEpisode.Step.allCases.count {
            #expect(try episode.step(world))
            summaries.append(try episode.summary(world))
        }
        return summaries
    }

    @Test("Each step of the story changes what it should, so that a step that stands half would be seen")
    func steps() throws {
        let reference = try Self.reference(FaultDisk())
        for step in PeopleEpisode.Step.allCases where step != .expire {
            #expect(reference[step.rawValue] != reference[step.rawValue + 1], "\(step)")
        }
        #expect(reference[PeopleEpisode.Step.expire.rawValue] == reference[PeopleEpisode.Step.expire.rawValue + 1], "a refused act writes nothing")
        #expect(reference.last?.first == """
            acts family_created×1 token_by_host×1 password_set×1 invited×1 consent_given×1 invited×1 invite_accepted×1 password_set×1 \
            recovery_codes_made×1 signed_in×1 password_set×1 sessions_ended×1 birth_date_corrected×1 consent_withdrawn×1 sessions_ended×1
            """)
    }

    @Test("A full disk refuses a step as a whole; when there is room, the step is done once", arguments: [1, -1])
    func full(count: Int) throws {
        let disk = FaultDisk()
        let reference = try Self.reference(disk)
        let operations = try Self.operations(disk)
        var refusals = 0
        for operation in Self.chosen(operations) {
            #expect(faultvfs_reset(disk.name) == 0)
            let episode = PeopleEpisode()
            let world = try disk.world(episode.surroundings)
            try episode.prepare(world)
            let before = faultvfs_failures(disk.name)
            faultvfs_fail_at(disk.name, operation, FaultTests.full, count)
            while try !episode.run(world) {
                refusals += 1
                #expect(try episode.summary(world) == reference[episode.done], "operation \(operation): a refused step leaves nothing")
                faultvfs_fail_at(disk.name, 0, FaultTests.full, 0)
            }
            // The last operation is a sync, which a full disk does not refuse.
            #expect(operation >= operations || faultvfs_failures(disk.name) > before, "operation \(operation)")
            faultvfs_fail_at(disk.name, 0, FaultTests.full, 0)
            #expect(try episode.violations(world, reference) == [], "operation \(operation)")
            #expect(try episode.summary(world) == reference.last, "operation \(operation)")
        }
        #expect(operations > 2 * (PeopleEpisode.Step.allCases.count - 2), "a step is a write and a sync")
        #expect(refusals >= 10)
    }

    @Test("After a write or a sync that failed nothing more is answered; a restart finds every answered step, and the rest is done once", arguments: [
        FaultTests.writeError, FaultTests.syncError,
    ])
    func failing(code: Int32) throws {
        let disk = FaultDisk()
        let reference = try Self.reference(disk)
        let operations = try Self.operations(disk)
        for operation in Self.chosen(operations) {
            #expect(faultvfs_reset(disk.name) == 0)
            let episode = PeopleEpisode()
            var failed = false
            do {
                let world = try disk.world(episode.surroundings)
                try episode.prepare(world)
                faultvfs_fail_at(disk.name, operation, code, 1)
                do {
                    _ = try episode.run(world)
                } catch let failure as StoreFailure {
                    failed = true
                    #expect(throws: failure) { try world.store.perform(.purge) }
                }
                faultvfs_crash_now(disk.name, FAULTVFS_LOSE, 0)
            }
            #expect(faultvfs_restart(disk.name) == 0)
            try goesOn(episode, disk, reference, "operation \(operation)")
            // The last operation is a sync.
            #expect(failed == (operation < operations || operation == operations && code == FaultTests.syncError), "operation \(operation)")
        }
    }

    @Test("Killed or without power at any operation, a sign-up keeps every answered step, and the rest is done once", arguments: [
        (FAULTVFS_KILL, 1), (FAULTVFS_LOSE, 1), (FAULTVFS_RANDOM, 1),
    ] as [(faultvfs_mode, UInt64)])
    func killed(mode: faultvfs_mode, seed: UInt64) throws {
        let disk = FaultDisk()
        let reference = try Self.reference(disk)
        // `HUDDLE_SWEEP=all`: what a power failure leaves of a write is up to chance, so each operation meets more of it.
        let seeds: UInt64 = mode == FAULTVFS_RANDOM && Self.isWhole ? 20 : 1
        let operations = try Self.operations(disk)
        for seed in seed..<seed + seeds {
            for operation in Self.chosen(operations) {
                #expect(faultvfs_reset(disk.name) == 0)
                let episode = PeopleEpisode()
                do {
                    let world = try disk.world(episode.surroundings)
                    try episode.prepare(world)
                    faultvfs_crash_at(disk.name, operation, mode, seed &* 1000 &+ UInt64(operation))
                    do { _ = try episode.run(world) } catch is StoreFailure {}
                }
                // The end of the program writes too, after the last step.
                #expect(faultvfs_crashed(disk.name) == 1 || operation > operations, "operation \(operation)")
                faultvfs_crash_now(disk.name, mode, seed)
                #expect(faultvfs_restart(disk.name) == 0)
                try goesOn(episode, disk, reference, "operation \(operation), seed \(seed)")
            }
        }
    }

    /// Looks at what a restart finds, and does the rest.
    private func goesOn(_ episode: PeopleEpisode, _ disk: FaultDisk, _ reference: [PeopleEpisode.Summary], _ comment: Comment) throws {
        let world = try disk.world(episode.surroundings)
        let wrong = try episode.violations(world, reference)
        #expect(wrong == [], comment)
        // A client that did not get its answer asks again.
        #expect(try episode.run(world), comment)
        let (settled, expected) = (PeopleEpisode.settled(try episode.summary(world)), PeopleEpisode.settled(try #require(reference.last)))
        #expect(settled == expected, comment)
    }

    @Test("Whichever call of the engine fails, each step is done once and answered", arguments: [
        MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost,
    ])
    func engine(_ fault: MemoryDatabase.Fault) throws {
        let calm = PeopleEpisode()
        let calmWorld = try World(inMemory: calm.surroundings)
        let calmMemory = try #require(calmWorld.memory)
        try calm.prepare(calmWorld)
        let before = calmMemory.calls
        #expect(try calm.run(calmWorld))
        let calls = calmMemory.calls - before
        #expect(calls > 40)
        let reference = try calm.summary(calmWorld)
        for call in Self.chosen(calls, steps: 60) {
            let episode = PeopleEpisode()
            let world = try World(inMemory: episode.surroundings)
            try episode.prepare(world)
            let memory = try #require(world.memory)
            memory.fail(at: call, of: nil, fault)
            #expect(try episode.run(world), "call \(call)")
            #expect(try episode.summary(world) == reference, "call \(call)")
        }
    }
}
