#include "engine/thread.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int thread_start(pthread_t *out, void *(*run)(void *arg), void *arg)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(out, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

void thread_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

/* ---- the stack ---- */

#ifdef __OPTIMIZE__
enum { FRAME_TIMES = 1 };
#else
enum { FRAME_TIMES = 2 }; /* frames in which every variable has its place */
#endif
enum { STACK_KEPT = 40 * 1024 }; /* for whatever is called at the deepest place */

/* The lowest address of the thread's stack and its size; 0: not known. */
struct stack {
    uintptr_t low;
    size_t size;
};

/* The main thread's grows on demand, up to a limit, and the program's name lies at its top: pthread_getattr_np asks /proc, and musl's tells what
 * there is of it already. False: it is another thread's, or has no limit. */
static bool find_main_stack(uintptr_t here, struct stack *out)
{
    uintptr_t top = getauxval(AT_EXECFN);
    struct rlimit most;

    if (syscall(SYS_gettid) != getpid() || getrlimit(RLIMIT_STACK, &most) != 0 || here >= top || top - here > most.rlim_cur ||
        most.rlim_cur > top)
        return false;
    *out = (struct stack){ top - most.rlim_cur, most.rlim_cur };
    return true;
}

static struct stack stack_of_thread(uintptr_t here)
{
    struct stack stack = { 0, 0 };
    pthread_attr_t attr;
    void *low;

    if (find_main_stack(here, &stack) || pthread_getattr_np(pthread_self(), &attr) != 0)
        return stack;
    if (pthread_attr_getstack(&attr, &low, &stack.size) == 0)
        stack.low = (uintptr_t)low;
    pthread_attr_destroy(&attr);
    return stack;
}

uint32_t thread_levels(uint32_t most, size_t level_bytes)
{
    static _Thread_local struct stack stack;
    static _Thread_local bool asked;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (!asked)
        stack = stack_of_thread(here);
    asked = true;
    if (here < stack.low || here - stack.low > stack.size)
        return most;
    size_t left = here - stack.low, levels = left > STACK_KEPT ? (left - STACK_KEPT) / (FRAME_TIMES * level_bytes) : 0;
    return levels < most ? (uint32_t)levels : most;
}
