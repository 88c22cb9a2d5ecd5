import Bytes
import Dates
import Family
import JSON
import Queries
import TestSupport
import Wire

/// Makes any frame that our own side may write.
struct RandomFrames {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func identifier() -> Identifier { Identifier(high: random.next(), low: random.next()) }
    mutating func sequence() -> Int64 { chance(10) ? 9_007_199_254_740_991 : number(1...1_000_000) }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func optional<Value>(_ value: (inout RandomFrames) -> Value) -> Value? { chance(50) ? value(&self) : nil }

    mutating func list<Value>(_ most: Int, _ value: (inout RandomFrames) -> Value) -> [Value] {
        (0..<Int.random(in: 0...most, using: &random)).map { _ in value(&self) }
    }

    mutating func string(_ most: Int = 40) -> String {
        let alphabet: [Unicode.Scalar] = ["a", "Z", "0", " ", "\"", "\\", "/", "\n", "\t", "\u{1}", "\u{7F}", "ż", "ß", "\u{301}", "語", "😀", "\u{2028}", "\u{10FFFF}"]
        var text = ""
        for _ in 0..<Int.random(in: 0...most, using: &random) { text.unicodeScalars.append(pick(alphabet)) }
        return text
    }

    mutating func word() -> String { String(random.next(), radix: 36) }

    mutating func context() -> Context { chance(50) ? .all : .athlete(identifier()) }

    mutating func value(_ type: FieldType, form: Bool) -> Value {
        switch type {
        case .line, .text, .choice, .decimal, .measure, .date, .time, .localDateTime, .zone, .url, .state: return .text(string())
        case .flag: return .flag(chance(50))
        case .integer: return .integer(Int64(bitPattern: random.next()))
        case .reference: return .reference(identifier())
        case .link: return .link(pick(Kind.allCases), identifier())
        case .set:
            return .set(list(4) { frames in
                form ? SetElement(id: frames.identifier(), name: frames.string(), role: frames.string()) : SetElement(id: frames.identifier())
            })
        case .json:
            return .json(octets(pick(["{}", "{\"a\":[1,2.5,{\"b\":null}]}", "{ \"kept\" : \"as \\u00e9 is\" }"])))
        }
    }

    mutating func fields(_ kind: Kind) -> Fields {
        var fields = Fields(kind)
        for (index, field) in kind.declaration.fields.enumerated() where chance(60) { fields[index] = value(field.type, form: true) }
        return fields
    }

    mutating func assignments(_ kind: Kind, form: Bool) -> [FieldPatch.Assignment] {
        var assignments: [FieldPatch.Assignment] = []
        for (index, field) in kind.declaration.fields.enumerated() where chance(40) {
            assignments.append(.init(field: index, value: chance(20) ? nil : value(field.type, form: form)))
        }
        return assignments
    }

    mutating func patch(_ kind: Kind) -> FieldPatch {
        var patch = FieldPatch(assignments: assignments(kind, form: false))
        for (index, field) in kind.declaration.fields.enumerated() {
            guard case .set = field.type, !patch.assignments.contains(where: { $0.field == index }) else { continue }
            let edit = FieldPatch.SetEdit(field: index, add: list(3) { $0.identifier() }, remove: list(3) { $0.identifier() })
            if !edit.add.isEmpty || !edit.remove.isEmpty { patch.setEdits.append(edit) }
        }
        return patch
    }

    mutating func operation() -> Operation {
        let kind = pick(Kind.allCases)
        let action: Operation.Action
        switch number(0...5) {
        case 4: action = .shift(base: sequence(), days: Int(number(-4_000...4_000)))
        case 5: action = .copy(from: identifier(), days: Int(number(-4_000...4_000)))
        case 0: action = .create(athlete: optional { $0.identifier() }, patch: FieldPatch(assignments: assignments(kind, form: false)))
        case 1: action = .update(base: sequence(), merge: pick(MergeMode.allCases), patch: patch(kind))
        case 2: action = .delete(base: sequence())
        default: action = .restore(base: sequence())
        }
        return Operation(kind: kind, id: identifier(), action: action)
    }

    mutating func clientFrame() -> ClientFrame {
        let frame = untaggedClientFrame()
        switch frame {
        case .signIn, .signInByName, .redeem, .join, .context, .signOut: return chance(50) ? .tagged(frame, request: sequence()) : frame
        default: return frame
        }
    }

