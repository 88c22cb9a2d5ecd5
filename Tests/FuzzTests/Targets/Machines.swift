extension FuzzTarget {
    static let machines: [FuzzTarget] = [
        FuzzTarget("hub") { octets in
            var machine = HubMachine(octets)
            try machine.run()
        },
        FuzzTarget("sync-engine") { octets in
            var machine = SyncMachine(octets)
            try machine.run()
        },
    ]
}
