#define _GNU_SOURCE
#include "CLinux.h"
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int linux_accept(int listener) {
    return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int linux_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

int linux_pidfd(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

char **linux_environment(void) {
    return environ;
}

const char *linux_error_name(int code) {
    return strerrorname_np(code);
}

const char *linux_error_text(int code) {
    return strerrordesc_np(code);
}

void linux_name_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}
