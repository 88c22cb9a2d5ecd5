#ifndef HUDDLE_CCURL_H
#define HUDDLE_CCURL_H

#include <curl/curl.h>

// Swift does not call variadic functions: one function for each type of argument.

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) { return curl_easy_setopt(handle, option, value); }

static inline CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value) { return curl_easy_setopt(handle, option, value); }

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) { return curl_easy_setopt(handle, option, value); }

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) { return curl_easy_setopt(handle, option, value); }

typedef size_t (*ccurl_transfer)(char *octets, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_transfer(CURL *handle, CURLoption option, ccurl_transfer function) {
    return curl_easy_setopt(handle, option, function);
}

static inline CURLcode ccurl_set_progress(CURL *handle, curl_xferinfo_callback function) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
}

static inline CURLcode ccurl_status(CURL *handle, long *status) { return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status); }

#endif
