import Family
import Testing

@Suite("Error codes over HTTP")
struct ErrorCodeTests {
    @Test("A final code never comes with a status that promises that waiting helps", arguments: ErrorCode.allCases)
    func promises(_ code: ErrorCode) {
        let status = code.httpStatus
        #expect([400, 401, 403, 404, 409, 410, 422, 429, 503, 507].contains(status))
        if status == 429 || status == 503 { #expect(code.isRetryable, "\(code)") }
        if code.isRetryable { #expect([409, 429, 503, 507].contains(status), "\(code)") }
    }

    @Test("A state that changed is 409, content that can never be applied is 422, a stranger gets 404", arguments: [
        (.conflict, 409), (.alreadyExists, 409), (.overlap, 409), (.lastParent, 409), (.contradicted, 409), (.tooMany, 422), (.mutationReused, 422),
        (.notFound, 404), (.notAllowed, 403), (.tokenUnknown, 401), (.purged, 410), (.quotaExceeded, 507), (.required, 400),
    ] as [(ErrorCode, Int)])
    func statuses(code: ErrorCode, status: Int) {
        #expect(code.httpStatus == status)
    }
}