    private mutating func nonce() -> String { Hex.encode((0..<16).map { _ in UInt8(number(0...255)) }) }

    private mutating func session() -> AccountSession {
        let scope = optional { $0.pick(TokenScope.allCases) }
        return AccountSession(
            id: identifier(), name: string(), kind: scope == nil ? pick([.terminal, .browser]) : .token, createdOn: date(), usedOn: date(), endsOn: date(),
            isCurrent: chance(50), scope: scope, athletes: scope == .calendar ? [identifier()] + list(3) { $0.identifier() } : [])
    }

    private mutating func feedSettings() -> FeedSettings {
        let scopes: [FeedScope] = [.mine(athletes: list(3) { $0.identifier() }), .athlete(identifier()), .trip(identifier()), .all]
        let kinds = FeedSettings.feedKinds.filter { _ in chance(50) }
        return FeedSettings(
            name: string(), scope: pick(scopes), kinds: kinds.isEmpty ? FeedSettings.usualKinds : kinds, detail: pick(FeedDetail.allCases), hasAlarms: chance(50),
            expiresAt: optional { $0.number(0...2_000_000_000_000) })
    }

    private mutating func feed() -> CalendarFeed {
        CalendarFeed(
            id: identifier(), settings: feedSettings(), createdAt: number(0...2_000_000_000_000), fetches: number(0...1_000),
            fetchedAt: optional { $0.number(0...2_000_000_000_000) }, program: string())
    }

    private mutating func invite() -> Invite {
        Invite(
            id: identifier(), member: identifier(), role: pick(Role.allCases), name: string(), email: optional { $0.string() },
            inviter: optional { $0.identifier() }, createdAt: number(-1...9_007_199_254_740_991), expiresAt: number(-1...9_007_199_254_740_991),
            state: pick(Invite.State.allCases), mail: optional { $0.pick(InviteMail.allCases) })
    }

    private mutating func secrets() -> ShownSecrets {
        ShownSecrets(password: optional { $0.string() }, recoveryCode: optional { $0.string() }, oneTime: optional { $0.string() })
    }

    private mutating func reminderKey() -> Reminder.Key {
        Reminder.Key(item: identifier(), lead: number(0...40_320), start: number(-1_000...2_000_000_000_000))
    }

    private mutating func activity() -> Activity {
        let action = pick(Activity.Action.allCases)
        let record = HistoryRequest.Target(kind: pick(Kind.allCases), id: identifier())
        return Activity(action, action == .idle || action == .typing && chance(50) ? nil : record)
    }

    private mutating func accountAct() -> AccountAct {
        switch number(0...12) {
        case 8: .removePasskey(identifier())
        case 10: .setMail(string())
        case 11: .confirmMail(code: string())
        case 12: .removeMail
        case 0: .show
        case 1: .confirm(secrets())
        case 2: .setPassword(name: string(), password: string())
        case 3: .removePassword
        case 4: .addFactor
        case 5: .confirmFactor(oneTime: string())
        case 6: .removeFactor
        case 7: .makeRecoveryCodes
        default: .recoverMember(identifier(), family: identifier())
        }
    }

