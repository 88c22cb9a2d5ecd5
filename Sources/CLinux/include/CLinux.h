#ifndef HUDDLE_CLINUX_H
#define HUDDLE_CLINUX_H
// What `import Glibc` does not show to Swift (see Posix and Reactor, the only users).
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#endif
