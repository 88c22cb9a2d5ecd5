/* A disk that is slow, for one program: cc -shared -fPIC -o slow_disk.so slow_disk.c, then LD_PRELOAD=slow_disk.so.
 *
 * HUDDLE_SLOW_DISK names a folder. While it has a file `slow`, each sync takes 4 ms more. While it has a file `stall`, no sync
 * returns; the first that waits makes a file `stalled`. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int is_there(const char *name, char path[4096]) {
    const char *folder = getenv("HUDDLE_SLOW_DISK");
    if (!folder) return 0;
    snprintf(path, 4096, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void hold(void) {
    char path[4096];
    struct timespec slow = {0, 4000000}, again = {0, 1000000};
    if (is_there("slow", path)) nanosleep(&slow, 0);
    if (!is_there("stall", path)) return;
    is_there("stalled", path);
    int told = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (told >= 0) close(told);
    while (is_there("stall", path)) nanosleep(&again, 0);
}

int fsync(int descriptor) { hold(); return syscall(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { hold(); return syscall(SYS_fdatasync, descriptor); }
