import Glibc

/// The folder `proto/` of this package.
enum ProtoFolder {
    /// `HUDDLE_WRITE_PROTO=1 swift test --filter SchemaDocumentTests` writes the generated files instead of comparing them.
    static var isWriting: Bool { getenv("HUDDLE_WRITE_PROTO").map { String(cString: $0) } == "1" }

    static func path(_ name: String, file: String = #filePath) -> String {
        // …/Tests/WireTests/ProtoFolder.swift
        file.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/") + "/proto/" + name
    }

    /// `nil` when there is no such file.
    static func read(_ name: String) -> [UInt8]? {
        guard let stream = fopen(path(name), "rb") else { return nil }
        defer { fclose(stream) }
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, stream)
            guard count > 0 else { return octets }
            octets += chunk[0..<count]
        }
    }

    static func write(_ name: String, _ octets: [UInt8]) -> Bool {
        let parts = path(name).split(separator: "/", omittingEmptySubsequences: false)
        for count in 2..<parts.count { mkdir(parts[0..<count].joined(separator: "/"), 0o755) }
        guard let stream = fopen(path(name), "wb") else { return false }
        defer { fclose(stream) }
        return fwrite(octets, 1, octets.count, stream) == octets.count
    }

    /// Names of the JSON files in a folder, in order.
    static func names(in folder: String) -> [String] {
        guard let directory = opendir(path(folder)) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".json") { names.append(name) }
        }
        return names.sorted()
    }
}
