// One thread, one epoll: slots with generations, timers, mailboxes, outboxes, a fixed order of each tick.
