import Blobs
import Bytes
import Crypto
import Family
import HTTP1
import Posix
import Store

/// A whole family as one file, for its parents.
///
/// | path | methods | purpose |
/// | --- | --- | --- |
/// | `/families/<id>/export` | GET HEAD OPTIONS | the archive (`proto/archive.md`); `?private=yes`: with birth dates and consents |
enum FamilyRoutes {
    static func all(_ services: RequestServices, _ exports: FamilyExports) -> [RouteGroup.Resource] {
        [RouteGroup("/families/{id}", .account).resource("/export", .get { .handler(FamilyExport($0, services, exports)) })]
    }
}

/// Makes the archives that parents ask for: one at a time, together with the host's exports, and rarely for one family,
/// because each reads the whole family.
final class FamilyExports {
    /// Milliseconds between the beginnings of two archives of one family.
    static let interval: Int64 = 60_000
    /// Octets that must stay free beside an archive.
    private static let reserve: Int64 = 64 << 20
    /// The largest number of families that are remembered.
    private static let maxFamilies = 1_024

    private let transfers: Transfers
    /// The data folder.
    private let folder: String
    private var begunAt: [Identifier: Int64] = [:]

    init(transfers: Transfers, folder: String) {
        self.transfers = transfers
        self.folder = folder
    }

    /// Begins an archive.
    ///
    /// - Parameters:
    ///   - workers: their pending jobs receive the result.
    ///   - then: called on the reactor's thread; `nil` if the server ends.
    func start(_ family: Identifier, _ permit: ExportPermit, isPrivate: Bool, now: Int64, _ workers: Workers, then: @escaping (Result<ExportedArchive, Rejection>?) -> Void) {
        if let before = begunAt[family], now - before < Self.interval {
            return then(.failure(Rejection(.rateLimited, "A copy of this family was made a moment ago. Try again in a minute", retryAfter: Self.interval - (now - before))))
        }
        let file: OpenFile
        do throws(Errno) {
            guard Int64(try Files.freeSpace(folder)) - permit.octets > Self.reserve else { return then(.failure(.storageFull)) }
            let path = folder + "/export-\(Random.identifier(milliseconds: Clock.wallMilliseconds())).tar"
            file = OpenFile(try Files.createForUpdating(path))
            try Files.remove(path)
        } catch {
            return then(.failure(.storageFull))
        }
        let isTaken = workers.start { [transfers] ticket in
            transfers.start(family, isPrivate: isPrivate, by: permit.member, into: file) { .jobEnded(ticket, $0) }
        } then: { (result: Result<ExportedArchive, Rejection>?) in then(result) }
        guard isTaken else { return }
        if begunAt.count >= Self.maxFamilies { begunAt = begunAt.filter { now - $0.value < Self.interval } }
        if begunAt.count < Self.maxFamilies { begunAt[family] = now }
    }
}

@available(*, unavailable) extension FamilyExports: Sendable {}

/// `/families/<id>/export`
final class FamilyExport: RequestHandler {
    private let services: RequestServices
    private let exports: FamilyExports

    init(_ context: RequestContext, _ services: RequestServices, _ exports: FamilyExports) {
        self.services = services
        self.exports = exports
        super.init(context)
    }

    private static let fields = [
        Field("Content-Type", "application/x-tar"), Field("Content-Disposition", AttachmentName.disposition("family.tar")), Field("Cache-Control", "no-store"),
        Field("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    override func begin() {
        let isPrivate: Bool
        switch context.query("private") {
        case nil, "no"?: isPrivate = false
        case "yes"?: isPrivate = true
        default: return respond(HTTPResponse(Rejection(.invalid, "private must be yes or no", field: "private")))
        }
        // An id of another form belongs to nobody.
        let family = Identifier(context.path["id"]) ?? Identifier(high: 0, low: 0)
        guard let signIn = context.signIn else { return }
        services.read(for: self) { reader throws(StoreFailure) in
            try reader.checkExport(family, by: signIn, isPrivate: isPrivate)
        } then: { [self] permit in
            switch permit {
            case .failure(let rejection): respond(HTTPResponse(rejection))
            case .success(let permit):
                guard context.head.method == "GET" else { return respond(HTTPResponse(200, Self.fields)) }
                make(family, permit, isPrivate: isPrivate)
            }
        }
    }

    private func make(_ family: Identifier, _ permit: ExportPermit, isPrivate: Bool) {
        exports.start(family, permit, isPrivate: isPrivate, now: services.now, services.workers) { [self] made in
            guard isOpen else { return }
            // The session may have ended in the meantime.
            if let refusal = services.refusal(of: context.identity) { return respond(refusal) }
            switch made {
            case nil: respond(HTTPResponse(refusal: .busy))
            case .failure(let rejection)?: respond(HTTPResponse(rejection))
            case .success(let archive)?:
                var response = HTTPResponse(200, Self.fields)
                response.file = FileContent(archive.file, key: family, pieces: [.part(0..<archive.octets)])
                respond(response)
            }
        }
    }
}
