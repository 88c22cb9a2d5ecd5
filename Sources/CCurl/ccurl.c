#include "ccurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static struct {
    CURLcode (*global_init)(long);
    CURL *(*init)(void);
    void (*reset)(CURL *);
    void (*cleanup)(CURL *);
    CURLcode (*perform)(CURL *);
    const char *(*text)(CURLcode);
    struct curl_slist *(*append)(struct curl_slist *, const char *);
    void (*free_all)(struct curl_slist *);
    CURLcode (*set)(CURL *, CURLoption, ...);
    CURLcode (*get)(CURL *, CURLINFO, ...);
} curl;

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static bool is_loaded;

static bool load(void) {
    // The number is that of the binary interface that curl.h describes; it has not changed since 2006.
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    const struct { void *place; const char *name; } wanted[] = {
        { &curl.global_init, "curl_global_init" }, { &curl.init, "curl_easy_init" }, { &curl.reset, "curl_easy_reset" },
        { &curl.cleanup, "curl_easy_cleanup" }, { &curl.perform, "curl_easy_perform" }, { &curl.text, "curl_easy_strerror" },
        { &curl.append, "curl_slist_append" }, { &curl.free_all, "curl_slist_free_all" }, { &curl.set, "curl_easy_setopt" },
        { &curl.get, "curl_easy_getinfo" },
    };
    for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
        void *found = dlsym(library, wanted[index].name);
        if (!found) return false;
        // As in dlsym(3): C has no conversion from an object to a function.
        *(void **)wanted[index].place = found;
    }
    return curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static void load_once(void) { is_loaded = load(); }

bool ccurl_load(void) { return pthread_once(&loading, load_once) == 0 && is_loaded; }

CURL *ccurl_init(void) { return curl.init(); }
void ccurl_reset(CURL *handle) { curl.reset(handle); }
void ccurl_cleanup(CURL *handle) { curl.cleanup(handle); }
CURLcode ccurl_perform(CURL *handle) { return curl.perform(handle); }
const char *ccurl_text(CURLcode code) { return curl.text(code); }
struct curl_slist *ccurl_append(struct curl_slist *list, const char *line) { return curl.append(list, line); }
void ccurl_free(struct curl_slist *list) { curl.free_all(list); }
CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) { return curl.set(handle, option, value); }
CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value) { return curl.set(handle, option, value); }
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) { return curl.set(handle, option, value); }
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) { return curl.set(handle, option, value); }
CURLcode ccurl_set_transfer(CURL *handle, CURLoption option, ccurl_transfer function) { return curl.set(handle, option, function); }
CURLcode ccurl_set_progress(CURL *handle, curl_xferinfo_callback function) { return curl.set(handle, CURLOPT_XFERINFOFUNCTION, function); }
CURLcode ccurl_status(CURL *handle, long *status) { return curl.get(handle, CURLINFO_RESPONSE_CODE, status); }
