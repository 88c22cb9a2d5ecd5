#include "ccracklib.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static struct {
    bool isTried;
    const char *dictionary;
    const char *(*check)(const char *, const char *);
} cracklib;

bool ccracklib_load(void) {
    if (cracklib.isTried) return cracklib.dictionary != NULL;
    cracklib.isTried = true;
    void *library = dlopen("libcrack.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    const char *(*dictionary)(void) = NULL;
    // As in dlsym(3): C has no conversion from an object to a function.
    *(void **)&cracklib.check = dlsym(library, "FascistCheck");
    *(void **)&dictionary = dlsym(library, "GetDefaultCracklibDict");
    if (!cracklib.check || !dictionary) return false;
    const char *path = dictionary();
    // Some versions of the library end the process when the dictionary is missing.
    static const char *const endings[] = {".pwd", ".pwi", ".hwm"};
    for (size_t index = 0; index < sizeof endings / sizeof *endings; index++) {
        char name[512];
        int count = snprintf(name, sizeof name, "%s%s", path, endings[index]);
        if (count < 0 || (size_t)count >= sizeof name || access(name, R_OK) != 0) return false;
    }
    cracklib.dictionary = path;
    return true;
}

bool ccracklib_knows(const char *password) {
    return cracklib.check(password, cracklib.dictionary) != NULL;
}
