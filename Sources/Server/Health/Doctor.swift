import Family
import Posix
import Store
package import TLS

/// `huddled doctor`: the checks of a running server, or those that are possible without one.
package enum Doctor {
    /// - Parameters:
    ///   - settings: the bounds for a server that does not run; a running server has its own.
    ///   - certificates: the certificates of a server that does not run.
    /// - Throws: a sentence, if nothing could be checked.
    package static func run(
        dataFolder path: String, settings: HealthSettings, certificates: [TLSCertificateFiles]
    ) throws(ServerError) -> HealthReport {
        guard Files.exists(DataFolder.databasePath(in: path)) else {
            throw ServerError("There is no database in \(path). Give the data folder of a server.")
        }
        do throws(ServerError) {
            if let answer = try AdminGate.ask(.doctor, socket: DataFolder.socketPath(in: path), nil) {
                guard case .success(.health(let report)) = answer else {
                    throw ServerError("The server has another version than this program, so its answer cannot be read.")
                }
                return report
            }
        } catch {
            // The server listens but sends nothing, or nothing readable.
            return HealthReport([.silentLoop(error.sentence)] + machine(path, settings, certificates))
        }
        do throws(Errno) {
            // The lock is released immediately, so that no starting server finds it taken.
            _ = try Files.lock(folder: path)
        } catch {
            guard error == .locked else { throw ServerError("\(path) cannot be used: \(error.text).") }
            return HealthReport([.silentLoop("nothing listens there.")] + machine(path, settings, certificates))
        }
        return HealthReport([.database(problem: problem(path))] + machine(path, settings, certificates), isRunning: false)
    }

    private static func problem(_ path: String) -> String? {
        do throws(StoreFailure) {
            _ = try ServerDatabase.openCheck(in: path)
            return nil
        } catch { return "\(error)" }
    }

    private static func machine(_ path: String, _ settings: HealthSettings, _ certificates: [TLSCertificateFiles]) -> [HealthCheck] {
        let reading = MachineProbe.read(path)
        return [
            .disk(free: reading.free, floor: settings.freeSpaceFloor),
            .folder(mode: reading.mode),
            .zones(arePresent: reading.hasZones),
            certificate(certificates),
            .backup(age: reading.backupAt.map { max(Clock.wallMilliseconds() - $0, 0) }, most: settings.backupMaxAge),
        ]
    }

    private static func certificate(_ files: [TLSCertificateFiles]) -> HealthCheck {
        guard !files.isEmpty else { return .certificate(days: nil) }
        do throws(ServerError) {
            return .certificate(days: try Certificates(files, log: Log { _ in }).daysLeft)
        } catch { return .certificate(problem: error.sentence) }
    }
}
