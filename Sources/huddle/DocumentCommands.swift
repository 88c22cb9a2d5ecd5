import Arguments
import Bytes
import Commands
import Crypto
import Documents
import Family
import Glibc
import JSON
import Posix
import Sessions
import Sync
import Terminal
import Wire
import Words

/// `huddle docs …`: commands for the files of documents. The session resolves the names; the files travel by HTTP.
struct DocumentCommands {
    private let invocation: Invocation
    private let setting: Setting
    private let room: JoinedRoom
    private let printer: Printer
    private let names: RecordNames
    private let server: DocumentServer
    private let memory = UploadMemory(folder: CachePlace.root)

    /// - Parameter room: has joined.
    init(_ invocation: Invocation, _ setting: Setting, _ room: JoinedRoom, _ printer: Printer) throws {
        self.invocation = invocation
        self.setting = setting
        self.room = room
        self.printer = printer
        names = RecordNames(room.session.engine)
        do throws(DocumentFailure) { server = try DocumentServer(setting.address, token: setting.token) } catch { throw Self.failure(error) }
    }

    func run(_ request: DocumentRequest) throws -> ExitStatus {
        do {
            switch request {
            case .upload(let files, let description): return try upload(files, description)
            case .download(let document, let path): try download(try find(.document, document), to: path)
            case .versions(let document): versions(try find(.document, document))
            case .share(let document, let school, let days, let isSure):
                try share(try find(.document, document), school: try find(.school, school), days: days, isSure: isSure)
            case .shares(let document): try list(try find(.document, document))
            case .unshare(let document, let school):
                return try unshare(try find(.document, document), school: try school.map { try find(.school, $0) })
            case .family(let path, let isPrivate): try export(to: path, isPrivate: isPrivate)
            case .link(let document): print(url: try server.link(try find(.document, document).id))
            }
            return .done
        } catch let error as DocumentFailure {
            throw Self.failure(error)
        }
    }

    private func find(_ kind: Kind, _ text: String) throws -> Record {
        do { return try names.find(kind, text) } catch { throw UsageError(error.message) }
    }

    private static func failure(_ failure: DocumentFailure, isUpload: Bool = false) -> ProgramFailure {
        let sentence = failure.sentence(isUpload: isUpload)
        return switch failure {
        case .offline: ProgramFailure(.offline, sentence)
        case .refused: ProgramFailure(.refused, sentence)
        case .file, .cancelled: ProgramFailure(.failed, sentence)
        }
    }

    // MARK: Upload

    private func upload(_ files: [String], _ description: DocumentRequest.Description) throws -> ExitStatus {
        let engine = room.session.engine
        guard let family = engine.family else { throw ProgramFailure(.failed, "There is no family to upload to.") }
        // This check comes before any check of a file, which could not be uploaded anyway.
        guard engine.role != .guest else { throw ProgramFailure(.refused, NewUpload.guests) }
        let replaced = try description.replaces.map { try find(.document, $0) }
        let school = try description.school.map { try find(.school, $0).id } ?? replaced?.fields.reference("school_id")
        let athlete = try athlete(description, replaced)
        let interruption = try Interruption()
        guard let type = description.type ?? replaced?.fields.text("type") else { throw UsageError("Add --type.") }
        var worst = ExitStatus.done
        for (index, path) in files.enumerated() {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let title = description.title ?? replaced?.fields.text("title") ?? NewUpload.title(ofFile: name)
            let upload = NewUpload(
                family: family, athlete: athlete, type: type, title: title, description: description.text, school: school,
                replaces: replaced?.id, fileName: name)
            do {
                let uploaded = try send(upload, path, name: name, queued: files.count - index - 1, interruption)
                report(uploaded.document, title)
                memory.forget(uploaded.key)
            } catch let error as DocumentFailure {
                guard error != .cancelled else {
                    throw ProgramFailure(.failed, "Stopped. The server keeps the part so far for a day: the same command continues it.", isInterruption: true)
                }
                let failure = Self.failure(error, isUpload: true)
                guard files.count > 1 else { throw failure }
                // The other files are still uploaded.
                if invocation.isJSON { printFailure(error, path) }
                let isNamed = failure.message.contains(path.printable)
                printer.complain("\(isNamed ? "" : "\(name.printable): ")\(failure.message)")
                worst = failure.status
            }
        }
        return worst
    }

