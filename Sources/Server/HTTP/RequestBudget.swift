import Bytes
import Family
import HTTP1
import EventLoop
import Rooms
import Store
import Wire

/// Counts the frames and HTTP requests of each address and each member against one limit.
///
/// Frames and requests of unknown clients count against their address; those of a session count against its member, in
/// the accounts of the hub.
final class RequestBudget {
    private let hub: Hub
    private let reactor: Reactor
    private var addresses = AddressRate.strangers

    init(hub: Hub, reactor: Reactor) {
        self.hub = hub
        self.reactor = reactor
    }

    /// Counts a frame or a request of an address.
    ///
    /// - Parameter address: as `AddressCounts.group` gives it; `nil` is not counted.
    /// - Returns: milliseconds to wait if it is above the limit.
    func take(from address: NetworkAddress?) -> Int64? { addresses.take(address, now: reactor.now) }

    /// Counts a request whose client is now known: against the member, and no longer against the address.
    ///
    /// - Returns: the reason why it is refused.
    func take(of identity: Identity, from address: NetworkAddress?) -> Rejection? {
        switch identity {
        case .anyone: return nil
        case .calendar(let access):
            guard let athlete = access.athletes.first else { return nil }
            addresses.giveBack(address)
            return hub.admit(WorkOwner(family: athlete.family, member: athlete.member), now: reactor.now)
        case .link(let document, let member):
            addresses.giveBack(address)
            return hub.admit(WorkOwner(family: document.family, member: member), now: reactor.now)
        case .session(let signIn):
            addresses.giveBack(address)
            // The request's family is not known yet: the first account that has something left pays.
            var refusal: Rejection?
            for membership in signIn.memberships {
                guard let denied = hub.admit(WorkOwner(family: membership.family, member: membership.member), now: reactor.now) else { return nil }
                refusal = refusal ?? denied
            }
            return refusal
        }
    }
}

@available(*, unavailable) extension RequestBudget: Sendable {}

extension Rejection {
    /// The refusal of a request from an address that has sent too many.
    static func tooManyRequests(_ wait: Int64) -> Rejection {
        Rejection(.rateLimited, "Too many requests. Try again in a moment.", retryAfter: wait)
    }
}
