/// A request about the files of documents. Names are looked up when the request is carried out.
package enum DocumentRequest: Hashable, Sendable {
    case upload([String], Description)
    case download(String, to: String?)
    case versions(String)
    /// `isSure`: an older link of the school is replaced without a question.
    case share(String, school: String, days: Int?, isSure: Bool)
    case shares(String)
    /// `school`: revokes only this school's link.
    case unshare(String, school: String?)
    case link(String)
    /// The whole family as an archive.
    case family(to: String, isPrivate: Bool)

    /// The fields of the documents to upload.
    package struct Description: Hashable, Sendable {
        package var type: String?
        package var title: String?
        package var school: String?
        package var text: String?
        package var replaces: String?
        package var athlete: String?
    }
}