    private func athlete(_ description: DocumentRequest.Description, _ replaced: Record?) throws -> Identifier {
        let named = try description.athlete.map { try find(.member, $0).id }
        if let replaced, let athlete = replaced.athlete {
            guard named == nil || named == athlete else {
                throw UsageError("That document is \(names.member(athlete))'s, and its next version as well. Leave --athlete out.")
            }
            return athlete
        }
        if let named { return named }
        let engine = room.session.engine
        if case .athlete(let id)? = engine.context { return id }
        let athletes = engine.records(of: .member).filter { $0.fields.text("role") == "athlete" }
        guard athletes.count == 1, let only = athletes.first else {
            let list = athletes.compactMap { $0.fields.text("name")?.printable }.joined(separator: ", ")
            throw UsageError("Whose document is it? Take --athlete with one of: \(list).")
        }
        return only.id
    }

    private func send(_ upload: NewUpload, _ path: String, name: String, queued: Int, _ interruption: Interruption) throws -> DocumentUpload.Uploaded {
        let row = ProgressRow(name.printable + (queued > 0 ? " (\(queued) more)" : ""))
        defer { row.end() }
        let total = Int64(((try? Files.status(path)) ?? nil)?.size ?? 0)
        var meter = TransferMeter(total: total, now: Clock.monotonicMilliseconds())
        var uploading = DocumentUpload(
            server, address: setting.address.description, memory: memory, seed: Random.uint64(), wait: interruption.wait)
        let limit = Int64(room.session.engine.limits.documentOctets)
        return try uploading.run(upload, path: path, limit: limit) { step in
            switch step {
            case .resumed(let octets):
                meter = TransferMeter(total: total, octets: octets, now: Clock.monotonicMilliseconds())
                row.say("It continues at \(ByteCount.text(octets)), where it stopped.")
            case .sent(let octets):
                meter.report(octets, now: Clock.monotonicMilliseconds())
                row.show { meter.line(columns: $0) }
            case .read: break
            case .waits(let pause, let reason):
                row.say("\(reason) Trying again in \((pause + 999) / 1_000) s; the part so far is kept.")
            }
            return !interruption.isAsked
        }
    }

    private func report(_ id: Identifier, _ title: String) {
        guard invocation.isJSON else {
            printer.write(output: "\(names.short(id))  uploaded \(title.printable)\n")
            return
        }
        // The record arrives as a change; the command that lists documents prints it.
        printObject { writer in
            writer.key("id")
            writer.identifier(id)
            writer.key("title")
            writer.string(title)
        }
    }

    /// With `--json` each file has a line of its own.
    private func printFailure(_ failure: DocumentFailure, _ path: String) {
        printObject { writer in
            writer.key("file")
            writer.string(path)
            if case .refused(_, let code, _) = failure {
                writer.key("code")
                writer.string(code)
            }
            writer.key("sentence")
            writer.string(failure.sentence)
        }
    }

    // MARK: Download

    private func download(_ document: Record, to path: String?) throws {
        guard case .integer(let octets)? = document.fields["octets"], let sha256 = document.fields.text("sha256") else {
            throw ProgramFailure(.failed, "This document has no file.")
        }
        let name = document.fields.text("file_name") ?? "document"
        let path = DocumentDownload.place(name, path)
        let interruption = try Interruption()
        let file = DocumentDownload.File(document: document.id, octets: octets, sha256: sha256)
        let row = ProgressRow(path.printable)
        defer { row.end() }
        var meter = TransferMeter(total: octets, now: Clock.monotonicMilliseconds())
        var downloading = DocumentDownload(server, seed: Random.uint64(), wait: interruption.wait)
        do throws(DocumentFailure) {
            try downloading.run(file, to: path) { done in
                meter.report(done, now: Clock.monotonicMilliseconds())
                row.show { meter.line(columns: $0) }
                return !interruption.isAsked
            }
        } catch {
            row.end()
            guard error == .cancelled else { throw Self.failure(error) }
            throw ProgramFailure(
                .failed, "Stopped. The part so far is in \(DocumentDownload.part(of: file, for: path).printable): the same command continues it.", isInterruption: true)
        }
        row.end()
        guard invocation.isJSON else {
            printer.write(output: "\(path.printable)  \(ByteCount.text(octets))\n")
            return
        }
        printObject { writer in
            writer.key("id")
            writer.identifier(document.id)
            writer.key("file")
            writer.string(path)
            writer.key("octets")
            writer.integer(octets)
            writer.key("sha256")
            writer.string(sha256)
        }
    }

