import Dates
import Locks
import Posix
import EventLoop

/// Reads the state of the machine on a thread of its own, because a blocked disk blocks the thread that reads from it.
final class MachineProbe: Sendable {
    struct Reading: Equatable, Sendable {
        /// Octets; `nil` if they cannot be read.
        var free: Int?
        var hasZones: Bool
        /// The time at which the last good backup ended, UTC milliseconds.
        var backupAt: Int64?
        /// The data folder's permission bits.
        var mode: UInt32 = 0o700
    }

    /// The file in a data folder whose modification time is the end of the last good backup.
    static let backupFile = "backup.done"
    /// A zone that every version of the zone data has.
    private static let zone = "America/New_York"

    private let folder: String
    private let zones: String
    private let bell = BlockingQueue<Bool>(limit: 1)
    private let latest: Lock<(count: Int, reading: Reading)>

    /// - Parameters:
    ///   - folder: the data folder.
    ///   - zones: the folder of the zone data.
    init(folder: String, zones: String = MachineEnvironment.zoneFolder) {
        self.folder = folder
        self.zones = zones
        latest = Lock((1, Self.read(folder, zones: zones)))
        // Nobody waits for the thread's end: it may be in a call that does not return.
        _ = Thread.start(name: "probe") { [self] in
            while !bell.take(maximum: 1).isEmpty {
                let reading = Self.read(folder, zones: zones)
                latest.withLock { $0 = ($0.count + 1, reading) }
            }
        }
    }

    /// Begins a reading, unless one waits already.
    func ask() { _ = bell.put(true) }

    /// The newest reading, and the number of readings.
    var newest: (count: Int, reading: Reading) { latest.withLock { $0 } }

    func stop() { bell.close() }

    static func read(_ folder: String, zones: String = MachineEnvironment.zoneFolder) -> Reading {
        let file = try? Files.read("\(zones)/\(zone)", limit: ZoneRules.maxOctets)
        return Reading(
            free: try? Files.freeSpace(folder), hasZones: file.map { (try? ZoneRules(tzif: $0)) != nil } ?? false,
            backupAt: (try? Files.status("\(folder)/\(backupFile)")).flatMap(\.self)?.modified,
            mode: (try? Files.status(folder)).flatMap(\.self)?.mode ?? 0o700)
    }
}
