internal import Bytes
internal import Posix
internal import SQLite

/// The user's display settings.
extension Cache {
    /// The length of the longest value, in characters.
    static let maxSetting = 200

    /// Stores a setting, or deletes it (`nil`). Not synced: a power cut loses only a display setting.
    package func keep(_ value: String?, as setting: ViewSetting) throws {
        try transaction(synchronously: false) {
            if let value {
                try database.run("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", .text(setting.rawValue), .text(String(value.prefix(Self.maxSetting))))
            } else {
                try database.run("DELETE FROM setting WHERE name = ?", .text(setting.rawValue))
            }
        }
    }

    /// All stored settings; settings from a newer program are skipped.
    package func settings() -> [ViewSetting: String] { (try? Self.settings(in: database)) ?? [:] }

    /// The settings of a member, for a process that only reads.
    static func settings(_ place: CachePlace, _ member: Identifier) -> [ViewSetting: String] {
        let path = "\(place.folder(of: member))/\(fileName)"
        return (try? databaseForLooking(path).map { try settings(in: $0) }) ?? [:]
    }

    private static func settings(in database: Database) throws -> [ViewSetting: String] {
        var found: [ViewSetting: String] = [:]
        try database.prepare("SELECT name, value FROM setting").each { row in
            if let setting = ViewSetting(rawValue: row.text(0)) { found[setting] = row.text(1) }
        }
        return found
    }
}