    // MARK: The family

    private func export(to path: String, isPrivate: Bool) throws {
        guard let family = room.session.engine.family else { throw ProgramFailure(.failed, "There is no family to export.") }
        let interruption = try Interruption()
        let row = ProgressRow(path.printable)
        defer { row.end() }
        row.say("The server makes the archive.")
        let octets: Int64
        do throws(DocumentFailure) {
            octets = try FamilyDownload(server).run(family, isPrivate: isPrivate, to: path) { done in
                if done > 0 { row.show { _ in "\(ByteCount.text(done)) received" } }
                return !interruption.isAsked
            }
        } catch {
            row.end()
            if error == .cancelled { throw ProgramFailure(.failed, "Stopped. Nothing of the archive stays here.", isInterruption: true) }
            if case .refused(_, "confirm_first", let sentence) = error { throw ProgramFailure(.refused, sentence + " Write: huddle confirm") }
            throw Self.failure(error)
        }
        row.end()
        guard invocation.isJSON else {
            printer.write(output: "\(path.printable)  \(ByteCount.text(octets))\n")
            return
        }
        printObject { writer in
            writer.key("family")
            writer.identifier(family)
            writer.key("file")
            writer.string(path)
            writer.key("octets")
            writer.integer(octets)
        }
    }

    // MARK: Versions

