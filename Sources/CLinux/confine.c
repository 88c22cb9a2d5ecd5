#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// landlock(7): the C library of Debian 12 has no functions for it.

int linux_landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

// All rights over files that the running kernel knows are denied, except those of `linux_confine_files`.
static uint64_t rights_known(int version) {
    int bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    return (UINT64_C(1) << bits) - 1;
}

int linux_confine_files(const char *const *readable, size_t count) {
    int version = linux_landlock_version();
    if (version < 1) { return -1; }
    // Only its first member, which is the whole struct in version 1: the filter of system calls denies the network.
    struct { uint64_t handled; } rules = {.handled = rights_known(version)};
    int set = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (set < 0) { return -1; }
    for (size_t place = 0; place < count; place++) {
        int file = open(readable[place], O_PATH | O_CLOEXEC);
        // A missing file needs no right.
        if (file < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES)) { continue; }
        struct stat found;
        if (file < 0 || fstat(file, &found) < 0) { goto failed; }
        uint64_t allowed = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
        if (S_ISDIR(found.st_mode)) { allowed |= LANDLOCK_ACCESS_FS_READ_DIR; }
        struct landlock_path_beneath_attr rule = {.allowed_access = allowed, .parent_fd = file};
        long result = syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
        close(file);
        if (result < 0) { goto failed; }
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(SYS_landlock_restrict_self, set, 0) < 0) { goto failed; }
    close(set);
    return 0;
failed:;
    int code = errno;
    close(set);
    errno = code;
    return -1;
}

// The system calls of a program that reads files, computes, and writes to open descriptors: no network, no other
// process, no change to a file.
static const int allowed[] = {
    SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_close, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_lseek, SYS_getdents64,
    SYS_statfs, SYS_fstatfs, SYS_fadvise64, SYS_fcntl, SYS_dup, SYS_dup3, SYS_faccessat, SYS_faccessat2, SYS_readlinkat, SYS_getcwd, SYS_pipe2,
    SYS_ppoll, SYS_pselect6,
    SYS_mmap, SYS_mprotect, SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_membarrier,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
    SYS_futex, SYS_set_robust_list, SYS_set_tid_address, SYS_rseq, SYS_sched_yield, SYS_sched_getaffinity,
    SYS_gettid, SYS_getpid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getpgid, SYS_uname, SYS_sysinfo, SYS_getrandom,
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_times, SYS_getrusage, SYS_prlimit64,
    SYS_execve, SYS_exit, SYS_exit_group,
#ifdef __x86_64__
    SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_dup2, SYS_pipe, SYS_poll, SYS_select, SYS_arch_prctl, SYS_time, SYS_getpgrp, SYS_getrlimit,
#endif
};

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#else
#define MACHINE 0
#endif

#define LOAD(member) (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ANSWER(value) (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (value))
#define REFUSE(code) ANSWER(SECCOMP_RET_ERRNO | (code))
#define JUMP(test, value, yes, no) (struct sock_filter)BPF_JUMP(BPF_JMP | (test) | BPF_K, (value), (yes), (no))

int linux_confine_calls(void) {
    enum { count = sizeof allowed / sizeof *allowed };
    struct sock_filter filter[count * 2 + 32];
    unsigned short length = 0;
#define ADD(instruction) filter[length++] = (instruction)
    ADD(LOAD(arch));
    ADD(JUMP(BPF_JEQ, MACHINE, 1, 0));
    ADD(ANSWER(SECCOMP_RET_KILL_PROCESS));
    ADD(LOAD(nr));
    for (int place = 0; place < count; place++) {
        ADD(JUMP(BPF_JEQ, (unsigned)allowed[place], 0, 1));
        ADD(ANSWER(SECCOMP_RET_ALLOW));
    }
    // Threads are allowed, processes are not. clone3 hides its flags in memory: the C library falls back to clone.
    ADD(JUMP(BPF_JEQ, SYS_clone3, 0, 1));
    ADD(REFUSE(ENOSYS));
    // No descriptor here is a terminal.
    ADD(JUMP(BPF_JEQ, SYS_ioctl, 0, 1));
    ADD(REFUSE(ENOTTY));
    ADD(JUMP(BPF_JEQ, SYS_clone, 0, 4));
    ADD(LOAD(args[0]));
    ADD(JUMP(BPF_JSET, 0x00010000 /* CLONE_THREAD */, 0, 1));
    ADD(ANSWER(SECCOMP_RET_ALLOW));
    ADD(REFUSE(EPERM));
    // Files can be opened only for reading.
    const unsigned writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
    ADD(JUMP(BPF_JEQ, SYS_openat, 0, 4));
    ADD(LOAD(args[2]));
    ADD(JUMP(BPF_JSET, writes, 1, 0));
    ADD(ANSWER(SECCOMP_RET_ALLOW));
    ADD(REFUSE(EACCES));
#ifdef __x86_64__
    ADD(JUMP(BPF_JEQ, SYS_open, 0, 4));
    ADD(LOAD(args[1]));
    ADD(JUMP(BPF_JSET, writes, 1, 0));
    ADD(ANSWER(SECCOMP_RET_ALLOW));
    ADD(REFUSE(EACCES));
#endif
    // This also covers the x32 calls of x86-64, whose numbers are above all of these. A program that makes another call
    // gets an error, and can continue without it.
    ADD(REFUSE(EPERM));
#undef ADD
    struct sock_fprog program = {.len = length, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) { return -1; }
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int linux_close_all_but_standard(void) {
    return (int)syscall(SYS_close_range, 3u, ~0u, 0u);
}

int linux_die_with_parent(pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) { return -1; }
    // The parent may have ended before the call.
    if (getppid() != parent) { errno = ESRCH; return -1; }
    return 0;
}
