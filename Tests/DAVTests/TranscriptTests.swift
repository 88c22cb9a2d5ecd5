import DAV
import Posix
import Testing
import XML

/// The content of a request that a program sends, of `proto/caldav`.
func transcript(_ name: String) throws -> [UInt8] {
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
    return try Files.read(folder + "/proto/caldav/\(name).xml", limit: 65_536)
}

private func dav(_ local: String) -> XMLName { DAVNames.d(local) }
private func cal(_ local: String) -> XMLName { DAVNames.c(local) }
private func cs(_ local: String) -> XMLName { DAVNames.cs(local) }
private func apple(_ local: String) -> XMLName { DAVNames.i(local) }

@Suite("Requests of calendar programs")
struct TranscriptTests {
    @Test("Every PROPFIND of a program is read into the names that it asks for, each once")
    func propfinds() throws {
        #expect(try DAVPropertyRequest(propfind: transcript("apple-principal")) == .these([dav("current-user-principal"), dav("principal-URL"), dav("resourcetype")]))
        #expect(
            try DAVPropertyRequest(propfind: transcript("davx5-state"))
                == .these([cal("max-resource-size"), dav("supported-report-set"), cs("getctag"), dav("sync-token")]))
        for (name, count) in [
            ("apple-home-set", 12), ("apple-home", 36), ("davx5-principal", 6), ("davx5-home", 11), ("thunderbird-principal", 7), ("thunderbird-calendar", 7),
        ] {
            guard case .these(let names) = try DAVPropertyRequest(propfind: transcript(name)) else {
                Issue.record("\(name) asks for other things")
                continue
            }
            #expect(names.count == count && Set(names).count == count, "\(name)")
        }
    }

    @Test("Every REPORT of a program is read")
    func reports() throws {
        let address = "/dav/calendars/CALENDAR/ENTRY.ics"
        #expect(
            try DAVReport.read(transcript("apple-multiget"))
                == .multiget(
                    .these([dav("getetag"), cal("calendar-data"), cs("created-by"), cs("updated-by")]),
                    addresses: [address, "/dav/calendars/CALENDAR/nothing.ics"]))
        #expect(
            try DAVReport.read(transcript("davx5-multiget"))
                == .multiget(.these([dav("getcontenttype"), dav("getetag"), cal("schedule-tag"), cal("calendar-data")]), addresses: [address]))
        #expect(try DAVReport.read(transcript("thunderbird-multiget")) == .multiget(.these([dav("getetag"), cal("calendar-data")]), addresses: [address]))
        // 2026-10-01T00:00:00Z and 2026-08-28T10:15:00Z.
        #expect(
            try DAVReport.read(transcript("apple-range"))
                == .query(.these([dav("getetag"), dav("getcontenttype")]), DAVFilter(range: DAVTimeRange(start: 1_790_812_800_000, end: nil))))
        #expect(try DAVReport.read(transcript("davx5-range")) == .query(.these([dav("getetag")]), DAVFilter(range: DAVTimeRange(start: 1_787_912_100_000, end: nil))))
        #expect(try DAVReport.read(transcript("davx5-sync")) == .sync(.these([dav("getetag")]), token: "TOKEN", limit: 5_000))
        #expect(try DAVReport.read(transcript("thunderbird-sync")) == .sync(.these([dav("getcontenttype"), dav("getetag")]), token: nil, limit: nil))
    }

    @Test("A PROPPATCH of a colour is read in its order")
    func proppatch() throws {
        let updates = try DAVPropertyUpdate.read(transcript("apple-color"))
        #expect(updates.map(\.name) == [apple("calendar-color"), apple("calendar-order")] && updates.map { $0.value?.text } == ["#FF9500FF", "2"])
    }
}