    /// The links from version to version determine the chain; the person may name any version of it.
    private func versions(_ document: Record) {
        let all = room.session.engine.records(of: .document)
        var chain: Set = [document.id]
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for record in all {
                let before = record.fields.reference("replaces")
                if chain.contains(record.id), let before, chain.insert(before).inserted { isGrowing = true }
                if let before, chain.contains(before), chain.insert(record.id).inserted { isGrowing = true }
            }
        }
        let versions = all.filter { chain.contains($0.id) }.sorted { number($0, "version") > number($1, "version") }
        guard !invocation.isJSON else {
            for record in versions {
                var writer = JSONWriter()
                RecordCodec.encode(record, into: &writer)
                printer.write(json: writer.octets)
            }
            return
        }
        let table = Table(
            ["ID", "VERSION", "UPLOADED", "SIZE", .init("BY", leaves: 1), "TITLE"],
            versions.map { record in
                [
                    names.short(record.id), "\(number(record, "version"))", date(record.createdAt), ByteCount.text(number(record, "octets")),
                    record.fields.reference("uploaded_by").map(names.member) ?? "", RecordNames.name(record),
                ]
            })
        printer.write(output: table.lines.joined(separator: "\n") + "\n")
    }

    private func number(_ record: Record, _ field: String) -> Int64 {
        if case .integer(let number)? = record.fields[field] { number } else { 0 }
    }

    // MARK: Links

    /// - Parameter isSure: whether an older link of the school is revoked without a question.
    private func share(_ document: Record, school: Record, days: Int?, isSure: Bool) throws {
        let now = Clock.wallMilliseconds()
        let former = try server.shares(document.id).first { $0.isOpen(at: now) && $0.school == school.id }
        if let former, !isSure, !invocation.isJSON, Standard.isTerminal(Standard.input), Standard.isTerminal(Standard.output) {
            let question = "\(describe(former, school)) stops working. Make a new one? Type yes: "
            guard TerminalQuestion.ask(question)?.lowercased() == "yes" else { throw ProgramFailure(.refused, "The old link stays. No new one was made.") }
        }
        let link = try server.share(document.id, school: school.id, days: days)
        guard !invocation.isJSON else { return printJSON(link) }
        printer.write(
            output: """
                \(link.url ?? "")
                Anyone with this link can open \(names.name(document.id)) until \(date(link.expiresAt)). Copy it now, it is not shown again. To revoke it: huddle docs unshare \
                \(names.short(document.id))

                """)
        if let former { printer.complain("\(describe(former, school)) does not work any more.") }
    }

    /// "The link of Nov 3, 2026 for Ashgrove University (2 views)"
    private func describe(_ link: ShareLink, _ school: Record) -> String {
        "The link of \(date(link.createdAt)) for \(RecordNames.name(school)) (\(link.views == 1 ? "1 view" : "\(link.views) views"))"
    }

    private func list(_ document: Record) throws {
        let links = try server.shares(document.id)
        guard !invocation.isJSON else { return links.forEach(printJSON) }
        guard !links.isEmpty else {
            printer.write(output: "There is no link to \(names.name(document.id)). huddle docs share makes one.\n")
            return
        }
        let now = Clock.wallMilliseconds()
        for link in links {
            let who = link.school.map { names.name($0) } ?? "anybody"
            let state = link.endedAt.map { "ended \(date($0))" } ?? (link.isOpen(at: now) ? "until \(date(link.expiresAt))" : "over since \(date(link.expiresAt))")
            printer.write(output: "\(who)  \(state)  \(count(link.views, "view")), \(count(link.downloads, "download"))\n")
        }
    }

    private func unshare(_ document: Record, school: Record?) throws -> ExitStatus {
        let now = Clock.wallMilliseconds()
        let links = try server.shares(document.id).filter { $0.isOpen(at: now) && (school == nil || $0.school == school?.id) }
        for var link in links {
            try server.revoke(link.id, of: document.id)
            link.endedAt = now
            if invocation.isJSON { printJSON(link) }
        }
        guard !links.isEmpty else { throw ProgramFailure(.refused, "No active link matches.") }
        if !invocation.isJSON { printer.write(output: links.count == 1 ? "Link revoked.\n" : "\(links.count) links revoked.\n") }
        return .done
    }

    private func count(_ number: Int64, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }

    private func date(_ instant: Int64) -> String {
        LocalClock(zone: room.session.engine.timeZone).day(instant)
    }

    // MARK: Output

    private func print(url: String) {
        guard invocation.isJSON else {
            printer.write(output: url + "\n")
            return
        }
        printObject { writer in
            writer.key("url")
            writer.string(url)
        }
    }

    private func printJSON(_ link: ShareLink) {
        printObject { writer in
            writer.key("id")
            writer.string(link.id)
            if let url = link.url {
                writer.key("url")
                writer.string(url)
            }
            if let school = link.school {
                writer.key("school")
                writer.identifier(school)
            }
            writer.key("expires_at")
            writer.integer(link.expiresAt)
            if let ended = link.endedAt {
                writer.key("ended_at")
                writer.integer(ended)
            }
            writer.key("views")
            writer.integer(link.views)
            writer.key("downloads")
            writer.integer(link.downloads)
        }
    }

    private func printObject(_ members: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        members(&writer)
        writer.endObject()
        printer.write(json: writer.octets)
    }
}

/// One row on a person's terminal that shows the progress; without a terminal it shows nothing.
private final class ProgressRow {
    private let name: String
    private let isShown = Standard.isTerminal(STDERR_FILENO)
    private var shownAt: Int64 = 0
    private var isDirty = false

    /// Milliseconds between two drawings: nobody reads faster.
    private static let interval: Int64 = 100

    init(_ name: String) { self.name = name }

    /// - Parameter line: made for this number of columns.
    func show(_ line: (Int) -> String) {
        let now = Clock.monotonicMilliseconds()
        guard isShown, now - shownAt >= Self.interval else { return }
        shownAt = now
        isDirty = true
        let columns = max(20, (TerminalDevice.size()?.columns ?? 80) - 1)
        let width = columns - TextWidth.of(name) - 2
        let text = width >= 20 ? "\(name)  \(line(width))" : line(columns)
        Standard.write(error: "\r\u{1B}[K\(text)")
    }

    /// Prints a sentence that stays.
    func say(_ sentence: String) {
        end()
        if isShown { Standard.write(error: "\(sentence)\n") }
    }

    func end() {
        if isDirty { Standard.write(error: "\r\u{1B}[K") }
        isDirty = false
    }
}
