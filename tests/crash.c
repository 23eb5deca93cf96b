/*
 * Where a test crashed, or an assertion failed, which cmocka tells of the thread that runs the test alone: in another one either ends the program without a
 * word, by a handler that calls exit(-1). So the handlers are these, or a sanitizer's, cmocka's calls of signal() change nothing, and exit(-1) says where it
 * is called.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <execinfo.h>
#endif

static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

enum { FATAL = sizeof fatal / sizeof *fatal, FRAMES = 48 };

/* musl has none. */
static void tell_calls(void)
{
#ifdef __GLIBC__
    void *frames[FRAMES];
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES), STDERR_FILENO);
#endif
}

static void tell(int number, siginfo_t *info, void *context)
{
    char line[96];
    int len = snprintf(line, sizeof line, "crashed: signal %d, code %d, at address %p\n", number, info->si_code, info->si_addr);

    (void)context;
    if (write(STDERR_FILENO, line, (size_t)len) == len)
        tell_calls();
    raise(number); /* SA_RESETHAND: ends the program, once this has returned */
}

__attribute__((constructor)) static void tell_of_crashes(void)
{
    struct sigaction now, action = { .sa_sigaction = tell, .sa_flags = SA_SIGINFO | SA_RESETHAND };

    for (int i = 0; i < FATAL; i++)
        if (sigaction(fatal[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(fatal[i], &action, NULL);
}

/* libc's, for the tests and cmocka, as the next one is. */
__attribute__((visibility("default"), noreturn)) void exit(int status)
{
    static const char line[] = "failed, and not in the thread of the test:\n";
    void (*libc_exit)(int) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "exit");

    if (status == -1 && write(STDERR_FILENO, line, sizeof line - 1) > 0)
        tell_calls();
    memcpy(&libc_exit, &symbol, sizeof symbol);
    if (libc_exit)
        libc_exit(status);
    _exit(status);
}

__attribute__((visibility("default"))) void (*signal(int number, void (*handler)(int)))(int)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, before;

    for (int i = 0; i < FATAL; i++)
        if (number == fatal[i])
            return SIG_DFL;
    return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}
