internal import Bytes
internal import Posix
internal import SQLite

/// How somebody likes to see things.
extension Cache {
    /// Longest word that is kept, characters.
    static let maxSetting = 200

    /// Keeps one, or forgets it (`nil`). Not synced: a power cut costs a look.
    package func keep(_ value: String?, as setting: ViewSetting) throws {
        try transaction(synchronously: false) {
            if let value {
                try database.run("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", .text(setting.rawValue), .text(String(value.prefix(Self.maxSetting))))
            } else {
                try database.run("DELETE FROM setting WHERE name = ?", .text(setting.rawValue))
            }
        }
    }

    /// All that are kept; those that a newer program wrote are passed over.
    package func settings() -> [ViewSetting: String] { (try? Self.settings(in: database)) ?? [:] }

    /// Those of a member, for a process that only looks.
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