    private mutating func untaggedClientFrame() -> ClientFrame {
        switch number(0...29) {
        case 29: return .reminderSeen(reminderKey())
        case 25: return .ping(request: sequence())
        case 26: return .activity(activity())
        case 27:
            return .calendars(CalendarsRequest(
                request: sequence(), pick([.list, .add(identifier(), nonce: nonce(), feedSettings()), .change(identifier(), feedSettings()), .remove(identifier())])))
        case 28: return .deletion(DeletionRequest(request: sequence(), act: pick([.show, .request(name: string()), .withdraw])))
        case 23:
            return .signInByName(NameSignIn(name: string(), secrets: secrets(), device: optional { $0.word() }, label: chance(30) ? "" : string()))
        case 24: return .account(AccountRequest(request: sequence(), accountAct()))
        case 22: return .addDevice(AddDeviceRequest(request: sequence()))
        case 21:
            return .createToken(CreateTokenRequest(
                request: sequence(), id: identifier(), nonce: nonce(), name: string(), scope: pick(TokenScope.allCases), days: number(0...400),
                athletes: list(3) { $0.identifier() }))
        case 20: return .sessions(SessionsRequest(request: sequence(), pick([.list, .rename(identifier(), string()), .end(identifier()), .endOthers])))
        case 0: return .signIn(token: optional { $0.word() })
        case 1: return .redeem(code: word(), nonce: nonce(), name: optional { $0.string() })
        case 2:
            return .join(Join(
                family: identifier(), client: identifier(), context: optional { $0.context() },
                cursor: optional { Cursor(epoch: $0.word(), sequence: $0.number(0...9_007_199_254_740_991)) }, isQuiet: number(0...1) == 1,
                differed: optional { $0.number(0...9_007_199_254_740_991) }))
        case 3: return .context(context())
        case 4:
            return .list(ListRequest(
                request: sequence(), kind: pick(Kind.allCases), athlete: optional { $0.context() }, filter: filter(),
                search: optional { $0.string() } ?? "", sort: optional { $0.pick(Query.Sort.allCases) }, before: optional { $0.word() },
                limit: Int(number(1...200)), counts: chance(50), deleted: chance(50)))
        case 5: return .signOut
        case 6:
            return .statistics(
                StatisticsRequest(request: sequence(), kind: pick(Kind.allCases), athlete: optional { $0.context() }))
        case 7:
            return .history(HistoryRequest(
                request: sequence(), record: optional { .init(kind: $0.pick(Kind.allCases), id: $0.identifier()) },
                before: optional { $0.sequence() }, limit: Int(number(1...200))))
        case 8: return .digest(DigestRequest(request: sequence(), after: optional { $0.sequence() }))
        case 9:
            return .accessLog(AccessLogRequest(request: sequence(), before: optional { $0.word() }, limit: Int(number(1...200))))
        case 10:
            return .invite(InviteRequest(
                request: sequence(), id: identifier(), nonce: nonce(), member: optional { $0.identifier() }, name: optional { $0.string() },
                role: optional { $0.pick(Role.allCases) }, email: optional { $0.string() }, born: optional { $0.string() },
                lastDay: optional { $0.string() }))
        case 11: return .withdrawInvite(WithdrawInviteRequest(request: sequence(), id: identifier()))
        case 12: return .invites(InvitesRequest(request: sequence()))
        case 14: return .standings(StandingsRequest(request: sequence()))
        case 15:
            let acts: [ConsentRequest.Act] = [
                .give(version: word(), digest: nonce() + nonce()), .withdraw, .born(string()), .lastDay(optional { $0.string() }),
            ]
            return .consent(ConsentRequest(request: sequence(), member: identifier(), act: pick(acts)))
        case 13:
            return .audit(AuditRequest(request: sequence(), before: optional { $0.word() }, limit: Int(number(1...200)), isOwn: chance(50)))
        default:
            let body: Mutation.Body = chance(80) ? .operations([operation()] + list(5) { $0.operation() }) : .undo(sequence: sequence())
            return .mutation(id: sequence(), body: body, overlap: chance(30) ? overlapOverride() : nil)
        }
    }

    mutating func record() -> Record {
        let kind = pick(Kind.allCases)
        return Record(
            kind: kind, id: identifier(), athlete: optional { $0.identifier() }, version: sequence(), createdAt: number(0...2_000_000_000_000),
            createdBy: identifier(), updatedAt: number(0...2_000_000_000_000), updatedBy: identifier(),
            deletedAt: optional { $0.number(0...2_000_000_000_000) }, fields: fields(kind))
    }

    mutating func entry() -> ChangeEntry {
        let kind = pick(Kind.allCases)
        let effect: ChangeEntry.Effect
        switch number(0...3) {
        case 0: effect = .create(athlete: optional { $0.identifier() }, fields: fields(kind))
        case 1: effect = .update(assignments(kind, form: true))
        case 2: effect = .delete
        default:
            effect = .restore(
                athlete: optional { $0.identifier() }, fields: fields(kind), createdAt: number(0...2_000_000_000_000), createdBy: identifier())
        }
        return ChangeEntry(kind: kind, id: identifier(), version: sequence(), effect: effect)
    }

    mutating func change() -> Change {
        Change(
            sequence: sequence(), at: number(0...2_000_000_000_000), member: identifier(), client: optional { $0.identifier() },
            mutation: optional { $0.sequence() }, overlap: optional { $0.overlapOverride() }, undoes: optional { $0.sequence() }, entries: list(4) { $0.entry() })
    }

