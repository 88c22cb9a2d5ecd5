import Family
import Testing

/// The declarations against the requirements, word for word: a dropped field or a renamed word is reported here.
@Suite("Declared kinds")
struct DeclaredKindsTests {
    private func names(_ kind: Kind) -> Set<String> { Set(kind.declaration.fields.map(\.name)) }

    private func choice(_ kind: Kind, _ field: String) throws -> (words: [String], labels: [String]) {
        let index = try #require(kind.declaration.index(of: field))
        guard case .choice(let words, let labels) = kind.declaration.fields[index].type else {
            Issue.record("\(kind.name).\(field) is not a choice")
            return ([], [])
        }
        return (words, labels)
    }

    @Test("R015 R064 an event has every field that was asked for, of which type, name and start date are needed")
    func event() {
        #expect(names(.event).isSuperset(of: [
            "type", "name", "school_id", "location", "address", "city", "state", "start_date", "end_date", "start_time", "end_time",
            "checkin_time", "url", "description", "event_source", "coaches_present", "performance_notes", "stats_recorded", "cost",
            "registered", "attended",
        ]))
        #expect(Set(Kind.event.declaration.fields.filter(\.isRequired).map(\.name)) == ["type", "name", "start_date"])
        #expect(Kind.event.declaration.scope == .athlete)
    }

    @Test("R016 the five types of an event, with their labels")
    func eventTypes() throws {
        let (words, labels) = try choice(.event, "type")
        #expect(words == ["camp", "showcase", "official_visit", "unofficial_visit", "game"])
        #expect(labels == ["Camp", "Showcase", "Official Visit", "Unofficial Visit", "Game"])
    }

    @Test("R017 the six sources of an event, with their labels")
    func sources() throws {
        let (words, labels) = try choice(.event, "event_source")
        #expect(words == ["email", "flyer", "web_search", "recommendation", "friend", "other"])
        #expect(labels == ["Email", "Flyer", "Web Search", "Recommendation", "Friend", "Other"])
    }

    @Test("R020 an event refers to its school and coaches; metrics and interactions refer to their event")
    func related() throws {
        func type(_ kind: Kind, _ field: String) throws -> FieldType {
            kind.declaration.fields[try #require(kind.declaration.index(of: field))].type
        }
        #expect(try type(.event, "school_id") == .reference(.school))
        if case .set(of: .coach, _) = try type(.event, "coaches_present") {} else { Issue.record("no set of coaches") }
        #expect(try type(.metric, "event_id") == .reference(.event))
        #expect(try type(.interaction, "event_id") == .reference(.event))
        #expect(try type(.interaction, "coach_id") == .reference(.coach))
    }

    @Test("R101 a coach has names, role, e-mail, phone and a school")
    func coach() {
        #expect(names(.coach).isSuperset(of: ["first_name", "last_name", "role", "email", "phone", "school_id"]))
    }

    @Test("R106 a metric has every field that was asked for")
    func metric() {
        #expect(names(.metric).isSuperset(of: ["event_id", "metric_type", "value", "unit", "recorded_date", "notes", "verified"]))
        #expect(Kind.metric.declaration.scope == .athlete)
    }

    @Test("R118 R149 a document has every field that was asked for; version, currency and uploader are the server's to write")
    func document() {
        #expect(names(.document).isSuperset(of: [
            "type", "title", "description", "file_type", "version", "school_id", "is_current", "shared_with_schools", "uploaded_by",
        ]))
        let serverOnly = Set(Kind.document.declaration.fields.filter(\.isServerOnly).map(\.name))
        #expect(serverOnly.isSuperset(of: ["version", "is_current", "uploaded_by", "sha256", "octets"]))
        #expect(!serverOnly.contains("shared_with_schools"))
        #expect(Kind.document.declaration.scope == .athlete)
    }

    @Test("R119 the six types of a document, with their labels")
    func documentTypes() throws {
        let (words, labels) = try choice(.document, "type")
        #expect(words == ["highlight_video", "transcript", "resume", "rec_letter", "questionnaire", "stats_sheet"])
        #expect(labels == ["Highlight Video", "Transcript", "Resume", "Recommendation Letter", "Questionnaire", "Stats Sheet"])
    }

    @Test("R150 P29 a trip item has every field that was asked for")
    func tripItem() {
        #expect(names(.tripItem).isSuperset(of: [
            "trip_id", "title", "description", "location", "start_time", "end_time", "category", "include_in_itinerary", "source_type",
            "source_data",
        ]))
        #expect(Set(Kind.tripItem.declaration.fields.filter(\.isRequired).map(\.name)).isSuperset(of: ["trip_id", "title", "start_time"]))
    }

    @Test("R151 the six categories of a trip item")
    func categories() throws {
        let (words, labels) = try choice(.tripItem, "category")
        #expect(words == ["accommodation", "food", "transportation", "activity", "entertainment", "other"])
        #expect(labels == ["Accommodation", "Food", "Transportation", "Activity", "Entertainment", "Other"])
        #expect(try choice(.tripItem, "source_type").words == ["manual", "ai_extracted", "places_tab"])
    }

    @Test("A field that a kind does not declare is empty")
    func undeclared() {
        for kind in Kind.allCases {
            let fields = Fields(kind)
            #expect(fields["no such field"] == nil && fields.text("no such field") == nil && !fields.flag("no such field"))
            #expect(fields.reference("no such field") == nil && fields.set("no such field").isEmpty)
        }
        #expect(!Fields(.message).flag("attended"))
    }
}
