internal import Bytes
internal import Family
package import Wire

extension SyncEngine {
    /// Handles a frame from the server. Frames of a connection that the engine has left are ignored.
    package mutating func receive(_ frame: ServerFrame, now: Int64) -> [SyncAction] {
        // A newer server may send frames that this program does not know.
        if case .unknown = frame { return [] }
        if case .tagged(let answer, _) = frame { return receive(answer, now: now) }
        guard phase != .stopped, phase != .offline else { return [] }
        // The server shuts down, and says when to come back.
        if case .drain(let wait) = frame {
            returnAfter = max(wait, 0)
            return flush(now)
        }
        switch phase {
        case .stopped, .offline: break
        case .signingIn: receiveSigningIn(frame)
        case .joining, .syncing, .live: receiveJoined(frame, now)
        }
        return flush(now)
    }

    private mutating func receiveSigningIn(_ frame: ServerFrame) {
        switch frame {
        case .welcome(let welcome):
            guard welcome.protocol == 1 else { return stop(.protocolUnsupported(welcome.protocol)) }
            limits = welcome.limits
            features = Set(welcome.features)
            memberships = welcome.memberships
            output.append(.notify(.welcome(welcome)))
            let wanted = configuration.family ?? (memberships.count == 1 ? memberships.first?.family : nil)
            guard let wanted, memberships.contains(where: { $0.family == wanted }) else { return stop(.familyUnclear(memberships)) }
            family = wanted
            join()
        case .error(let rejection, _): refuse(rejection)
        case .signedOut: stop(.signedOut)
        default: fail(.unexpectedFrame(frame.word))
        }
    }

    private mutating func join() {
        guard let family else { return }
        phase = .joining
        // A server that does not know the key refuses the whole frame.
        let isQuiet = configuration.isQuiet && features.contains(.quiet)
        output.append(
            .send(
                .join(
                    Join(
                        family: family, client: configuration.client, context: configuration.context, cursor: cursor, isQuiet: isQuiet,
                        differed: cursor == nil && features.contains(.checksum) ? verification.differed : nil))))
    }

    private mutating func receiveJoined(_ frame: ServerFrame, _ now: Int64) {
        if phase == .joining {
            switch frame {
            case .joined, .reset, .error, .signedOut, .role, .presence, .upload, .activity: break
            default: return fail(.unexpectedFrame(frame.word))
            }
        }
        switch frame {
        case .joined(let joined): receive(joined)
        case .reset(let reason):
            cursor = nil
            snapshot = []
            snapshotCount = 0
            snapshotUnknown = StateChecksum()
            if phase == .live { phase = .syncing }
            output.append(.notify(.reset(reason)))
        case .snapshot(_, let records, let unknown): receiveSnapshot(records, unknown)
        case .snapshotEnd(let sequence, let sums): applySnapshot(at: sequence, sums, now)
        case .change(let change): receive(change, now)
        case .live(let sequence, let checksum):
            guard snapshot == nil, let cursor else { return fail(.unexpectedFrame("live")) }
            guard cursor.sequence == sequence else { return fail(.gap(expected: cursor.sequence, got: sequence)) }
            guard verify(checksum, now: now) else { return }
            phase = .live
            failures = 0
            output.append(.notify(.live(sequence: sequence)))
            settleApplied(upTo: sequence)
            sendDue(now)
        case .checksum(let sequence, let checksum):
            guard snapshot == nil, let cursor else { return fail(.unexpectedFrame("checksum")) }
            // The server sends it after the change to which it belongs, so a later sequence names a change that never
            // arrived.
            guard sequence <= cursor.sequence else { return fail(.gap(expected: cursor.sequence, got: sequence)) }
            if sequence == cursor.sequence { _ = verify(checksum, now: now) }
        case .ack(let ack): receive(ack, now)
        case .reject(let mutation, let rejection): receiveRejection(of: mutation, rejection, now)
        case .presence(let one):
            presence[one.member] = one.connections > 0 ? one : nil
            output.append(.notify(.presence(one)))
        case .upload(let upload):
            // A family has few uploads at a time; more are not stored.
            if upload.isOver { uploads[upload.id] = nil } else if uploads.count < SyncEngine.maxUploads { uploads[upload.id] = upload }
            output.append(.notify(.upload(upload)))
        case .activity(let one): output.append(.notify(.activity(one)))
        case .context(let inForce):
            context = inForce
            configuration.context = inForce
            askedForContext = false
            output.append(.notify(.context(inForce)))
        case .role(let now):
            role = now
            output.append(.notify(.role(now)))
        case .page, .statistics, .history, .digest, .accessLog, .invite, .invites, .audit, .standing, .standings, .sessions, .programToken, .calendars, .deviceCode, .account, .pong, .deletion: output.append(.notify(.answer(frame)))
        case .recovered(let notice): output.append(.notify(.recovered(notice)))
        case .mailFailed(let notice): output.append(.notify(.mailFailed(notice)))
        case .reminder(let reminder): receive(reminder)
        case .reminderSeen(let key):
            reminders.removeAll { $0.key == key }
            output.append(.notify(.reminderSeen(key)))
        case .signedOut: stop(.signedOut)
        case .error(let rejection, let request): receiveError(rejection, request)
        case .welcome, .token, .membership, .signedIn: fail(.unexpectedFrame(frame.word))
        case .unknown, .drain, .tagged: break
        }
    }

