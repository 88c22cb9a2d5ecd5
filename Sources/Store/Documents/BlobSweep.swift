package import Blobs
import Bytes

/// The numbers of files that a sweep removed.
package struct Swept: Hashable, Sendable {
    /// Files that no document names any more.
    package var blobs = 0
    package var octets: Int64 = 0
    /// Other files: the remainder of an interrupted import.
    package var others = 0

    package init() {}
}

/// Removes files that no document names, beside a server that accepts uploads and a running copy of its folder. No file
/// that was in use less than a day ago is removed, so a copy of the blobs that ends within a day of a copy of the
/// database has every file that the database names.
package struct BlobSweep {
    /// Milliseconds that a file stays after nobody needs it: 24 hours (`semantics.md`, "Documents").
    package static let grace: Int64 = 86_400_000
    /// The number of files between two answers of the writer.
    private static let portion = 100

    private let reader: StoreReader
    private let blobs: BlobFolder
    private let uploads: UploadFolder

    package init(reader: StoreReader, blobs: BlobFolder, uploads: UploadFolder) {
        self.reader = reader
        self.blobs = blobs
        self.uploads = uploads
    }

    /// - Parameters:
    ///   - now: UTC milliseconds.
    ///   - isStopped: called between files.
    ///   - forget: reports removed files to the writer (`FamilyStore.forget`) and waits for it; `false` ends the sweep for
    ///     now.
    package func run(now: Int64, isStopped: () -> Bool = { false }, forget: ([BlobName]) throws -> Bool) throws -> Swept {
        let before = now - Self.grace
        var swept = Swept()
        while !isStopped() {
            let unused = try reader.unusedBlobs(before: before, limit: Self.portion)
            var gone: [BlobName] = []
            for (blob, octets) in unused {
                guard try blobs.remove(blob, unusedSince: before) else { continue }
                gone.append(blob)
                swept.octets += octets
            }
            swept.blobs += gone.count
            // The files that stayed are coming into use: their time comes later.
            guard !gone.isEmpty, try forget(gone), unused.count == Self.portion else { break }
        }
        let awaited = try uploads.awaited()
        try blobs.forEach { entry in
            if isStopped() { return }
            switch entry {
            case .blob(let blob, let octets, let modified):
                // The files of an unknown family are not swept, because the database may be the wrong one.
                guard modified < before, !awaited.contains(blob.sha256), try reader.isOrphan(blob) == .orphan,
                    try blobs.remove(blob, unusedSince: before)
                else { return }
                swept.blobs += 1
                swept.octets += octets
            case .stranger(let name, let modified):
                guard modified < before, name.hasSuffix(IncomingBlob.suffix) else { return }
                try blobs.removeStranger(name, unusedSince: before)
                swept.others += 1
            }
        }
        return swept
    }
}

@available(*, unavailable)
extension BlobSweep: Sendable {}

/// The database's knowledge of a file.
package enum BlobStanding: Hashable, Sendable {
    case known
    /// The family exists, and nothing in it names the file.
    case orphan
    case familyUnknown
}

extension StoreReader {
    /// Files that no record has named since before a time, the oldest first, with their octets.
    package func unusedBlobs(before: Int64, limit: Int) throws(StoreFailure) -> [(blob: BlobName, octets: Int64)] {
        try reading {
            try engine.blobs.unused(before: before, limit: limit).map { row in
                guard let blob = BlobName(family: row.family, sha256: row.blob.sha256) else { throw StoreFailure("a stored digest is damaged") }
                return (blob, row.blob.octets)
            }
        }
    }

    /// Whether a file may be removed because the database does not name it.
    package func isOrphan(_ blob: BlobName) throws(StoreFailure) -> BlobStanding {
        try reading {
            guard let key = try engine.families.find(blob.family)?.key else { return .familyUnknown }
            return try engine.blobs.octets(family: key, sha256: blob.sha256) == nil ? .orphan : .known
        }
    }
}

extension FamilyStore {
    /// Notes that files were removed, unless a document names them by now.
    ///
    /// - Returns: `false` if the disk is full; call again later.
    package func forget(_ gone: [BlobName]) throws(StoreFailure) -> Bool {
        let outcome = try transaction { _ in
            for blob in gone {
                guard let family = try family(blob.family) else { continue }
                try blobs.forget(family: family.key, sha256: blob.sha256)
            }
        }
        if case .done = outcome { return true }
        return false
    }

    /// Counts the documents of each file again, where the count was found wrong.
    package func recountBlobs() throws(StoreFailure) -> Bool {
        let outcome = try transaction { _ in try blobs.recount(at: environment.now()) }
        if case .done = outcome { return true }
        return false
    }
}