    mutating func conflict() -> Conflict {
        let record = record()
        let fields = record.kind.declaration.fields
        return Conflict(record: record, fields: list(3) { frames in
            let index = Int.random(in: 0..<fields.count, using: &frames.random)
            let type = fields[index].type
            return Conflict.Field(
                field: index, base: frames.optional { $0.value(type, form: true) }, yours: frames.optional { $0.value(type, form: true) },
                theirs: frames.optional { $0.value(type, form: true) }, member: frames.identifier(), at: frames.number(0...2_000_000_000_000))
        })
    }

    mutating func rejection() -> Rejection {
        Rejection(
            pick(ErrorCode.allCases), string(), operation: optional { Int($0.number(0...99)) }, kind: optional { $0.pick(Kind.allCases) },
            id: optional { $0.identifier() }, field: optional { $0.string() }, retryAfter: optional { $0.number(0...60_000) },
            conflict: optional { $0.conflict() }, overlaps: list(2) { $0.overlap() }, sequence: optional { $0.sequence() })
    }

    mutating func overlapOverride() -> OverlapOverride {
        OverlapOverride(
            reason: "Meant " + word(), pairs: (0..<number(1...4)).map { _ in OverlapPair(identifier(), identifier()) })
    }

    mutating func overlap() -> Overlap {
        Overlap(item: overlapItem(), with: overlapItem(), members: list(3) { $0.identifier() })
    }

    private mutating func overlapItem() -> Overlap.Item {
        Overlap.Item(id: identifier(), title: string(), start: word(), startZone: word(), end: word(), endZone: word())
    }

    mutating func warning() -> MutationWarning {
        MutationWarning(
            code: .doubleBooking, kind: pick(Kind.allCases), id: identifier(), withKind: pick(Kind.allCases), withID: identifier(),
            member: identifier(), message: string())
    }

    mutating func presence() -> Presence { Presence(member: identifier(), connections: Int(number(0...32)), context: context()) }

    mutating func upload() -> UploadProgress {
        UploadProgress(
            id: identifier(), member: identifier(), athlete: identifier(), title: string(), octets: number(0...1_000_000),
            total: optional { $0.number(0...1_000_000) }, state: pick(UploadProgress.State.allCases))
    }

    mutating func date() -> CalendarDate { CalendarDate(days: Int(number(0...40_000))) ?? .first }

    mutating func filter() -> Query.Filter {
        var filter = Query.Filter()
        filter.types = list(3) { $0.word() }
        filter.status = optional { $0.pick(Query.Status.allCases) }
        filter.date = optional { $0.pick(Query.Window.allCases) }
        filter.school = optional { $0.identifier() }
        filter.coach = optional { $0.identifier() }
        filter.event = optional { $0.identifier() }
        filter.trip = optional { $0.identifier() }
        filter.about = optional { $0.identifier() }
        filter.from = optional { $0.date() }
        filter.to = optional { $0.date() }
        filter.day = optional { $0.date() }
        filter.itinerary = optional { $0.chance(50) }
        filter.shared = optional { $0.chance(50) }
        filter.current = optional { $0.chance(50) }
        return chance(30) ? Query.Filter() : filter
    }

    mutating func count() -> Int { Int(number(0...100_000)) }

    mutating func statistics() -> Statistics {
        switch number(0...3) {
        case 0:
            var events = Statistics.Events()
            (events.total, events.upcoming, events.registered, events.notRegistered) = (count(), count(), count(), count())
            events.attended = count()
            events.types = list(3) { .init(type: $0.word(), records: $0.count()) }
            return .events(events)
        case 1:
            var documents = Statistics.Documents()
            (documents.total, documents.shared, documents.octets) = (count(), count(), number(0...9_000_000_000))
            (documents.storageUsed, documents.storageQuota) = (optional { $0.number(0...9_000_000_000) }, optional { $0.number(0...9_000_000_000) })
            documents.mostCommonType = optional { $0.word() }
            documents.types = list(3) { .init(type: $0.word(), records: $0.count()) }
            return .documents(documents)
        case 2:
            return .metrics(
                list(3) { Statistics.Metric(type: $0.word(), label: $0.optional { $0.string() }, records: $0.count(), best: $0.mark(), latest: $0.mark()) })
        default: return .family(list(4) { .init(kind: $0.pick(Kind.allCases), records: $0.count()) })
        }
    }

    mutating func mark() -> Statistics.Metric.Mark { .init(id: identifier(), value: word(), unit: string(), date: date().description) }

