import Posix

/// Makes a picture of a document's file.
struct ThumbnailMaker: Sendable {
    enum Outcome: Equatable, Sendable {
        case image([UInt8])
        /// The file is such that nothing comes of it.
        case failed
        /// Not now: the machine has no room, or the server ends.
        case postponed
    }

    /// Whether files of a media type can have one.
    var covers: @Sendable (_ mediaType: String) -> Bool
    /// Takes the seconds that it takes.
    var make: @Sendable (_ path: String, _ mediaType: String, _ isStopped: @Sendable () -> Bool) -> Outcome

    /// Where no program is: icons at the client.
    static let none = ThumbnailMaker(covers: { _ in false }, make: { _, _, _ in .postponed })
}

/// Other people's programs that show the first page or frame, where they are installed, each run confined: it sees the one file and the
/// programs of the system, has no network, starts nothing, changes nothing, and ends in time.
enum ThumbnailTools {
    /// Seconds on the clock, and of a processor.
    static let seconds = 10
    /// Octets of address space: what ffmpeg takes with its libraries and a frame of 3840 by 2160 points.
    static let memory: UInt = 1 << 30
    /// What programs need to run at all: themselves, libraries, fonts.
    private static let system = ["/usr", "/lib", "/lib64", "/bin", "/etc/fonts", "/etc/ld.so.cache", "/etc/alternatives", "/var/cache/fontconfig", "/dev/null", "/dev/urandom"]

    /// What is made with what: Debian's poppler-utils and ffmpeg.
    static let known: [(tool: String, mediaTypes: Set<String>)] = [
        ("pdftoppm", ["application/pdf"]), ("ffmpeg", ["video/mp4", "video/quicktime", "video/x-msvideo"]),
    ]

    /// Looks for the programs along `PATH`, once, and tells what was found.
    static func find(_ log: Log) -> ThumbnailMaker {
        guard Confinement.isPossible else {
            log(.info, "thumbnails", [.init("made", "no"), .init("reason", "the kernel has no Landlock")])
            return .none
        }
        var paths: [String: String] = [:]
        for (tool, mediaTypes) in known {
            let path = folders.lazy.map { "\($0)/\(tool)" }.first { Files.isExecutable($0) }
            for mediaType in mediaTypes { paths[mediaType] = path }
        }
        func tells(_ mediaType: String) -> String { paths[mediaType] == nil ? "no" : "yes" }
        log(.info, "thumbnails", [.init("pdf", tells("application/pdf")), .init("video", tells("video/mp4"))])
        return maker(paths, ["/proc/self/exe"])
    }

    private static var folders: [String] {
        (Environment.value("PATH") ?? "/usr/bin:/bin").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }

    /// - Parameters:
    ///   - paths: of the programs, by media type.
    ///   - launcher: `huddled`, which has the command `confine`.
    static func maker(_ paths: [String: String], _ launcher: [String]) -> ThumbnailMaker {
        ThumbnailMaker(covers: { paths[$0] != nil }) { file, mediaType, isStopped in
            guard let tool = paths[mediaType], let folder = tool.lastIndex(of: "/") else { return .postponed }
            let own = String(tool[..<folder])
            let words = launcher + ["confine", "\(Environment.processNumber)", "\(seconds)", "\(memory)"] + system + [own, file, "--", tool]
            // The libraries of a launcher that was not linked with them; it hands nothing of this on.
            let environment = Environment.value("LD_LIBRARY_PATH").map { ["LD_LIBRARY_PATH=\($0)"] } ?? []
            do throws(Errno) {
                let captured = try ChildProcess.capture(
                    words + arguments(file, mediaType), environment: environment, limit: Thumbnail.maxOctets, timeoutMilliseconds: seconds * 1_000,
                    isStopped: isStopped)
                switch captured {
                case .ended(.exited(0), let output) where Thumbnail.isAcceptable(output): return .image(output)
                case .stopped: return .postponed
                case .ended, .tooMuch, .late: return .failed
                }
            } catch { return .postponed }
        }
    }

    /// What the program is asked for: the first page or frame as JPEG on its standard output.
    static func arguments(_ file: String, _ mediaType: String) -> [String] {
        let side = Thumbnail.maxSide
        if mediaType == "application/pdf" {
            return ["-q", "-f", "1", "-l", "1", "-singlefile", "-scale-to", "\(side)", "-jpeg", file]
        }
        // The kind of the file is known: a playlist that poses as a video, and would name other files, is none of it.
        let format = mediaType == "video/x-msvideo" ? "avi" : "mov"
        return [
            "-nostdin", "-hide_banner", "-loglevel", "quiet", "-threads", "1", "-filter_threads", "1", "-protocol_whitelist", "file,pipe", "-f", format,
            "-i", "file:\(file)", "-map", "0:v:0", "-frames:v", "1",
            "-vf", "scale=w='min(\(side),iw)':h='min(\(side),ih)':force_original_aspect_ratio=decrease", "-threads", "1", "-pix_fmt", "yuvj420p", "-c:v",
            "mjpeg", "-f", "image2pipe", "pipe:1",
        ]
    }
}
