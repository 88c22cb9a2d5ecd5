import JSON
import Testing

@testable import FrameCheck

/// The check that holds every other suite to `proto/` must notice faults.
@Suite("The check of frames against proto/schema")
struct FrameCheckTests {
    private static let family = "01930000-0000-7000-8000-0000000000f1"

    @Test("A frame that breaks its schema is a problem", arguments: [
        (#"{"type":"live","seq":1}"#, true), (#"{"type":"live"}"#, false), (#"{"type":"live","seq":"1"}"#, false),
        (#"{"type":"live","seq":-1}"#, false), (#"{"type":"live","seq":1.5}"#, false), (#"{"type":"live","seq":9007199254740992}"#, false),
        (#"{"type":"live","seq":1,"more":1}"#, false), (#"{"type":"alive","seq":1}"#, false), (#"{"seq":1}"#, false), ("[]", false), ("{", false),
        (#"{"type":"role","role":"parent"}"#, true), (#"{"type":"role","role":"king"}"#, false),
        (#"{"type":"context","context":"all"}"#, true), (#"{"type":"context","context":"some"}"#, false),
        (#"{"type":"presence","member":"\#(family)","connections":1,"context":"all"}"#, true),
        (#"{"type":"presence","member":"\#(family)0","connections":1,"context":"all"}"#, false),
        (#"{"type":"statistics","request":1,"seq":1,"kind":"document","statistics":{"total":1,"storage_used":7,"storage_quota":8}}"#, true),
        (#"{"type":"statistics","request":1,"seq":1,"kind":"document","statistics":{"total":1,"storage_spare":7}}"#, false),
        (#"{"type":"snapshot","seq":1,"records":[{"kind":"school","id":"\#(family)","version":1,"created_at":1,"created_by":"\#(family)","updated_at":1,"updated_by":"\#(family)","fields":{"name":"Rice"}}]}"#, true),
        (#"{"type":"snapshot","seq":1,"records":[{"kind":"school","id":"\#(family)","version":1,"created_at":1,"created_by":"\#(family)","updated_at":1,"updated_by":"\#(family)","fields":{"name":"Rice","type":"camp"}}]}"#, false),
        (#"{"type":"change","seq":1,"at":1,"member":"\#(family)","changes":[{"op":"delete","kind":"event","id":"\#(family)","version":2}]}"#, true),
        (#"{"type":"change","seq":1,"at":1,"member":"\#(family)","changes":[{"op":"delete","kind":"event","id":"\#(family)","version":0}]}"#, false),
        (#"{"type":"change","seq":1,"at":1,"member":"\#(family)","changes":[{"op":"update","kind":"event","id":"\#(family)","version":2,"fields":{"name":7}}]}"#, false),
        (#"{"type":"error","code":"not_joined","message":"Join a family first.","retry":true,"retry_after":50}"#, true),
        (#"{"type":"error","code":"not_joined","message":"Join a family first.","retry":true,"retry_after":49}"#, false),
        (#"{"type":"error","code":"not_joined","message":"Join a family first.","retry":true}"#, false),
        (#"{"type":"error","code":"not_joined","message":"Join us.","retry":true,"retry_after":50}"#, false),
        (#"{"type":"error","code":"not_signed_in","message":"Sign in first.","retry":false}"#, true),
        (#"{"type":"error","code":"not_signed_in","message":"Sign in first.","retry":false,"retry_after":1000}"#, false),
        (#"{"type":"error","code":"not_known","message":"Join a family first.","retry":false}"#, false),
    ] as [(String, Bool)])
    func frames(_ text: String, _ isGood: Bool) {
        #expect((FrameCheck.problem(Array(text.utf8)) == nil) == isGood, "\(FrameCheck.problem(Array(text.utf8)) ?? "no problem")")
    }

    @Test("A keyword that the validator does not know is a mismatch, whatever the value", arguments: ["dependentRequired", "minProperties", "const2"])
    func keywords(_ keyword: String) throws {
        let validator = SchemaValidator(documents: ["a.json": try JSONTree(Array("{\"type\":\"object\",\"\(keyword)\":{}}".utf8))])
        #expect(throws: SchemaValidator.Mismatch.self) { try validator.validate(.object([:]), against: "a.json") }
        #expect(throws: SchemaValidator.Mismatch.self) { try validator.validate(.object([:]), against: "b.json") }
    }
}