    private mutating func receive(_ joined: Joined) {
        guard phase == .joining, joined.family == family else { return fail(.unexpectedFrame("joined")) }
        if let sequence = configuration.resumeAfter {
            // The first join only asked for the epoch; the position in it needs another join.
            configuration.resumeAfter = nil
            cursor = Cursor(epoch: joined.epoch, sequence: sequence)
            endForRejoin()
            return
        }
        member = joined.member
        role = joined.role
        context = joined.context
        presence = Dictionary(joined.presence.filter { $0.connections > 0 }.map { ($0.member, $0) }, uniquingKeysWith: { _, last in last })
        // The server reports uploads in progress again within a second.
        uploads = [:]
        // It sends those again that no device has seen.
        reminders = []
        if !epoch.isEmpty, !isOurLog(joined) { forgetUndos() }
        epoch = joined.epoch
        if joined.resumesByChanges {
            guard snapshot == nil, cursor?.epoch == joined.epoch else { return fail(.unexpectedFrame("joined")) }
        } else {
            cursor = nil
            snapshot = []
            snapshotCount = 0
            snapshotUnknown = StateChecksum()
        }
        phase = .syncing
        output.append(.notify(.joined(joined)))
    }

    /// Whether the known sequences mean the same changes there. Before epochs belonged to families, a server sent the
    /// epoch of the database: the log is the same, and only the records have to be sent again.
    private func isOurLog(_ joined: Joined) -> Bool {
        epoch == joined.epoch || Cursor.epoch(of: joined.family, database: epoch) == joined.epoch
    }

    /// Drops pending undos: the server has another log, restored from a backup, in which a sequence of the old log
    /// names another change, or none.
    private mutating func forgetUndos() {
        let rejection = Rejection(
            .notFound, "The server was restored from an earlier backup, so nothing was undone. Look at the current values, then undo.")
        let meant = pending.filter { $0.undo != nil }.map(\.id) + drafts.filter { $0.undo != nil }.map(\.id)
        for id in meant { remove(id) }
        drafts.removeAll { $0.undo != nil }
        for id in meant { output.append(.notify(.rejected(mutation: id, rejection))) }
    }

    mutating func endForRejoin() {
        output.append(.disconnect(closeCode: CloseCode.normal.rawValue))
        phase = .offline
        output.append(.connect(afterMilliseconds: 0))
    }

    private mutating func receiveError(_ rejection: Rejection, _ request: Int64?) {
        guard phase != .joining else {
            if rejection.code == .notFound, rejection.field == "context", configuration.context != nil {
                // The owner of that season has left the family.
                configuration.context = nil
                context = nil
                output.append(.notify(.failed(rejection, request: nil)))
                return join()
            }
            guard rejection.code == .cursorAhead, cursor != nil else { return refuse(rejection) }
            // The server's log is shorter than ours (another disk, a restored copy): start from the beginning, with
            // drafts and pending mutations kept.
            cursor = nil
            output.append(.notify(.reset(nil)))
            forgetUndos()
            return join()
        }
        if rejection.code == .notSignedIn || rejection.code == .notJoined { return fail(.unexpectedFrame("error")) }
        if askedForContext, request == contextRequest {
            askedForContext = false
            configuration.context = context
            output.append(.notify(.failed(rejection, request: nil)))
            return
        }
        output.append(.notify(.failed(rejection, request: request)))
    }

