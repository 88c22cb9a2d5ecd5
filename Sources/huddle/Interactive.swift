import Client

enum Interactive {
    static func run(_ invocation: Invocation, _ setting: Setting) throws -> ExitStatus { .done }
}
