/// Certificates and keys in PEM, good for a hundred years and for nothing but these tests.
package enum PEM {
    /// For `localhost` and 127.0.0.1; signed itself.
    package static let localhost = """
        -----BEGIN CERTIFICATE-----
        MIIBmzCCAUGgAwIBAgIUOLmSUft+cBvVysaM7RQfgmoOM2QwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA2MDUyM1oYDzIxMjYxMDI4
        MDYwNTIzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAATyvx9KSIajzi3Qo0aWm7B7AS5CWFLEATVGRZKNzKQGeUY8gc+fU22Y
        1ggodJ7D+F8TLHnf3TQYg6CsA+MiXAwfo28wbTAdBgNVHQ4EFgQU5Xd+nEHs8o4d
        tbn0ZSek2QZnMAUwHwYDVR0jBBgwFoAU5Xd+nEHs8o4dtbn0ZSek2QZnMAUwDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDSAAwRQIhAP4rQfjM/2320soUQLGV2N+4eVmqnub7qBKa6xlrgH3IAiA4
        Evv9uZZGluvFM9vduLEB9Lf+IDOSCpogpyJJrXmHDA==
        -----END CERTIFICATE-----
        """

    /// Of `localhost`.
    package static let localhostKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjHlfZ+xpRNXhQg52
        EKK/jQqH0xQyAq34sG1R1wDEUvWhRANCAATyvx9KSIajzi3Qo0aWm7B7AS5CWFLE
        ATVGRZKNzKQGeUY8gc+fU22Y1ggodJ7D+F8TLHnf3TQYg6CsA+MiXAwf
        -----END PRIVATE KEY-----
        """

    /// Belongs to no certificate here.
    package static let otherKey = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIAxL5Kh+dttRfmd6CWhoEuaczcNEOdVz6E4WcRW/ndjToAoGCCqGSM49
        AwEHoUQDQgAEtmOa6i655V4fx7xmEH3Y2thFZzIow7aUkZ3Y4Zm6AgIQSAK+BpGU
        /LKtqBp3ff1VRwjGwy4L4PdksHjgBCSsjw==
        -----END EC PRIVATE KEY-----
        """

    /// Behind a pass phrase.
    package static let lockedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi/VcI0yb3s2gICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEGHhRAcOkyF3xvgtzdv2jpAEgZBz
        1g/gmXrdUfOwbECJo6S/3XzBKP+W0N3bEiUi59QSg34+AQ5ufTGl293/9a9LBFf9
        J3zrFiQUMfEHUYZQjHQhmW5r5ObSj/632HNjK9KU1jNY40lra/wSD4Q+VgYMvyj9
        tJ9zpHjGnda92SMbWwQgDU5iopgJ3iIoPxuYR+tKxw/VZZPpJGzsa5WjFRLNgwc=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// Signed those below.
    package static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBpzCCAU2gAwIBAgIUYbcgF+yOusV2dkictnrle3UqozAwCgYIKoZIzj0EAwIw
        IDEeMBwGA1UEAwwVSHVkZGxlIHRlc3QgYXV0aG9yaXR5MCAXDTI2MTEyMTA4MDMy
        NVoYDzIxMjYxMDI4MDgwMzI1WjAgMR4wHAYDVQQDDBVIdWRkbGUgdGVzdCBhdXRo
        b3JpdHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQJ9iiIztfDZMPxoWrbw5V6
        uRCc1urokcG1G9h3Tk9Xe2ufQWA/TCRH7ni3UWfJa6lzvQoU5I29dl2b5T8EIz+H
        o2MwYTAdBgNVHQ4EFgQU01Ht3pSChdnlMPDMqzL34BDL+B8wHwYDVR0jBBgwFoAU
        01Ht3pSChdnlMPDMqzL34BDL+B8wDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8E
        BAMCAgQwCgYIKoZIzj0EAwIDSAAwRQIhANeT5+OWsHG0w3SRw8OFrOGiZHDW3nZt
        GN/4yvS36iFYAiBfgq0/SyVcCzYinnZT5M9OKv8tBIM4vwIshEacH1ANNg==
        -----END CERTIFICATE-----
        """

    /// For `localhost` and 127.0.0.1, by the authority.
    package static let local = """
        -----BEGIN CERTIFICATE-----
        MIIBnTCCAUOgAwIBAgIUCUy3JGuKvHM0KNgLpLQklPXkI6owCgYIKoZIzj0EAwIw
        IDEeMBwGA1UEAwwVSHVkZGxlIHRlc3QgYXV0aG9yaXR5MCAXDTI2MTEyMTA4MDMy
        NVoYDzIxMjYxMDI4MDgwMzI1WjAQMQ4wDAYDVQQDDAVsb2NhbDBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABI7xgYiNsOs3BcbxDxRlCNWt+/1oPCR7oUnlgBY7G+JM
        f5Mv/KaMqyw18l9H4/lGaN4AbI39FdPflGTb0d3Cvs6jaTBnMBoGA1UdEQQTMBGC
        CWxvY2FsaG9zdIcEfwAAATAJBgNVHRMEAjAAMB0GA1UdDgQWBBRjP1CbPs9wTGpg
        jHSSupYeJBuo9zAfBgNVHSMEGDAWgBTTUe3elIKF2eUw8MyrMvfgEMv4HzAKBggq
        hkjOPQQDAgNIADBFAiAM4C9r/457d99Ej24ArN0UnPi0Ym8mXP6b4fGaopaQQQIh
        AOGyjDXkPSztSTw3mfdYXKrGTec+9EIyq5Rvn3j6gV/Q
        -----END CERTIFICATE-----
        """

    /// Of `local`.
    package static let localKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqUD5kkW0L4BKDDq9
        QN3qSGSOE0neK4H9JJ98eU0E5/ihRANCAASO8YGIjbDrNwXG8Q8UZQjVrfv9aDwk
        e6FJ5YAWOxviTH+TL/ymjKssNfJfR+P5RmjeAGyN/RXT35Rk29Hdwr7O
        -----END PRIVATE KEY-----
        """

    /// For `club.example`, by the authority.
    package static let club = """
        -----BEGIN CERTIFICATE-----
        MIIBmTCCAT+gAwIBAgIUCUy3JGuKvHM0KNgLpLQklPXkI6swCgYIKoZIzj0EAwIw
        IDEeMBwGA1UEAwwVSHVkZGxlIHRlc3QgYXV0aG9yaXR5MCAXDTI2MTEyMTA4MDMy
        NVoYDzIxMjYxMDI4MDgwMzI1WjAPMQ0wCwYDVQQDDARjbHViMFkwEwYHKoZIzj0C
        AQYIKoZIzj0DAQcDQgAE3+uNGOD2LwCq2nrBFtu7S0fNDVbsf9x7zNluaZO4PJ/o
        5aKepbZBav+qo5qbvOV5WHNy/6gNiAcmZAop/CkjqKNmMGQwFwYDVR0RBBAwDoIM
        Y2x1Yi5leGFtcGxlMAkGA1UdEwQCMAAwHQYDVR0OBBYEFCJhTuzVwUzHLKtPcXE0
        i9EhYcU9MB8GA1UdIwQYMBaAFNNR7d6UgoXZ5TDwzKsy9+AQy/gfMAoGCCqGSM49
        BAMCA0gAMEUCIQDdzRaJYU5O0xv7hokjX8CcByj1D0JD6pgfcrvLmsenIwIgbpjo
        hVn0cazkU951NlpaIgExMiL9B7qM47mEUbnh5GA=
        -----END CERTIFICATE-----
        """

    /// Of `club`.
    package static let clubKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgs0FSygvVSUeCsnVq
        GxJofz3v7yzmVnUryHsZyMbS+PehRANCAATf640Y4PYvAKraesEW27tLR80NVux/
        3HvM2W5pk7g8n+jlop6ltkFq/6qjmpu85XlYc3L/qA2IByZkCin8KSOo
        -----END PRIVATE KEY-----
        """

    /// For `families.example` and `*.families.example`, by the authority.
    package static let families = """
        -----BEGIN CERTIFICATE-----
        MIIBtDCCAVugAwIBAgIUCUy3JGuKvHM0KNgLpLQklPXkI6wwCgYIKoZIzj0EAwIw
        IDEeMBwGA1UEAwwVSHVkZGxlIHRlc3QgYXV0aG9yaXR5MCAXDTI2MTEyMTA4MDMy
        NVoYDzIxMjYxMDI4MDgwMzI1WjATMREwDwYDVQQDDAhmYW1pbGllczBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABG3CD404E2Iapud9XXg1htcGCSEYxSprY9uOSeYW
        fLIs3QN5sNQSxJWCubYDNKzGiBe/fdgks0UfrMl5LKy4M02jfjB8MC8GA1UdEQQo
        MCaCEiouZmFtaWxpZXMuZXhhbXBsZYIQZmFtaWxpZXMuZXhhbXBsZTAJBgNVHRME
        AjAAMB0GA1UdDgQWBBQIIz4Dzw3BZZPzCAsg6gTif5967zAfBgNVHSMEGDAWgBTT
        Ue3elIKF2eUw8MyrMvfgEMv4HzAKBggqhkjOPQQDAgNHADBEAiA1XanWzNaHTpBJ
        PPSuaeMgMOQlaU7+86nMvJ/LNrqgPwIgI+W51muNQmNsfuzpEoD1Ot3wsWeym9xG
        fLpDGpONG2M=
        -----END CERTIFICATE-----
        """

    /// Of `families`.
    package static let familiesKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgYwINmu/djwbdxijy
        NJaH5v8ssf5GrFUQ0eDmO0UAvUKhRANCAARtwg+NOBNiGqbnfV14NYbXBgkhGMUq
        a2PbjknmFnyyLN0DebDUEsSVgrm2AzSsxogXv33YJLNFH6zJeSysuDNN
        -----END PRIVATE KEY-----
        """
}
