import Bytes
import Family
import FrameCheck
import Glibc
import TestSupport
import Testing
import Wire

/// `errors.json` is written from `ErrorCode.sentences`; here the sources are held to it.
@Suite("The sentences of refusals")
struct ErrorCatalogueTests {
    /// A refusal that some source makes.
    struct Site: CustomTestStringConvertible {
        let file: String
        let line: Int
        let code: ErrorCode
        /// The finished sentence with a letter for each value; `nil` where the source makes it in another place.
        let message: String?
        /// The source behind the code, where it is not a literal.
        let expression: String

        var testDescription: String { "\(file):\(line) \(code) \(message ?? expression)" }
    }

    /// Answers of these go to the program `huddled` on the same machine, not to clients.
    static let adminFiles = [
        "Store/Archive/", "Store/AdminCodec.swift", "Store/FamilyNames.swift", "Store/FamilyStore+Seeding.swift", "Server/Admin/", "Server/Demo/",
    ]
    static let adminSentences: Set<String> = [
        "Another export or import is running. Try again when it has finished.", "There is no such family.", "There is no such member.",
        "The family is still being erased. Try again in an hour. Nothing was changed.",
        "The member who invites must be a parent of this family.", "Athletes and guests are invited by a parent of the family.",
    ]
    /// A client of ours reads these from frames of the server that are not the protocol's.
    static let clientSentences: Set<String> = ["A message of the server is too long."]
    /// Where a sentence is made away from its code: each literal of the file that reads as a sentence is held to the code.
    static let elsewhere: [String: ErrorCode] = [
        "Family/Permission.swift": .notAllowed, "Family/OverlapCheck.swift": .overlap, "Ledger/Decider+Conflicts.swift": .conflict,
        "Wire/FilterCodec.swift": .invalid,
    ]
    /// Expressions in place of a literal sentence: the sentence is made, and found, elsewhere.
    static let passedOn: Set<String> = ["message", "error.message", "sentence", "sentence(access)", "problem"]

    static let sites: [Site] = {
        let folders = ["Family", "Queries", "Wire", "Ledger", "Rooms", "Store", "Uploads", "Server"]
        let files = folders.flatMap { SourceText.files(under: $0) }.filter { file in !adminFiles.contains { file.hasPrefix($0) } }
        return files.flatMap { SourceText($0).sites() }
    }()

    @Test("The sources are found")
    func found() {
        #expect(Self.sites.count > 120)
        #expect(Set(Self.sites.map(\.code)).count > 25)
    }

