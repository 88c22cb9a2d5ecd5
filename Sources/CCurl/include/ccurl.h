#ifndef HUDDLE_CCURL_H
#define HUDDLE_CCURL_H

#include <curl/curl.h>
#include <stdbool.h>

// libcurl, loaded at its first use. It loads some thirty libraries, which took a third of the program's start although
// few runs move a file. Swift cannot call variadic functions: there is one function for each type of argument.

/// Loads libcurl and sets it up, at the first call. No other function here may be called unless it has returned true.
bool ccurl_load(void);

CURL *ccurl_init(void);
void ccurl_reset(CURL *handle);
void ccurl_cleanup(CURL *handle);
CURLcode ccurl_perform(CURL *handle);
const char *ccurl_text(CURLcode code);

struct curl_slist *ccurl_append(struct curl_slist *list, const char *line);
void ccurl_free(struct curl_slist *list);

typedef size_t (*ccurl_transfer)(char *octets, size_t size, size_t count, void *context);

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value);
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode ccurl_set_transfer(CURL *handle, CURLoption option, ccurl_transfer function);
CURLcode ccurl_set_progress(CURL *handle, curl_xferinfo_callback function);
CURLcode ccurl_status(CURL *handle, long *status);

#endif
