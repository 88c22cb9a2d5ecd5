/// An archive of a family in a file without a name: the kernel deletes it when nobody has it open.
struct ExportedArchive: Sendable {
    let file: OpenFile
    let octets: Int
}