    @Test("Every refusal of the sources carries a sentence of errors.json")
    func listed() {
        for site in Self.sites {
            guard let message = site.message else {
                #expect(
                    Self.passedOn.contains(site.expression) || site.expression.hasPrefix("ErrorCode.\(site.code).sentence"),
                    "\(site.testDescription): write the sentence in place, or name the file in `elsewhere`")
                continue
            }
            let sentence = Rejection(site.code, message).message
            if Self.adminSentences.contains(sentence) || Self.clientSentences.contains(sentence) { continue }
            if let problem = FrameCheck.sentenceProblem(site.code.rawValue, sentence) { Issue.record("\(site.file):\(site.line): \(problem)") }
        }
    }

    @Test("Every sentence of errors.json is one that the sources can write")
    func used() {
        var written: [ErrorCode: [String]] = [:]
        for site in Self.sites {
            if let message = site.message { written[site.code, default: []].append(Rejection(site.code, message).message) }
        }
        for code in ErrorCode.allCases {
            for sentence in code.sentences {
                let isWritten = written[code]?.contains { sentence.matches($0) } ?? false
                // The finished one is taken from the list itself.
                let isTaken = sentence.template == code.sentence && Self.sites.contains { $0.code == code && $0.expression.hasPrefix("ErrorCode.") }
                // A refusal of the reader is sent as bad_frame if there is no number to answer.
                let isFrame = code == .badFrame && written.values.contains { $0.contains { sentence.matches($0) } }
                #expect(isWritten || isTaken || isFrame, "\(code.rawValue): \(sentence.template)")
            }
        }
    }

    @Test("No code has a sentence twice, and each ends with a full stop unless a requirement words it")
    func templates() {
        let quoted = ["{field} is required", "Please enter a valid URL (e.g., https://...)", "Please enter a valid number", "End date must be after start date", "End time must be after start time"]
        for code in ErrorCode.allCases {
            #expect(Set(code.sentences.map(\.template)).count == code.sentences.count)
            for sentence in code.sentences {
                #expect(sentence.template.hasSuffix(".") != quoted.contains(sentence.template), "\(sentence.template)")
                #expect(sentence.when.hasSuffix("."), "\(sentence.when)")
            }
        }
    }

    @Test("No sentence of the server speaks of what a client keeps", arguments: ErrorCode.allCases)
    func drafts(_ code: ErrorCode) {
        for sentence in code.sentences { #expect(!sentence.template.contains("draft") && !sentence.template.contains("you entered"), "\(sentence.template)") }
    }

    @Test("No sentence of the server names a client, its commands, keys or buttons")
    func clients() {
        let templates = ErrorCode.allCases.flatMap(\.sentences).map(\.template) + HTTPRefusal.all.flatMap(\.sentences).map(\.template)
        for template in templates {
            for word in ["huddle ", "/help", "Alt-", "Ctrl-", "outbox", "browser", "terminal"] { #expect(!template.contains(word), "\(template)") }
        }
    }

    @Test("Every sentence of the server begins with a noun or verb, and uses none of the words that style refuses")
    func style() {
        let templates = ErrorCode.allCases.flatMap(\.sentences).map(\.template) + HTTPRefusal.all.flatMap(\.sentences).map(\.template)
        for template in templates {
            for word in ["lacking", "anew", "meanwhile", "goes on", "go on", "whoever", "has to be said", "is not known here", "This is no "] {
                #expect(!template.contains(word), "\(template)")
            }
            for word in ["Who ", "What ", "Whose ", "Whoever "] { #expect(!template.hasPrefix(word) && !template.contains(". " + word), "\(template)") }
        }
    }

    @Test("Only one who makes the rules words them: each refusal of Permission is listed", arguments: Role.allCases)
    func permission(_ role: Role) {
        for kind in Kind.allCases {
            for action in AccessAction.allCases {
                for field in kind.declaration.fields.indices {
                    let access = Access(
                        actor: Actor(member: .init(high: 1, low: 1), role: role), kind: kind, action: action, owner: .init(high: 2, low: 2),
                        ownerAllowsParents: .view, author: .init(high: 2, low: 2), subject: .init(high: 2, low: 2), fields: [field])
                    do throws(Rejection) {
                        try Permission.check(access, operation: 0, id: .init(high: 3, low: 3))
                    } catch {
                        #expect(FrameCheck.sentenceProblem(error.code.rawValue, error.message) == nil)
                    }
                }
            }
        }
    }

    @Test("A template matches what is made of it and nothing else")
    func matching() {
        let one = ErrorSentence(template: "{title} is with {other} (and {n} more). Now.", when: "")
        #expect(one.matches("Zoo is with Dr. is with Who (and 3 more). Now."))
        for other in ["Zoo is with Park. Now.", " is with Park (and 3 more). No", "Zoo is with Park (and  more). Then.", "", "is with"] { #expect(!one.matches(other)) }
        let plain = ErrorSentence(template: "Join a family first.", when: "")
        #expect(plain.matches("Join a family first.") && !plain.matches("Join a family first. Now.") && !plain.matches(""))
        #expect(!ErrorSentence(template: "{x}.", when: "").matches("."))
    }
}

/// The part `http` of `errors.json` is written from `HTTPRefusal.all`; here the sources are held to it.
@Suite("The refusals over HTTP")
struct HTTPCatalogueTests {
    /// A refusal that some source makes.
    struct Site: CustomTestStringConvertible {
        let file: String
        let line: Int
        let code: String
        /// `nil` where the source gives it in another place.
        let status: Int?
        /// The finished sentence with a letter for each value; `nil` if the source makes it in another place.
        let sentence: String?

        var testDescription: String { "\(file):\(line) \(status ?? 0) \(code): \(sentence ?? "no sentence here")" }
    }

    static let sites: [Site] = ["Server", "Uploads"].flatMap { SourceText.files(under: $0) }
        .filter { file in !ErrorCatalogueTests.adminFiles.contains { file.hasPrefix($0) } }.flatMap { SourceText($0).httpSites() }

    @Test("The sources are found")
    func found() {
        #expect(Self.sites.count > 40)
        for code in ["no_thumbnail", "file_missing", "offset_mismatch", "version_unknown", "required"] { #expect(Self.sites.contains { $0.code == code }, "\(code)") }
    }

    @Test("Every refusal of the sources is in errors.json, with its status and its sentence")
    func listed() {
        for site in Self.sites {
            let refusal = HTTPRefusal.all.first { $0.code == site.code }
            guard let refusal, let sentence = site.sentence else {
                Issue.record("\(site.testDescription): not in HTTPRefusal.all, or its sentence is not in place")
                continue
            }
            #expect(refusal.sentences.contains { $0.matches(sentence) }, "\(site.testDescription)")
            if let status = site.status { #expect(refusal.statuses.contains(status), "\(site.testDescription)") }
        }
    }

    @Test("Every code, status and sentence of errors.json is one that the sources can write")
    func used() {
        for refusal in HTTPRefusal.all {
            let sites = Self.sites.filter { $0.code == refusal.code }
            for sentence in refusal.sentences {
                #expect(sites.contains { $0.sentence.map(sentence.matches) ?? false }, "\(refusal.code): \(sentence.template)")
            }
            // A tuple of the site's table has its status in front of it.
            for status in refusal.statuses { #expect(sites.contains { $0.status == status }, "\(refusal.code): \(status)") }
        }
    }

    @Test("No code is there twice, no sentence twice in one code, and each ends with a full stop")
    func templates() {
        #expect(Set(HTTPRefusal.all.map(\.code)).count == HTTPRefusal.all.count)
        for refusal in HTTPRefusal.all {
            #expect(Set(refusal.sentences.map(\.template)).count == refusal.sentences.count)
            for sentence in refusal.sentences { #expect(sentence.template.hasSuffix(".") && sentence.when.hasSuffix("."), "\(sentence)") }
        }
    }
}

/// One Swift source, as far as it takes to find refusals in it.
struct SourceText {
    let file: String
    private let text: [UInt8]

    init(_ file: String) {
        self.file = file
        text = ProtoFolder.read("../Sources/" + file) ?? []
    }

    /// Paths of the Swift files below a folder of `Sources`, relative to it.
    static func files(under folder: String) -> [String] {
        guard let directory = opendir(ProtoFolder.path("../Sources/" + folder)) else { return [] }
        defer { closedir(directory) }
        var files: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(".") { continue }
            let path = folder + "/" + name
            if name.hasSuffix(".swift") { files.append(path) } else if !name.contains(".") { files += Self.files(under: path) }
        }
        return files.sorted()
    }

    /// Every call that is given a code and, behind it, a sentence.
    func sites() -> [ErrorCatalogueTests.Site] {
        var sites: [ErrorCatalogueTests.Site] = []
        let codes = Dictionary(uniqueKeysWithValues: ErrorCode.allCases.map { ("\($0)", $0) })
        let makers = ["Rejection", "rejection", "refuse", "refuseQuestion", "Failure"]
        var place = 0
        while let open = text[place...].firstIndex(of: UInt8(ascii: "(")) {
            place = open + 1
            guard makers.contains(word(endingAt: open)) else { continue }
            var next = skip(open + 1)
            if starts("code:", next) { next = skip(next + 5) }
            guard starts(".", next) else { continue }
            let name = String(decoding: text[(next + 1)...].prefix(while: Self.isLetter), as: UTF8.self)
            guard let code = codes[name] else { continue }
            next = skip(next + 1 + name.utf8.count)
            guard starts(",", next) else { continue }
            next = skip(next + 1)
            if starts("message:", next) { next = skip(next + 8) }
            if let (message, _) = literal(next) {
                sites.append(.init(file: file, line: line(next), code: code, message: message, expression: ""))
            } else {
                let expression = String(decoding: text[next...].prefix { $0 != UInt8(ascii: ",") && $0 != 0x0A }, as: UTF8.self)
                sites.append(.init(file: file, line: line(next), code: code, message: nil, expression: expression.balanced))
            }
        }
        return sites + sentencesElsewhere()
    }

    /// Every call that makes a refusal over HTTP of a code and a sentence, and every pair of both.
    func httpSites() -> [HTTPCatalogueTests.Site] {
        var sites: [HTTPCatalogueTests.Site] = []
        let makers = ["HTTPResponse", "refusal", "UploadRefusal", "metadata"]
        var place = 0
        while let open = text[place...].firstIndex(of: UInt8(ascii: "(")) {
            place = open + 1
            let maker = word(endingAt: open)
            guard makers.contains(maker) || maker.isEmpty && starts("\"", place), let parts = arguments(open) else { continue }
            var code: String?
            var sentence: String?
            for part in parts {
                if let text = part.literal {
                    if text.contains(" ") { sentence = text } else if code == nil, text.utf8.allSatisfy({ Self.isLetter($0) || $0 == UInt8(ascii: "_") }) { code = text }
                } else if maker == "metadata", code == nil, part.expression.hasPrefix(".") {
                    code = ErrorCode.allCases.first { part.expression == ".\($0)" }?.rawValue
                }
            }
            guard let code else { continue }
            if maker.isEmpty { guard parts.count == 2, sentence != nil, parts[0].literal == code else { continue } }
            // `case 408: ("too_slow", "…")`, and what has no case of its own is a bad request.
            let status =
                maker == "metadata" || maker.isEmpty && code == "bad_request"
                ? 400 : maker.isEmpty ? status(before: open) : parts.compactMap { Int($0.expression) }.first
            sites.append(.init(file: file, line: line(open), code: code, status: status, sentence: sentence))
        }
        return sites
    }

    /// The arguments of a call, without their labels.
    private func arguments(_ open: Int) -> [(expression: String, literal: String?)]? {
        var parts: [(expression: String, literal: String?)] = []
        let end = close(open)
        guard end < text.count else { return nil }
        var next = skip(open + 1)
        while next < end {
            let label = text[next..<end].prefix(while: Self.isLetter)
            if !label.isEmpty, starts(":", label.endIndex) { next = skip(label.endIndex + 1) }
            let whole = literal(next)
            var stop = whole?.end ?? next
            while stop < end, text[stop] != UInt8(ascii: ",") {
                switch text[stop] {
                case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): stop = closing(stop) + 1
                case UInt8(ascii: "\""):
                    guard let (_, after) = literal(stop) else { return nil }
                    stop = after
                default: stop += 1
                }
            }
            parts.append((String(decoding: text[next..<min(stop, end)], as: UTF8.self).trimmed, whole?.text))
            next = skip(stop + 1)
        }
        return parts
    }

    private func status(before open: Int) -> Int? {
        let line = text[..<open].reversed().prefix { $0 != 0x0A }.reversed()
        return Int(String(decoding: line.filter { (0x30...0x39).contains($0) }, as: UTF8.self))
    }

    private func sentencesElsewhere() -> [ErrorCatalogueTests.Site] {
        guard let code = ErrorCatalogueTests.elsewhere[file] else { return [] }
        var sites: [ErrorCatalogueTests.Site] = []
        var place = 0
        var isComment = false
        while place < text.count {
            if starts("//", place) { isComment = true }
            if text[place] == 0x0A { isComment = false }
            guard !isComment, let (message, end) = literal(place) else {
                place += 1
                continue
            }
            if message.contains(" "), message.first?.isUppercase ?? false {
                sites.append(.init(file: file, line: line(place), code: code, message: message, expression: ""))
            }
            place = end
        }
        return sites
    }

    /// A string literal, or several joined by "+", with a letter in place of each value.
    private func literal(_ start: Int) -> (text: String, end: Int)? {
        guard starts("\"", start) else { return nil }
        var message: [UInt8] = []
        var place = start + 1
        while true {
            guard place + 1 < text.count else { return nil }
            if text[place] == UInt8(ascii: "\"") { break }
            if text[place] == UInt8(ascii: "\\") {
                place += 1
                if text[place] == UInt8(ascii: "(") {
                    let end = close(place)
                    switch String(decoding: text[(place + 1)..<end], as: UTF8.self) {
                    case "SentencePart.older": message += Array("This server may be older than the client that asks. Nothing was changed".utf8)
                    case "more": message += Array(" (and X more)".utf8)
                    default: message.append(UInt8(ascii: "X"))
                    }
                    place = end
                } else {
                    message.append(text[place])
                }
            } else {
                message.append(text[place])
            }
            place += 1
        }
        let whole = String(decoding: message, as: UTF8.self)
        let plus = skip(place + 1)
        if starts("+", plus), let (rest, end) = literal(skip(plus + 1)) { return (whole + rest, end) }
        return (whole, place + 1)
    }

    /// The parenthesis that closes the one at a place, strings inside passed over.
    private func close(_ open: Int) -> Int { closing(open) }

    /// The bracket of any kind that closes the one at a place; the end of the text if there is none.
    private func closing(_ open: Int) -> Int {
        var depth = 0
        var place = open
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { return place }
            case UInt8(ascii: "\""): if let (_, end) = literal(place) { place = end - 1 }
            default: break
            }
            place += 1
        }
        return text.count
    }

    private static func isLetter(_ octet: UInt8) -> Bool { (0x41...0x5A).contains(octet & ~0x20) }

    private func word(endingAt end: Int) -> String {
        var start = end
        while start > 0, Self.isLetter(text[start - 1]) { start -= 1 }
        return String(decoding: text[start..<end], as: UTF8.self)
    }

    /// The next place without white space.
    private func skip(_ place: Int) -> Int { text[place...].firstIndex { $0 > 0x20 } ?? text.endIndex }

    private func starts(_ word: String, _ place: Int) -> Bool { text[place...].starts(with: word.utf8) }

    private func line(_ place: Int) -> Int { text[..<place].count { $0 == 0x0A } + 1 }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()) }

    /// Without the parentheses that close a call around it.
    fileprivate var balanced: String {
        var text = self
        while text.hasSuffix(")"), text.count(where: { $0 == ")" }) > text.count(where: { $0 == "(" }) { text.removeLast() }
        return text
    }
}
