import Glibc

@main
enum ServerProgram {
    // Only this line: a C callback written inside a `main` would belong to the main actor.
    static func main() { exit(run(Array(CommandLine.arguments.dropFirst()))) }
}
