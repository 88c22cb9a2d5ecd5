#ifndef HUDDLE_CLINUX_H
#define HUDDLE_CLINUX_H
// Functions that `import Glibc` does not show to Swift (see Posix and EventLoop, the only users).
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/types.h>

/// accept4(2) with SOCK_NONBLOCK and SOCK_CLOEXEC, without the peer's address.
int linux_accept(int listener);
/// pipe2(2) with O_CLOEXEC.
int linux_pipe(int ends[2]);
/// pidfd_open(2): readable once the process has ended.
int linux_pidfd(pid_t pid);
/// renameat2(2) with RENAME_NOREPLACE: EEXIST if the name exists, EINVAL if the file system does not support it.
int linux_rename_new(const char *path, const char *other);
/// sendmsg(2) of `count` octets with one descriptor (SCM_RIGHTS, unix(7)); returns the number of octets sent, or -1.
ssize_t linux_send_descriptor(int socket, const void *octets, size_t count, int descriptor);
/// recvmsg(2): `*descriptor` is the one that came with the octets, closed on exec, or -1. Further
/// descriptors are closed.
ssize_t linux_receive_descriptor(int socket, void *octets, size_t count, int *descriptor);
/// preadv2(2) with RWF_NOWAIT: octets that are in memory already; -1 with EAGAIN if the first is not.
ssize_t linux_read_cached(int file, void *octets, size_t count, off_t offset);
/// pwrite(2) with O_DIRECT set for this one call; -1 with EINVAL if the file system, or its alignment, does not allow
/// it.
ssize_t linux_write_direct(int file, const void *octets, size_t count, off_t offset);
/// sendfile(2) from `offset` on; the file offset stays unchanged.
ssize_t linux_send_file(int socket, int file, off_t offset, size_t count);
/// The version of Landlock (landlock(7)) in the kernel; -1 without it.
int linux_landlock_version(void);
/// From now on, permanently, this process, its later programs and its children can open only `readable`: files, and
/// folders with all their content, for reading and running. Missing paths are skipped. 0, or -1 with no change except
/// `no_new_privs`.
int linux_confine_files(const char *const *readable, size_t count);
/// From now on, permanently, this process can only make the calls of a program that reads, computes and writes to open
/// descriptors; other calls fail with EPERM. 0 or -1.
int linux_confine_calls(void);
/// Closes every descriptor from 3 on. 0 or -1.
int linux_close_all_but_standard(void);
/// Makes the kernel kill this process when the thread of `parent` that started it ends. 0, or -1, also if it has ended
/// already.
int linux_die_with_parent(pid_t parent);
/// `environ`, which Swift 6 refuses as shared mutable state.
char **linux_environment(void);
/// The symbol of an errno, or null.
const char *linux_error_name(int code);
/// The C library's sentence for an errno, or null.
const char *linux_error_text(int code);
/// Names the calling thread; at most 15 octets and a zero.
void linux_name_thread(const char *name);
/// Sets a nice value for the calling thread, which Linux keeps for each thread, so that others run first when cores are
/// scarce. A thread with a higher nice value keeps it.
void linux_let_others_first(int nice);
#endif
