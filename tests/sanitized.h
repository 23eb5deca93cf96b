/*
 * sanitized.h - SANITIZED is defined where a sanitizer has memory and a stack of its own beside the program's.
 */
#ifndef WR_TESTS_SANITIZED_H
#define WR_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#endif
