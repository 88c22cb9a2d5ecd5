// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every Swift target: Swift 6, no warning left standing, imports and existentials written out.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A library target of this package. `dependencies` names only targets of lower layers (`.ci/layers` proves it).
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A library through which every frame and record passes. It is optimized in debug builds too: unoptimized, these few modules took
/// most of the processor time of the tests.
func optimizedLibrary(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings + [.unsafeFlags(["-O"], .when(configuration: .debug))])
}

/// A program. Its `main` only reads arguments and calls `run()`.
func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A program for developers: conformance, load, cost. Its sources are in `Tools`.
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tools/Sources/\(name)", swiftSettings: settings)
}

/// The tests of one subject.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

/// What the fuzz targets look into.
let fuzzed = ["Bytes", "Arguments", "Folding", "Crypto", "Posix", "SQLite", "Tar", "JSON", "Dates", "Deflate", "HTTP1", "WebSocket", "Family", "Wire", "Rooms", "Accounts", "Uploads", "Store", "StoreSQLite", "Sync", "Sessions", "ICalendar", "XML", "DAV"]

let package = Package(
    name: "Huddle",
    products: [
        .executable(name: "huddled", targets: ["huddled"]),
        .executable(name: "huddle", targets: ["huddle"]),
        .executable(name: "wsecho", targets: ["wsecho"]),
        .executable(name: "wsclient", targets: ["wsclient"]),
        .executable(name: "loadgen", targets: ["loadgen"]),
        .executable(name: "bench", targets: ["bench"]),
    ],
    targets: [
        // Layer 0: C headers, macros and variadics as functions, nothing else.
        .target(name: "CLinux"),
        .target(name: "CAllocations"),
        .target(name: "CWebClient"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CWriteAheadLog", dependencies: ["CSQLite"]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        // Without `pkgConfig`: its flags are refused with a warning; the module map links.
        .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlienc", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CArgon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CUTF8proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
        // The headers of libcurl4-openssl-dev; the library is loaded at its first use.
        .target(name: "CCurl"),
        // Without headers of libcrack, which is loaded at its first use.
        .target(name: "CCracklib"),
        // No headers of others: it says itself what it uses of libpangocairo, which is loaded at its first use.
        .target(name: "CPango"),

        // Layer 1: ground.
        library("Locks"),
        optimizedLibrary("Bytes"),
        library("Arguments"),
        library("Crypto", ["Locks", "COpenSSL", "CArgon2", "Bytes"]),
        library("Brotli", ["CBrotli"]),
        library("Deflate", ["CZlib", "CDeflate"]),
        library("Posix", ["CLinux", "Bytes"]),
        library("TLS", ["COpenSSL", "Posix"]),
        library("SQLite", ["CSQLite", "CWriteAheadLog"]),
        library("Folding", ["CUTF8proc"]),
        library("QRCodes"),
        library("XML", ["CExpat"]),
        library("Pictures"),

        // Layer 2: machinery, and protocols that do no I/O.
        library("EventLoop", ["Locks", "CLinux", "Bytes", "Posix"]),
        optimizedLibrary("JSON", ["Bytes"]),
        library("Dates", ["Bytes"]),
        library("HTTP1", ["Bytes", "Dates"]),
        library("Tar"),
        library("ICalendar", ["Dates"]),
        library("DAV", ["XML", "Dates", "ICalendar"]),
        library("HTTPClient", ["CCurl", "Posix"]),
        library("Mail", ["CCurl", "Bytes", "Posix", "Dates"]),
        library("PDF", ["CPango"]),
        library("WebSocket", ["Bytes", "Crypto", "Deflate", "HTTP1"]),
        library("Terminal", ["CUTF8proc", "Folding", "Dates"]),
        library("Screen", ["Locks", "CNcurses", "Bytes", "Posix", "Terminal"]),

        // Layer 3: the product itself, pure.
        optimizedLibrary("Family", ["Bytes", "Crypto", "JSON", "Dates"]),
        library("Queries", ["Bytes", "Crypto", "Folding", "Dates", "Family"]),
        optimizedLibrary("Wire", ["Bytes", "Crypto", "JSON", "Dates", "Family", "Queries"]),
        library("Calendar", ["Bytes", "Crypto", "Dates", "ICalendar", "Family"]),
        library("Reminders", ["Bytes", "Dates", "Family"]),
        library("Ledger", ["Bytes", "Dates", "Family"]),
        library("Rooms", ["Bytes", "Family", "Queries", "Wire"]),
        library("Accounts", ["Bytes", "Crypto", "Folding", "HTTP1", "JSON"]),
        library("Uploads", ["Bytes", "HTTP1", "JSON", "Family"]),
        library("Sync", ["Bytes", "Family", "Wire"]),
        library("Words", ["Locks", "Bytes", "Posix", "Dates", "Terminal", "Family", "Queries", "Wire", "Sync"]),
        library("Commands", ["Arguments", "Bytes", "Crypto", "Posix", "JSON", "Dates", "Terminal", "Family", "Queries", "Wire", "Sync", "Words"]),

        // Layer 4: persistence.
        library("Blobs", ["Locks", "Bytes", "Crypto", "Posix"]),
        library("Store", ["Locks", "Bytes", "Crypto", "Posix", "Folding", "Accounts", "Blobs", "Tar", "JSON", "Dates", "Family", "Calendar", "Reminders", "Queries", "Wire", "Ledger"]),
        library("StoreSQLite", ["Bytes", "Posix", "SQLite", "JSON", "Dates", "Family", "Wire", "Ledger", "Store"]),

        // Layer 5: composition.
        library("Demo", ["Bytes", "Dates", "Family", "Wire", "Store"]),
        library("Server", ["CCracklib", "CWebClient", "Brotli", "Deflate", "QRCodes", "Mail", "Tar", "XML", "DAV", "Calendar", "Locks", "Bytes", "Crypto", "Posix", "Accounts", "Blobs", "TLS", "EventLoop", "HTTP1", "WebSocket", "JSON", "Dates", "Family", "Queries", "Wire", "Rooms", "Uploads", "Ledger", "Store", "StoreSQLite", "Demo"]),
        library("Sessions", ["Locks", "Bytes", "Crypto", "Posix", "SQLite", "TLS", "HTTP1", "WebSocket", "JSON", "Terminal", "Family", "Wire", "Sync"]),
        library("Documents", ["Bytes", "Crypto", "Posix", "HTTPClient", "PDF", "JSON", "Terminal", "Family", "Sync", "Words", "Sessions"]),
        library("Views", ["Bytes", "JSON", "Dates", "Family", "Queries", "Wire", "Uploads", "Terminal", "Sync", "Words", "Commands", "Sessions", "Documents"]),

        // Layer 6: programs.
        program("huddled", ["Locks", "Arguments", "Crypto", "HTTP1", "Mail", "TLS", "Server", "Demo", "Store", "Bytes", "Posix", "JSON", "Dates", "Family", "Wire"]),
        program("huddle", ["Locks", "Arguments", "QRCodes", "Pictures", "Calendar", "Sync", "Words", "Commands", "Sessions", "Documents", "Views", "Screen", "Terminal", "Crypto", "Bytes", "Posix", "JSON", "Dates", "Family", "Queries", "Wire"]),
        // Layer 6: tools of developers.
        tool("wsecho", ["Arguments", "Bytes", "Posix", "TLS", "EventLoop", "HTTP1", "WebSocket"]),
        tool("wsclient", ["Arguments", "Crypto", "Posix", "HTTP1", "WebSocket"]),
        tool("loadgen", ["CLinux", "Arguments", "Bytes", "Crypto", "Posix", "TLS", "EventLoop", "HTTP1", "WebSocket", "JSON", "Dates", "Family", "Queries", "Wire", "Store", "StoreSQLite"]),
        tool("bench", ["CLinux", "CAllocations", "Arguments", "Bytes", "Crypto", "Posix", "EventLoop", "HTTP1", "WebSocket", "JSON", "Dates", "Family", "Queries", "Wire", "Rooms", "Store", "StoreSQLite", "Blobs", "Terminal", "Sync", "Words", "Commands", "Views"]),

        // Tests, one target a subject.
        .target(name: "TestSupport", dependencies: ["Posix"], path: "Tests/TestSupport", swiftSettings: settings),
        .target(
            name: "PasskeySupport", dependencies: ["COpenSSL", "Bytes", "Crypto", "Accounts"], path: "Tests/PasskeySupport", swiftSettings: settings),
        .target(name: "TestCertificates", path: "Tests/TestCertificates", swiftSettings: settings),
        .target(name: "MemoryDisk", dependencies: ["Locks", "Blobs", "Posix"], path: "Tests/MemoryDisk", swiftSettings: settings),
        .target(name: "StoreMemory", dependencies: ["Bytes", "Dates", "Family", "Ledger", "Store"], path: "Tests/StoreMemory", swiftSettings: settings),
        .target(name: "FrameCheck", dependencies: ["Locks", "JSON", "Family", "Wire"], path: "Tests/FrameCheck", swiftSettings: settings),
        // The form of proto/sync, and a run of it with the Swift engine; engines in other languages over pipes.
        .target(name: "EngineScripts", dependencies: ["Bytes", "Posix", "JSON", "Family", "Wire", "Sync"], path: "Tests/EngineScripts", swiftSettings: settings),
        .target(name: "ClientWorld", dependencies: ["Bytes", "Posix", "Family", "Wire", "Sync", "Sessions"], path: "Tests/ClientWorld", swiftSettings: settings),
        .target(name: "PseudoTerminal", dependencies: ["CLinux", "Posix", "Terminal"], path: "Tests/PseudoTerminal", swiftSettings: settings),
        // The only user of libvterm: another terminal, to check the tests' own against.
        .target(name: "CVTerm", path: "Tests/CVTerm", linkerSettings: [.linkedLibrary("vterm")]),
        .target(name: "LibVTerm", dependencies: ["CVTerm", "PseudoTerminal", "Terminal"], path: "Tests/LibVTerm", swiftSettings: settings),
        .executableTarget(name: "screendemo", dependencies: ["Posix", "Terminal", "Screen"], path: "Tests/screendemo", swiftSettings: settings),
        .target(name: "CFaultVFS", dependencies: ["CSQLite"], path: "Tests/CFaultVFS"),
        tests("ArgumentsTests", ["Arguments"]),
        tests("BytesTests", ["TestSupport", "Bytes"]),
        tests("CryptoTests", ["Bytes", "Crypto"]),
        tests("DeflateTests", ["TestSupport", "Deflate"]),
        tests("PosixTests", ["TestSupport", "Locks", "Bytes", "Posix"]),
        tests("SQLiteTests", ["TestSupport", "CSQLite", "CWriteAheadLog", "CFaultVFS", "Posix", "SQLite"]),
        tests("FoldingTests", ["TestSupport", "Folding"]),
        tests("EventLoopTests", ["TestSupport", "Bytes", "Posix", "EventLoop"]),
        tests("JSONTests", ["TestSupport", "Bytes", "JSON"]),
        tests("DatesTests", ["TestSupport", "Bytes", "Dates"]),
        tests("HTTP1Tests", ["Bytes", "Posix", "JSON", "HTTP1"]),
        tests("TarTests", ["Tar"]),
        tests("XMLTests", ["XML"]),
        tests("DAVTests", ["Posix", "XML", "DAV"]),
        tests("ICalendarTests", ["TestSupport", "Dates", "ICalendar"]),
        tests("CalendarTests", ["TestSupport", "Bytes", "Posix", "JSON", "Dates", "ICalendar", "Family", "Calendar"]),
        tests("RemindersTests", ["TestSupport", "Bytes", "Posix", "Dates", "ICalendar", "Family", "Calendar", "Reminders"]),
        tests("HTTPClientTests", ["Posix", "HTTPClient"]),
        tests("MailTests", ["Locks", "Posix", "Mail"]),
        tests("PDFTests", ["Posix", "PDF"]),
        tests("WebSocketTests", ["TestSupport", "wsecho", "wsclient", "Bytes", "Crypto", "Deflate", "Posix", "HTTP1", "WebSocket"]),
        tests("TerminalTests", ["TestSupport", "Bytes", "Dates", "Terminal"]),
        tests("PicturesTests", ["TestSupport", "Bytes", "Pictures"]),
        tests("ScreenTests", ["TestSupport", "screendemo", "PseudoTerminal", "LibVTerm", "Posix", "Terminal", "Screen"]),
        tests("TLSTests", ["COpenSSL", "TestCertificates", "Posix", "TLS"]),
        tests("FamilyTests", ["TestSupport", "Bytes", "JSON", "Dates", "Family"]),
        tests("QueriesTests", ["TestSupport", "Bytes", "Folding", "Dates", "Family", "Queries"]),
        tests("WireTests", ["TestSupport", "FrameCheck", "Bytes", "JSON", "Dates", "Family", "Queries", "Wire"]),
        tests("AccountsTests", ["TestSupport", "PasskeySupport", "Bytes", "Crypto", "Folding", "HTTP1", "JSON", "Accounts"]),
        tests("UploadsTests", ["TestSupport", "Bytes", "Crypto", "HTTP1", "JSON", "Family", "Uploads"]),
        tests("RoomsTests", ["TestSupport", "FrameCheck", "Bytes", "JSON", "Dates", "Family", "Queries", "Wire", "Rooms"]),
        tests("BlobsTests", ["TestSupport", "MemoryDisk", "Bytes", "Crypto", "Posix", "Blobs"]),
        tests("StoreTests", ["TestSupport", "Calendar", "Reminders", "Accounts", "Folding", "StoreMemory", "FrameCheck", "CWriteAheadLog", "CFaultVFS", "MemoryDisk", "Blobs", "Bytes", "Crypto", "Posix", "SQLite", "Tar", "JSON", "Dates", "Family", "Queries", "Wire", "Ledger", "Store", "StoreSQLite"], exclude: ["Fixtures"]),
        tests("DemoTests", ["Bytes", "Dates", "Family", "Wire", "Demo"]),
        tests("ServerTests", ["TestSupport", "XML", "DAV", "Calendar", "PasskeySupport", "Accounts", "Folding", "Demo", "Locks", "FrameCheck", "TestCertificates", "CFaultVFS", "MemoryDisk", "Bytes", "Brotli", "Crypto", "Deflate", "Posix", "Blobs", "SQLite", "TLS", "EventLoop", "HTTP1", "WebSocket", "JSON", "Dates", "Family", "Queries", "Wire", "Rooms", "Uploads", "Ledger", "Store", "StoreSQLite", "Server"]),
        tests("SyncTests", ["TestSupport", "EngineScripts", "ClientWorld", "Locks", "Bytes", "Arguments", "Terminal", "Family", "Wire", "Sync", "Words", "Commands"]),
        tests("WebTests", ["EngineScripts", "ClientWorld", "TestSupport", "Bytes", "JSON", "Posix", "CUTF8proc", "Folding", "Dates", "Family", "Queries", "Wire", "Sync"]),
        tests("WordsTests", ["TestSupport", "ClientWorld", "Arguments", "Bytes", "Dates", "Terminal", "Family", "Queries", "Wire", "Sync", "Words", "Commands"]),
        tests("CommandsTests", ["TestSupport", "ClientWorld", "Arguments", "Bytes", "Dates", "Terminal", "Family", "Queries", "Wire", "Sync", "Words", "Commands"]),
        tests("SessionsTests", ["TestSupport", "ClientWorld", "Locks", "TestCertificates", "Bytes", "Crypto", "Posix", "SQLite", "HTTP1", "WebSocket", "JSON", "Family", "Wire", "Sync", "Words", "Sessions", "Documents"]),
        tests("DocumentsTests", ["TestSupport", "ClientWorld", "Locks", "TestCertificates", "Bytes", "Crypto", "Posix", "SQLite", "HTTPClient", "PDF", "JSON", "Family", "Sync", "Words", "Sessions", "Documents"]),
        tests("HuddleTests", ["ClientWorld", "Posix", "Family", "Wire", "Sync", "Sessions", "Documents", "huddle"]),
        tests("HuddledTests", ["TestSupport", "Arguments", "Posix", "Family", "Server", "huddled"]),
        tests("ViewsTests", ["TestSupport", "Locks", "Bytes", "Posix", "Dates", "Family", "Queries", "Wire", "Uploads", "Terminal", "Sync", "Words", "Commands", "Sessions", "Documents", "Views"]),
        tests("SimulationTests", ["TestSupport", "EngineScripts", "CFaultVFS", "Bytes", "Crypto", "Posix", "SQLite", "HTTP1", "WebSocket", "JSON", "Dates", "Family", "Queries", "Wire", "Rooms", "Ledger", "Store", "StoreSQLite", "Server", "Sync"]),
        .testTarget(
            name: "FuzzTests", dependencies: ["TestSupport"] + fuzzed.map { .init(stringLiteral: $0) },
            exclude: ["corpus", "dictionaries", "fuzzer", "README.md"], swiftSettings: settings),
        tests("LoadgenTests", ["TestSupport", "Arguments", "loadgen", "huddled", "Bytes", "Posix", "HTTP1", "WebSocket", "JSON", "Family", "Queries", "Wire", "Store"]),
        tests("SystemTests", ["TestSupport", "Locks", "FrameCheck", "TestCertificates", "PseudoTerminal", "LibVTerm", "HTTPClient", "Terminal", "huddled", "huddle", "wsecho", "loadgen", "Bytes", "Crypto", "Posix", "SQLite", "JSON", "Dates", "Family", "Queries", "Wire", "Ledger", "Store", "StoreSQLite", "Blobs", "Server", "Sync", "Words", "Commands", "Sessions", "Documents"]),
    ]
)

// `HUDDLE_TESTS=StoreTests,LedgerTests swift test` builds and runs these test targets only: a quick round of one subject.
if let names = Context.environment["HUDDLE_TESTS"]?.split(separator: ",").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// `HUDDLE_PROGRAMS=1 swift build -c release`: one build of both programs, without tests and tools of developers (`deploy/lib.sh`).
if Context.environment["HUDDLE_PROGRAMS"] != nil {
    package.products.removeAll { !["huddled", "huddle"].contains($0.name) }
    package.targets.removeAll { target in target.type == .test || ["Tests/", "Tools/"].contains { target.path?.hasPrefix($0) == true } }
}

// For `Tools/fuzz.sh` only: the bodies of `FuzzTests` as a library that libFuzzer is linked with.
if Context.environment["HUDDLE_FUZZ"] != nil {
    package.targets.removeAll { $0.name == "FuzzTests" }
    package.targets.append(
        .target(
            name: "HuddleFuzz", dependencies: ["TestSupport"] + fuzzed.map { .init(stringLiteral: $0) }, path: "Tests/FuzzTests",
            exclude: ["corpus", "dictionaries", "README.md", "ReplayTests.swift"], sources: ["Targets", "fuzzer"], swiftSettings: settings))
    package.products.append(.library(name: "HuddleFuzz", type: .static, targets: ["HuddleFuzz"]))
}
