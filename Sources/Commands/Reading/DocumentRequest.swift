/// What somebody wants done with documents' files; names are looked up when it is done.
package enum DocumentRequest: Hashable, Sendable {
    case upload([String], Description)
    case download(String, to: String?)
    case versions(String)
    case share(String, school: String, days: Int?)
    case shares(String)
    /// `school`: whose link alone.
    case unshare(String, school: String?)
    case link(String)

    /// What is said about files that go up.
    package struct Description: Hashable, Sendable {
        package var type: String?
        package var title: String?
        package var school: String?
        package var text: String?
        package var replaces: String?
        package var athlete: String?
    }
}
