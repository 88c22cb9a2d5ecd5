#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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

int linux_rename_new(const char *path, const char *other) {
    // RENAME_NOREPLACE
    return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, 1u);
}

ssize_t linux_read_cached(int file, void *octets, size_t count, off_t offset) {
    struct iovec piece = {.iov_base = octets, .iov_len = count};
    return preadv2(file, &piece, 1, offset, RWF_NOWAIT);
}

ssize_t linux_write_direct(int file, const void *octets, size_t count, off_t offset) {
    int flags = fcntl(file, F_GETFL);
    if (flags < 0 || fcntl(file, F_SETFL, flags | O_DIRECT) < 0) { return -1; }
    ssize_t done = pwrite(file, octets, count, offset);
    int code = errno;
    fcntl(file, F_SETFL, flags);
    errno = code;
    return done;
}

ssize_t linux_send_file(int socket, int file, off_t offset, size_t count) {
    return sendfile(socket, file, &offset, count);
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

void linux_let_others_first(int nice) {
    if (getpriority(PRIO_PROCESS, 0) < nice) setpriority(PRIO_PROCESS, 0, nice);
}

ssize_t linux_send_descriptor(int socket, const void *octets, size_t count, int descriptor) {
    struct iovec piece = {.iov_base = (void *)octets, .iov_len = count};
    union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &descriptor, sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t linux_receive_descriptor(int socket, void *octets, size_t count, int *descriptor) {
    struct iovec piece = {.iov_base = octets, .iov_len = count};
    union { struct cmsghdr head; char room[CMSG_SPACE(4 * sizeof(int))]; } control;
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    *descriptor = -1;
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) { return got; }
    for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) { continue; }
        size_t found = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t place = 0; place < found; place++) {
            int one;
            memcpy(&one, CMSG_DATA(head) + place * sizeof(int), sizeof(int));
            if (*descriptor < 0) { *descriptor = one; } else { close(one); }
        }
    }
    return got;
}
