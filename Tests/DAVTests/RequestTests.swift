import DAV
import Testing
import XML

private func refusal<Value>(_ body: () throws(DAVRefusal) -> Value) -> DAVRefusal? {
    do throws(DAVRefusal) {
        _ = try body()
        return nil
    } catch { return error }
}

private func report(_ text: String) throws(DAVRefusal) -> DAVReport { try DAVReport.read(Array(text.utf8)) }

/// A calendar-query whose filter has this in the VEVENT.
private func query(_ event: String) -> String { wholeQuery("<c:comp-filter name=\"VEVENT\">\(event)</c:comp-filter>") }

private func wholeQuery(_ calendar: String) -> String {
    """
    <c:calendar-query xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><prop/><c:filter><c:comp-filter name="VCALENDAR">\(calendar)</c:comp-filter>\
    </c:filter></c:calendar-query>
    """
}

private func filter(_ text: String) throws -> DAVFilter? {
    guard case .query(_, let filter) = try report(text) else { return nil }
    return filter
}

@Suite("Requests of WebDAV and CalDAV")
struct RequestTests {
    @Test("PROPFIND without content asks for all; content asks for all, for names, or for some")
    func propfind() throws {
        func read(_ text: String) throws -> DAVPropertyRequest { try DAVPropertyRequest(propfind: Array(text.utf8)) }
        #expect(try read("") == .all(including: []))
        #expect(try read("<propfind xmlns=\"DAV:\"><allprop/><include><x/></include></propfind>") == .all(including: [DAVNames.d("x")]))
        #expect(try read("<propfind xmlns=\"DAV:\"><propname/></propfind>") == .names)
        #expect(try read("<propfind xmlns=\"DAV:\"><prop><a/><a/><a xmlns=\"\"/></prop></propfind>") == .these([DAVNames.d("a"), XMLName("a")]))
        #expect(refusal { () throws(DAVRefusal) in try DAVPropertyRequest(propfind: Array("<other/>".utf8)) }?.status == 400)
        #expect(refusal { () throws(DAVRefusal) in try DAVPropertyRequest(propfind: Array("<a".utf8)) }?.status == 400)
        #expect(refusal { () throws(DAVRefusal) in try DAVPropertyRequest(propfind: Array("<!DOCTYPE propfind><propfind xmlns='DAV:'/>".utf8)) }?.status == 400)
        #expect(refusal { () throws(DAVRefusal) in try DAVPropertyRequest(propfind: [UInt8](repeating: 0x20, count: 1_048_577)) }?.status == 413)
        let many = (0...200).map { "<p\($0)/>" }.joined()
        #expect(refusal { () throws(DAVRefusal) in try DAVPropertyRequest(propfind: Array("<propfind xmlns='DAV:'><prop>\(many)</prop></propfind>".utf8)) }?.status == 400)
    }

