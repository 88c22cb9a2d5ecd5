import Testing

/// The engine under the store of a test.
enum EngineKind: String, CaseIterable, Sendable {
    /// The server's.
    case sqlite
    /// `MemoryEngine`.
    case memory

    /// Of the test that runs now.
    @TaskLocal static var current = EngineKind.sqlite

    /// Whether a test runs with a seed: on the server's engine with each, on the other with the smallest only. Faults of an engine show
    /// with few seeds; the others vary the family, and that is the same code over both.
    static func takes(_ seed: UInt64, upTo last: UInt64) -> Bool { current == .sqlite || seed <= last }
}

/// Runs each test of a suite once on each engine: `World` opens the store on `EngineKind.current`. An issue names the engine in its comments.
struct BothEngines: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> BothEngines? { testCase == nil ? nil : self }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        for engine in EngineKind.allCases {
            let named = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("Engine: \(engine.rawValue)")
                return issue
            }
            try await EngineKind.$current.withValue(engine) {
                try await named.provideScope(for: test, testCase: testCase, performing: function)
            }
        }
    }
}

/// A test of `BothEngines` that asks or damages what only SQLite has; it does nothing on the other engine.
struct SQLiteOnly: TestTrait, TestScoping {
    /// Why.
    let reason: Comment

    var comments: [Comment] { [reason] }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        if EngineKind.current == .sqlite { try await function() }
    }
}

extension Trait where Self == BothEngines {
    static var bothEngines: BothEngines { BothEngines() }
}

extension Trait where Self == SQLiteOnly {
    static func sqliteOnly(_ reason: Comment) -> SQLiteOnly { SQLiteOnly(reason: reason) }
}
