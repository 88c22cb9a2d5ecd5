/// The names in the folder of a backup, and of the folder of files that backups share.
enum BackupNames {
    static let manifest = "MANIFEST"
    static let database = "huddle.db"
    static let files = "files"
}

/// The reason why a backup cannot be used.
enum BackupFault: Error, Equatable {
    /// There is no manifest: the backup was never finished, or the folder is not a backup.
    case unfinished
    case manifest(String)
    /// The manifest has a format that this program does not know.
    case format(String)
    /// The database has a newer version.
    case newer(schema: Int, program: String)
    case missing(String)
    case changed(String)
    case unreadable(String, String)
    /// A whole sentence: the backup is good, but could not be restored.
    case failed(String)

    /// The end of a sentence that begins with the name of the backup.
    var text: String {
        switch self {
        case .unfinished: "has no \(BackupNames.manifest): it was not finished, or it is not a backup. Choose another one."
        case .manifest(let how): "cannot be used: its \(BackupNames.manifest) \(how). Choose another one."
        case .format(let format): "has the format \(format), and this program knows only format 1. Install the program that made it."
        case .newer(let schema, let program):
            "contains a database of version \(schema), made by huddled \(program), and this program knows version \(ServerDatabase.version). Install that program."
        case .missing(let file): "is incomplete: \(file) is missing. Choose another one."
        case .changed(let file): "cannot be used: \(file) is not the file that was saved; it was truncated or changed. Choose another one."
        case .failed(let sentence): sentence
        case .unreadable(let file, let why): "cannot be read: \(file): \(why). Check the disk, or choose another one."
        }
    }
}
