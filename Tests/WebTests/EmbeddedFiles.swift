import EngineScripts
import Posix

/// The C file that embeds the web client, written from what is in its folder.
enum EmbeddedFiles {
    static let path = NodeProgram.root + "/Sources/CWebClient/CWebClient.c"

    /// All files of the folder, by path.
    static func paths(in folder: String = NodeProgram.root + "/Sources/WebClient/site", under prefix: String = "") throws -> [String] {
        try Files.list(folder).sorted().flatMap { name in
            let path = folder + "/" + name
            let isFolder = try Files.status(path)?.kind == .folder
            return isFolder ? try paths(in: path, under: prefix + name + "/") : [prefix + name]
        }.sorted()
    }

    static var text: String {
        get throws {
            let paths = try paths()
            let arrays = paths.enumerated().map { number, path in
                "static const unsigned char file\(number)[] = {\n#embed \"../WebClient/site/\(path)\"\n};\n"
            }
            let rows = paths.enumerated().map { number, path in "    {\"\(path)\", file\(number), sizeof file\(number)},\n" }
            return """
                // Written by a test from the folder Sources/WebClient/site (HUDDLE_WRITE_PROTO=1); not edited by hand.
                #include "CWebClient.h"
                #pragma clang diagnostic ignored "-Wc23-extensions"

                \(arrays.joined())
                static const webclient_file files[] = {
                \(rows.joined())};

                const webclient_file *webclient_files(size_t *count) {
                    *count = sizeof files / sizeof files[0];
                    return files;
                }

                """
        }
    }
}