    mutating func historyItem() -> HistoryItem {
        HistoryItem(
            sequence: sequence(), at: number(0...2_000_000_000_000), member: identifier(), isUndoable: chance(50),
            undoes: optional { $0.sequence() },
            changes: list(3) { frames in
                let entry = frames.entry()
                guard case .update = entry.effect else { return .init(entry: entry) }
                return .init(entry: entry, before: frames.assignments(entry.kind, form: true))
            })
    }

    mutating func digest() -> DigestAnswer {
        DigestAnswer(
            request: number(0...1_000), sequence: sequence(), after: sequence(), isComplete: chance(50), changes: count(),
            kinds: list(3) {
                .init(kind: $0.pick(Kind.allCases), created: $0.count(), updated: $0.count(), deleted: $0.count(), restored: $0.count())
            },
            authors: list(3) { .init(member: $0.identifier(), changes: $0.count()) }, messages: count(), mentions: list(3) { $0.identifier() },
            records: list(3) {
                .init(
                    kind: $0.pick(Kind.allCases), id: $0.identifier(), sequence: $0.sequence(), at: $0.number(0...2_000_000_000_000),
                    member: $0.identifier())
            })
    }

    mutating func standing() -> Standing {
        Standing(
            member: identifier(), role: pick(Role.allCases), state: pick(Standing.State.allCases), hasSignIn: chance(50), isInvited: chance(50),
            consent: optional { .init(by: $0.identifier(), at: $0.number(0...2_000_000_000_000), version: $0.string()) },
            lastDay: optional { _ in "2026-08-31" })
    }

    mutating func audit() -> Audit.Entry {
        let authors: [Audit.Author] = [.member(identifier()), .host, .server]
        return Audit.Entry(
            at: number(0...2_000_000_000_000), act: pick(Audit.Act.allCases).rawValue, author: pick(authors), about: optional { $0.identifier() },
            count: number(1...1_000), detail: optional { $0.string() })
    }

    mutating func access() -> AccessPage.Entry {
        .init(
            at: number(0...2_000_000_000_000), athlete: identifier(), member: identifier(), what: pick(AccessNote.Subject.allCases).rawValue,
            record: optional { $0.identifier() })
    }

    mutating func checksum() -> StateChecksum { StateChecksum(UInt32(truncatingIfNeeded: number(0...4_294_967_295))) }

    mutating func serverFrame() -> ServerFrame {
        let frame = untaggedServerFrame()
        switch frame {
        case .welcome, .token, .signedIn, .membership, .joined, .context, .signedOut: return chance(50) ? .tagged(frame, request: sequence()) : frame
        default: return frame
        }
    }