    /// Handles a refusal to sign in or join: for now, or finally.
    private mutating func refuse(_ rejection: Rejection) {
        if rejection.code.isRetryable {
            returnAfter = rejection.retryAfter.map { max($0, 0) }
            output.append(.notify(.failed(rejection, request: nil)))
            output.append(.disconnect(closeCode: CloseCode.normal.rawValue))
            lose(closeCode: nil)
        } else if rejection.code == .tokenUnknown {
            stop(.tokenUnknown)
        } else {
            stop(.refused(rejection))
        }
    }

    private mutating func receiveSnapshot(_ records: [Record], _ unknown: StateChecksum) {
        guard snapshot != nil else { return fail(.unexpectedFrame("snapshot")) }
        snapshotCount += records.count
        snapshotUnknown = snapshotUnknown + unknown
        guard snapshotCount <= limits.recordsPerFamily + limits.snapshotMessages else { return fail(.snapshotTooLarge) }
        if configuration.holdsRecords { snapshot?.append(contentsOf: records) }
    }

    private mutating func applySnapshot(at sequence: Int64, _ sums: SnapshotVerification?, _ now: Int64) {
        guard let records = snapshot else { return fail(.unexpectedFrame("snapshot_end")) }
        snapshot = nil
        confirmed = ConfirmedRecords(records, unsent: sums.map { $0.unsent + snapshotUnknown })
        cursor = Cursor(epoch: epoch, sequence: sequence)
        verification.differed = nil
        steps = [:]
        // Acknowledged mutations are in the snapshot, or gone with a restored database: neither is shown twice.
        for mutation in pending where mutation.isAcknowledged { remove(mutation.id) }
        refreshAll()
        touched = []
        output.append(.replaced)
        _ = verify(sums?.checksum, now: now)
    }

    private mutating func receive(_ change: Change, _ now: Int64) {
        guard snapshot == nil, let position = cursor else { return fail(.unexpectedFrame("change")) }
        if change.sequence <= position.sequence { return }
        guard change.sequence == position.sequence + 1 else {
            return fail(.gap(expected: position.sequence + 1, got: change.sequence))
        }
        if configuration.holdsRecords {
            do { try confirmed.apply(change) } catch { return fail(error) }
        }
        cursor?.sequence = change.sequence
        faultsInRow = 0
        let own = change.client == configuration.client ? pending.first { $0.id == change.mutation } : nil
        note(change, isOwn: own != nil)
        touched.formUnion(change.entries.map(\.id))
        if let own {
            let versions = change.entries.map { Ack.Version(id: $0.id, version: $0.version) }
            if !own.isAcknowledged {
                output.append(.notify(.acknowledged(Ack(mutation: own.id, sequence: change.sequence, records: versions))))
            }
            settle(own, versions: versions)
        }
        for entry in change.entries { refresh(entry.id) }
        output.append(.notify(.change(change, isOwn: own != nil)))
        if own != nil { sendDue(now) }
    }
}

extension ServerFrame {
    /// The frame's name on the wire, for faults.
    var word: String {
        switch self {
        case .welcome: "welcome"
        case .token: "token"
        case .membership: "membership"
        case .joined: "joined"
        case .reset: "reset"
        case .snapshot: "snapshot"
        case .snapshotEnd: "snapshot_end"
        case .change: "change"
        case .live: "live"
        case .checksum: "checksum"
        case .ack: "ack"
        case .reject: "reject"
        case .presence: "presence"
        case .upload: "upload"
        case .activity: "activity"
        case .pong: "pong"
        case .context: "context"
        case .role: "role"
        case .page: "page"
        case .statistics: "statistics"
        case .history: "history"
        case .digest: "digest"
        case .accessLog: "access_log"
        case .invite: "invite"
        case .invites: "invites"
        case .audit: "audit"
        case .standing: "standing"
        case .standings: "standings"
        case .sessions: "sessions"
        case .programToken: "program_token"
        case .calendars: "calendars"
        case .deviceCode: "device_code"
        case .account: "account"
        case .deletion: "deletion"
        case .signedIn: "signed_in"
        case .recovered: "recovered"
        case .mailFailed: "mail_failed"
        case .reminder: "reminder"
        case .reminderSeen: "reminder_seen"
        case .signedOut: "signed_out"
        case .drain: "drain"
        case .tagged(let frame, _): frame.word
        case .error: "error"
        case .unknown(let type): type
        }
    }
}
