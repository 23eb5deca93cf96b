/*
 * Where a test crashed, which cmocka tells of the thread that runs the test alone: in another one a signal ends the program without a word. So the handlers are
 * these, or a sanitizer's, and cmocka's calls of signal() change nothing.
 */
#include <signal.h>
#include <stdio.h>
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

/* libc's, for the tests and cmocka. */
__attribute__((visibility("default"))) void (*signal(int number, void (*handler)(int)))(int)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, before;

    for (int i = 0; i < FATAL; i++)
        if (number == fatal[i])
            return SIG_DFL;
    return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}