    private mutating func untaggedServerFrame() -> ServerFrame {
        switch number(0...43) {
        case 42:
            return .reminder(
                Reminder(
                    kind: pick([.event, .tripItem]), key: reminderKey(), state: pick(Reminder.State.allCases), when: pick(["2026-04-15", "2026-04-15T08:00"]),
                    title: string(), body: string()))
        case 43: return .reminderSeen(reminderKey())
        case 39:
            return .mailFailed(
                MailNotice(
                    kind: pick(MailKind.allCases), address: string(), problem: pick(MailProblem.allCases), invite: optional { $0.identifier() }))
        case 40:
            return .calendars(CalendarList(
                request: number(0...1_000), calendars: list(3) { $0.feed() }, made: optional { CalendarMade(id: $0.identifier(), token: $0.word()) }))
        case 41:
            return .deletion(DeletionAnswer(request: number(0...1_000), deletion: optional { random in
                FamilyDeletion(
                    requestedAt: random.number(0...2_000_000_000_000), by: random.optional { $0.identifier() }, dueAt: random.number(0...2_000_000_000_000))
            }))
        case 34: return .signedIn(NameSignedIn(token: word(), device: word()))
        case 35: return .recovered(RecoveryNotice(way: pick(RecoveryWay.allCases), at: number(0...2_000_000_000_000)))
        case 36:
            let state = AccountState(
                name: optional { $0.string() }, hasFactor: chance(50), recoveryCodes: Int(number(0...10)),
                confirmedUntil: optional { $0.number(0...2_000_000_000_000) },
                passkeys: list(3) { random in
                    AccountPasskey(id: random.identifier(), name: random.string(), createdOn: random.date(), usedOn: random.optional { $0.date() })
                },
                mail: optional { random in
                    AccountMail(address: random.string(), pending: random.optional { $0.string() }, problem: random.optional { $0.pick(MailProblem.allCases) })
                })
            return .account(
                AccountReply(
                    request: number(0...1_000),
                    AccountAnswer(
                        state: state, secret: optional { $0.word() }, address: optional { $0.string() }, codes: list(3) { $0.string() },
                        device: optional { $0.word() }, code: optional { $0.word() }, expiresAt: optional { $0.number(0...2_000_000_000_000) })))
        case 33: return .deviceCode(DeviceCodeAnswer(request: number(0...1_000), code: word(), expiresAt: number(0...2_000_000_000_000)))
        case 32: return .programToken(ProgramTokenAnswer(request: number(0...1_000), token: word(), session: session()))
        case 31: return .sessions(SessionList(request: number(0...1_000), sessions: list(3) { $0.session() }))
        case 0:
            var limits = Limits()
            limits.pageRecords = Int(number(1...1_000))
            return .welcome(Welcome(
                server: word(), time: number(0...2_000_000_000_000),
                memberships: list(3) {
                    Membership(family: $0.identifier(), name: $0.string(), member: $0.identifier(), role: $0.pick(Role.allCases))
                }, limits: limits, features: list(4) { $0.pick(Feature.allCases) }, web: chance(50) ? "0123456789abcdef0123456789abcdef" : nil))
        case 1: return .token(token: word(), family: identifier(), member: identifier())
        case 2:
            return .joined(Joined(
                epoch: word(), sequence: number(0...1_000), family: identifier(), member: identifier(), role: pick(Role.allCases),
                context: context(), resumesByChanges: chance(50), presence: list(3) { $0.presence() }))
        case 3: return .reset(pick(ResetReason.allCases))
        case 4: return .snapshot(sequence: number(0...1_000), records: list(3) { $0.record() })
        case 5:
            return .snapshotEnd(
                sequence: number(0...1_000), verification: optional { SnapshotVerification(checksum: $0.checksum(), unsent: $0.checksum()) })
        case 6: return .live(sequence: number(0...1_000), checksum: optional { $0.checksum() })
        case 25: return .invite(InviteAnswer(request: number(0...1_000), invite: invite(), code: optional { $0.word() }))
        case 26: return .invites(InviteList(request: number(0...1_000), invites: list(3) { $0.invite() }))
        case 30:
            return .membership(Membership(family: identifier(), name: string(), member: identifier(), role: pick(Role.allCases)))
        case 28: return .standing(StandingAnswer(request: number(0...1_000), standing: standing()))
        case 29:
            guard let text = ConsentText(version: "consent-\(number(1...9))", text: "# " + string()) else { preconditionFailure("a short text") }
            return .standings(StandingList(request: number(0...1_000), text: text, standings: list(3) { $0.standing() }))
        case 27: return .audit(AuditPage(request: number(0...1_000), entries: list(3) { $0.audit() }, next: optional { $0.word() }))
        case 23: return .checksum(sequence: number(0...1_000), checksum())
        case 7:
            return .ack(Ack(
                mutation: sequence(), sequence: optional { $0.sequence() },
                records: list(4) { Ack.Version(id: $0.identifier(), version: $0.sequence()) }, warnings: list(2) { $0.warning() }))
        case 8, 9: return .reject(mutation: sequence(), rejection())
        case 10: return .presence(presence())
        case 11: return .context(context())
        case 12: return .role(pick(Role.allCases))
        case 13:
            return .page(Page(
                request: number(0...1_000), sequence: number(0...1_000), records: list(3) { $0.record() }, next: optional { $0.word() },
                total: optional { $0.count() }))
        case 18: return .statistics(StatisticsAnswer(request: number(0...1_000), sequence: number(0...1_000), statistics: statistics()))
        case 19:
            return .history(HistoryPage(
                request: number(0...1_000), entries: list(3) { $0.historyItem() }, next: optional { $0.sequence() }))
        case 20: return .digest(digest())
        case 21:
            return .accessLog(AccessPage(request: number(0...1_000), entries: list(3) { $0.access() }, next: optional { $0.word() }))
        case 22: return .upload(upload())
        case 37: return .activity(MemberActivity(member: identifier(), activity()))
        case 38: return .pong(request: number(0...1_000))
        case 14: return .signedOut
        case 24: return .drain(retryAfter: number(50...60_000))
        case 15: return .error(rejection(), request: optional { $0.number(0...1_000) })
        default: return .change(change())
        }
    }
}
