import Documents
import Family
import Posix
import Testing

@Suite("The speed of a transfer, and its remaining time")
struct TransferMeterTests {
    @Test("Percent, rate and time come from the reports; short measurements do not count")
    func meter() {
        var meter = TransferMeter(total: 104_857_600, octets: 10_485_760, now: 0)
        #expect(meter.line(columns: 0) == "10%")
        meter.report(11_000_000, now: 100)
        #expect(meter.rate == nil)
        meter.report(20_971_520, now: 1_000)
        #expect(meter.rate == 10_485_760)
        #expect(meter.remaining == 8)
        #expect(meter.line(columns: 0) == "20%  10 MB/s  0:08 left")
        #expect(meter.line(columns: 45) == "[###---------------] 20%  10 MB/s  0:08 left")
        meter.report(104_857_600, now: 9_000)
        #expect(meter.percent == 100)
        #expect(meter.remaining == 0 && meter.line(columns: 0) == "100%  being checked")
    }

    @Test("R138 Bursts and the kernel's first buffers do not make the figures jump", arguments: [1_000, 250, 100])
    func calm(step: Int64) throws {
        // 1 MB per second on average: all of two seconds' octets in the first of them, and 2 MB into the kernel
        // immediately.
        var meter = TransferMeter(total: 60_000_000, now: 0)
        var shown: [Int64] = []
        for now in stride(from: step, through: 50_000, by: Int(step)) {
            let gust = now / 2_000 * 2_000_000 + min(now % 2_000, 1_000) * 2_000
            meter.report(2_000_000 + gust, now: now)
            if now >= 10_000, let remaining = meter.remaining { shown.append(remaining) }
        }
        #expect(shown.count > 30)
        for (index, remaining) in shown.enumerated() {
            let truth = 60 - 2 - (10_000 + Int64(index) * step) / 1_000
            #expect(abs(remaining - truth) <= max(truth / 3, 4), "\(remaining) s are shown where \(truth) s are left")
        }
        for (before, after) in zip(shown, shown.dropFirst()) { #expect(after <= before + before / 6 + 1, "from \(before) s to \(after) s") }
    }

    @Test("Long times are shown in steps", arguments: [(Int64(59), "0:59"), (61, "1:05"), (119, "2:00"), (599, "10:00"), (600, "10 min"), (3_601, "61 min")])
    func steps(seconds: Int64, words: String) {
        var meter = TransferMeter(total: 1_000 + seconds * 1_000, now: 0)
        meter.report(1_000, now: 1_000)
        #expect(meter.line(columns: 0).hasSuffix("  \(words) left"), "\(meter.line(columns: 0))")
    }

    @Test("A restart does not count for the rate, and a stalled transfer has no remaining time")
    func backwards() {
        var meter = TransferMeter(total: 1_000, octets: 900, now: 0)
        meter.report(0, now: 10_000)
        #expect(meter.rate == nil)
        #expect(meter.percent == 0)
        meter.report(0, now: 20_000)
        #expect(meter.remaining == nil)
    }

    @Test("An almost complete transfer is below 100 percent", arguments: [(Int64(999_999), 99), (1_000_000, 100), (0, 0), (9_999, 0), (10_000, 1)])
    func percent(octets: Int64, percent: Int) {
        #expect(TransferMeter(total: 1_000_000, octets: octets, now: 0).percent == percent)
    }

    @Test("Sizes are readable for people", arguments: [
        (Int64(-1), "0 B"), (0, "0 B"), (1_023, "1023 B"), (1_024, "1 KB"), (1_536, "1.5 KB"), (104_857_600, "100 MB"),
        (1_048_575, "1 MB"), (157_286_400, "150 MB"), (5_368_709_120, "5 GB"), (.max, "8388608 TB"),
    ])
    func sizes(octets: Int64, text: String) {
        #expect(ByteCount.text(octets) == text)
    }
}

@Suite("Names of downloads")
struct DownloadNameTests {
    @Test("A name from elsewhere becomes a single part, visible, not an option, safe for a terminal", arguments: [
        ("transcript.pdf", "transcript.pdf"), ("../../etc/passwd", "_.._etc_passwd"), (".bashrc", "bashrc"), ("-rf", "rf"),
        ("a\\b", "a_b"), ("", "document"), ("...", "document"), ("a\u{1B}[2Jb.pdf", "a_[2Jb.pdf"), ("x\u{202E}fdp.exe", "x_fdp.exe"),
    ])
    func safe(name: String, kept: String) {
        #expect(DocumentDownload.safeName(name) == kept)
    }

    @Test("The server accepts a title made from a file's name")
    func title() {
        #expect(NewUpload.title(ofFile: "\u{200E}Fall\u{200B}_highlights\u{AD}.mp4") == "Fall highlights")
    }

    @Test("A download overwrites nothing")
    func free() {
        let taken: Set = ["a.pdf", "a (2).pdf", "b"]
        #expect(DocumentDownload.freeName("a.pdf", exists: taken.contains) == "a (3).pdf")
        #expect(DocumentDownload.freeName("b", exists: taken.contains) == "b (2)")
        #expect(DocumentDownload.freeName("c.pdf", exists: taken.contains) == "c.pdf")
    }

    @Test("A download goes into a folder under its own name, and next to an existing file")
    func places() throws {
        let folder = try Files.makeTemporaryFolder()
        defer { try? Files.removeTree(folder) }
        #expect(DocumentDownload.place("a.pdf", folder) == folder + "/a.pdf" && DocumentDownload.place("a.pdf", folder + "/b.pdf") == folder + "/b.pdf")
        try Files.write([1], to: folder + "/a.pdf")
        #expect(DocumentDownload.place("a.pdf", folder + "/") == folder + "/a (2).pdf" && DocumentDownload.place("a.pdf", folder + "/a.pdf") == folder + "/a.pdf")
        #expect(DocumentDownload.freePath(folder + "/a.pdf") == folder + "/a (2).pdf" && DocumentDownload.freePath("/nowhere/x") == "/nowhere/x")
    }

    @Test("A long name keeps its extension and fits any file system")
    func long() {
        let name = DocumentDownload.safeName(String(repeating: "é", count: 300) + ".pdf")
        #expect(name.hasSuffix(".pdf"))
        #expect(name.utf8.count <= 200)
    }
}
