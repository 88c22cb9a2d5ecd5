import Bytes
import Dates
import Family
import Queries
import Store
import Testing
import Wire

@Suite("Lists and figures of every kind against a naive twin: product.md (Events, Documents), R021-R038, R071, R101, R106, R121-R127, R156", .bothEngines)
struct QueryTwinTests {
    /// The twin of a season as it is now, and its records as a client holds them.
    private func twin(_ season: SeasonAtRandom, zone: String = "Europe/Warsaw") throws -> (NaiveList, [Record]) {
        let rules = season.world.surroundings.environment.rules
        let today = rules.rules(zone).localDate(at: season.world.surroundings.now)
        return (NaiveList(rules: rules, today: today), Array(try season.world.snapshot(season.home).records.values))
    }

    /// Reads page after page; between two of them `change` may do anything.
    private func walk(_ season: SeasonAtRandom, _ asked: ListRequest, total: Int?, change: () throws -> Void = {}) throws -> [Identifier] {
        var seen: [Identifier] = []
        var request = asked
        repeat {
            let page = try season.world.page(season.home, request).get()
            #expect(page.records.count <= request.limit)
            if let total { #expect(page.total == total) }
            seen += page.records.map(\.id)
            request.before = page.next
            if page.next != nil { try change() }
        } while request.before != nil
        return seen
    }

    private func check(_ season: SeasonAtRandom, _ request: ListRequest, _ naive: NaiveList, _ records: [Record]) throws -> Int {
        let query = try request.query(context: .all)
        let expected = naive.list(query, records).map(\.id)
        let mine = query.apply(records, today: naive.today) { naive.rules.zone($0)?.instant(of: $1) }.map(\.id)
        let theirs = try walk(season, request, total: expected.count)
        #expect(mine == expected, "the client's list differs: \(request)")
        #expect(theirs == expected, "the server's list differs: \(request)")
        return expected.count
    }

    @Test("R052 R109 R144 P14 every filter of every kind, in every order and in pages of any size, is what a plain search finds", arguments: [3, 4])
    func everyFilterAndSort(seed: UInt64) throws {
        guard EngineKind.takes(seed, upTo: 3) else { return }
        var season = try SeasonAtRandom(seed: seed)
        try season.fill(40)
        for name in ["Ärmel", "armel", "Zoo", "Łódź", "Ann", "ann"] { _ = try season.world.athlete(season.home, name: name) }
        let (naive, records) = try twin(season)
        for kind in SeasonAtRandom.kinds + [.member] {
            var found = 0
            for sort in QueryDeclaration.of(kind).sorts {
                for filter in try season.filters(kind) {
                    let limit = [1, 3, 10, 50].randomElement(using: &season.random) ?? 3
                    found += try check(
                        season, ListRequest(request: 1, kind: kind, filter: filter, sort: sort, limit: limit, counts: true), naive, records)
                }
            }
            #expect(found > 20, "\(kind): the questions found nothing to speak of")
        }
    }

    @Test("R037 filters, searches, seasons and deleted records together, while the family continues", arguments: [5, 6])
    func combined(seed: UInt64) throws {
        guard EngineKind.takes(seed, upTo: 5) else { return }
        var season = try SeasonAtRandom(seed: seed)
        try season.fill(20)
        for _ in 0..<6 {
            for kind in SeasonAtRandom.kinds { try season.add(kind) }
            let (naive, records) = try twin(season)
            for kind in SeasonAtRandom.kinds { _ = try check(season, try season.request(kind), naive, records) }
        }
    }

    @Test("Whatever is written between pages, nothing comes twice and what was there throughout comes once", arguments: SeasonAtRandom.kinds)
    func concurrent(_ kind: Kind) throws {
        var season = try SeasonAtRandom(seed: 7)
        for kind in SeasonAtRandom.kinds { for _ in 0..<(kind == .trip ? 2 : 8) { try season.add(kind) } }
        for _ in 0..<24 { try season.add(kind) }
        for sort in QueryDeclaration.of(kind).sorts {
            let request = ListRequest(request: 1, kind: kind, sort: sort, limit: 3, counts: true)
            var writer = season
            let before = Set(try writer.living(kind).map(\.id))
            let seen = try walk(season, request, total: nil) { try writer.add(kind) }
            let (naive, records) = try twin(season)
            let still = Set(naive.list(try request.query(context: .all), records).map(\.id)).intersection(before)
            #expect(Set(seen).count == seen.count, "\(sort): something came twice")
            #expect(Set(seen).isSuperset(of: still.subtracting(touched(records, kind))), "\(sort): something was skipped")
        }
    }

    /// Records whose place may have changed: those that were changed since their creation. A new version of a document takes the older one out of the list.
    private func touched(_ records: [Record], _ kind: Kind) -> Set<Identifier> {
        Set(records.filter { $0.kind == kind && $0.version > 1 }.map(\.id))
    }

    @Test("R123 P45 figures of each kind are what counting record by record gives, of everybody and of one athlete", arguments: [8, 9])
    func figures(seed: UInt64) throws {
        guard EngineKind.takes(seed, upTo: 8) else { return }
        var season = try SeasonAtRandom(seed: seed)
        try season.fill(24)
        let (naive, records) = try twin(season)
        let quota = season.world.surroundings.limits.familyStorage
        for kind in Statistics.kinds {
            for athlete in [nil, season.leo, season.maya] {
                let request = StatisticsRequest(request: 1, kind: kind)
                let found = try season.world.reader.statistics(family: season.home.family, request, athlete: athlete).get()
                guard case .statistics(let answer) = try travelled(.statistics(found)) else { throw Unexpected() }
                #expect(answer.statistics == naive.statistics(kind, records, athlete: athlete, quota: quota))
            }
        }
    }
}