    @Test("A filter selects by component, time and property")
    func filters() throws {
        #expect(try filter(wholeQuery("")) == DAVFilter())
        #expect(try filter(query("")) == DAVFilter())
        #expect(try filter(query("<c:time-range start=\"20270105T000000Z\" end=\"20270106T000000Z\"/>"))?.range == DAVTimeRange(start: 1_799_107_200_000, end: 1_799_193_600_000))
        #expect(try filter(query("<c:prop-filter name=\"uid\"><c:text-match collation=\"i;octet\">x</c:text-match></c:prop-filter>"))?.tests == [DAVPropertyTest("UID", .contains("x", ignoresCase: false, isNegated: false))])
        #expect(try filter(query("<c:prop-filter name=\"URL\"><c:is-not-defined/></c:prop-filter>"))?.tests == [DAVPropertyTest("URL", .isNotDefined)])
        for nothing in [
            wholeQuery("<c:comp-filter name=\"VTODO\"/>"), query("<c:comp-filter name=\"VALARM\"/>"), query("<c:is-not-defined/>"),
            wholeQuery("<c:is-not-defined/>"),
        ] { #expect(try filter(nothing)?.selectsNothing == true, "\(nothing)") }
        #expect(try filter(wholeQuery("<c:comp-filter name=\"VTODO\"><c:is-not-defined/></c:comp-filter>"))?.selectsNothing == false)
    }

    @Test("A filter or a report that this server does not have is refused with the condition of the RFC")
    func conditions() {
        func condition(_ text: String) -> XMLName? { refusal { () throws(DAVRefusal) in try report(text) }?.condition }
        #expect(condition("<c:free-busy-query xmlns:c=\"urn:ietf:params:xml:ns:caldav\"/>") == DAVNames.d("supported-report"))
        #expect(condition("<c:calendar-query xmlns:c=\"urn:ietf:params:xml:ns:caldav\"/>") == DAVNames.c("valid-filter"))
        #expect(condition(query("<c:time-range/>")) == DAVNames.c("valid-filter"))
        #expect(condition(query("<c:time-range start=\"20270105\"/>")) == DAVNames.c("valid-filter"))
        #expect(condition(query("<c:prop-filter name=\"X\"><c:param-filter name=\"Y\"/></c:prop-filter>")) == DAVNames.c("supported-filter"))
        #expect(condition(query("<c:prop-filter name=\"X\"><c:text-match collation=\"i;x\">y</c:text-match></c:prop-filter>")) == DAVNames.c("supported-collation"))
        #expect(condition(query("<c:unknown/>")) == DAVNames.c("supported-filter"))
    }

    @Test("An entry overlaps a period by the rule of RFC 4791, with or without a duration and an end of the period")
    func overlaps() {
        let day = DAVTimeRange(start: 100, end: 200)
        for (from, until, isIn) in [(0, 100, false), (0, 101, true), (100, 100, true), (99, 99, false), (199, 300, true), (200, 300, false), (200, 200, false), (0, 300, true)] as [(Int64, Int64, Bool)] {
            #expect(day.overlaps(from, until) == isIn, "\(from)...\(until)")
        }
        #expect(DAVTimeRange(start: 100, end: nil).overlaps(1_000, 1_000) && !DAVTimeRange(start: 100, end: nil).overlaps(0, 100))
        #expect(DAVTimeRange(start: nil, end: 100).overlaps(0, 0) && !DAVTimeRange(start: nil, end: 100).overlaps(100, 200))
    }

    @Test("A test of a text ignores the case of ASCII unless it asks for octets")
    func texts() {
        let test = DAVPropertyTest("SUMMARY", .contains("CAMP", ignoresCase: true, isNegated: false))
        #expect(test.holds(for: "Fall camp") && !test.holds(for: "Fall") && !test.holds(for: nil))
        #expect(!DAVPropertyTest("SUMMARY", .contains("CAMP", ignoresCase: false, isNegated: false)).holds(for: "Fall camp"))
        #expect(DAVPropertyTest("SUMMARY", .contains("CAMP", ignoresCase: true, isNegated: true)).holds(for: "Fall"))
        #expect(DAVPropertyTest("SUMMARY", .contains("", ignoresCase: true, isNegated: false)).holds(for: ""))
        #expect(DAVPropertyTest("URL", .isNotDefined).holds(for: nil) && DAVPropertyTest("URL", .isDefined).holds(for: ""))
    }
}

@Suite("Responses of WebDAV")
struct MultiStatusTests {
    @Test("A multistatus has a response for each resource, and a propstat for each status")
    func writes() throws {
        var answer = MultiStatus()
        answer.add("/a%20b", found: [XMLElement(DAVNames.d("getetag"), text: "\"1\"")], missing: [XMLName("x", in: "urn:<&>")])
        answer.add("/c", status: 404)
        answer.add("/d", status: 507, condition: DAVNames.d("number-of-matches-within-limits"))
        answer.add("/e", found: [], refused: [DAVNames.i("calendar-color")])
        answer.add("/f", found: [])
        answer.setSyncToken("urn:t")
        let root = try XMLReader.read(answer.end())
        #expect(root.name == DAVNames.d("multistatus"))
        let responses = root.elements.filter { $0.name == DAVNames.d("response") }
        #expect(responses.map { $0[DAVNames.d("href")]?.text } == ["/a%20b", "/c", "/d", "/e", "/f"])
        func statuses(_ response: XMLElement) -> [String] {
            response.elements.compactMap { ($0.name == DAVNames.d("propstat") ? $0[DAVNames.d("status")] : $0.name == DAVNames.d("status") ? $0 : nil)?.text }
        }
        #expect(
            responses.map(statuses) == [
                ["HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found"], ["HTTP/1.1 404 Not Found"], ["HTTP/1.1 507 Insufficient Storage"],
                ["HTTP/1.1 403 Forbidden"], ["HTTP/1.1 200 OK"],
            ])
        #expect(responses[0].elements.last?[DAVNames.d("prop")]?.elements.map(\.name) == [XMLName("x", in: "urn:<&>")])
        #expect(responses[2][DAVNames.d("error")]?.elements.map(\.name) == [DAVNames.d("number-of-matches-within-limits")])
        #expect(root[DAVNames.d("sync-token")]?.text == "urn:t")
    }

    @Test("A refusal is an error with its condition and a sentence")
    func errors() throws {
        let root = try XMLReader.read(DAVRefusal(403, DAVNames.c("valid-filter"), "Say <more>.").content)
        #expect(root.name == DAVNames.d("error") && root.elements.map(\.name) == [DAVNames.c("valid-filter"), XMLName("sentence", in: DAVNames.huddle)])
        #expect(root.elements[1].text == "Say <more>.")
    }
}
