import Glibc

/// The target from the environment; the fuzzer's own command line is libFuzzer's.
private let target: FuzzTarget = {
    let name = getenv("HUDDLE_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.named(name) else {
        fatalError("HUDDLE_FUZZ_TARGET is one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
    }
    return target
}()

/// One input, from libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ octets: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try target.run(Array(UnsafeBufferPointer(start: octets, count: count)))
    } catch {
        fatalError("\(target.name): \(error)")
    }
    return 0
}
