/// An archive of a family in a file that has no name any more: it is gone when nobody reads it.
struct ExportedArchive: Sendable {
    let file: OpenFile
    let octets: Int
}
