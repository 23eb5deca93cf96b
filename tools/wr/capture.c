/* CAPTURE: what statements give goes to the end of a file, as cqlsh has it; errors and what the shell's own commands say do not. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "wr.h"

static const char *begin(struct shell *shell, const char *path)
{
    struct capture *capture = &shell->capture;

    capture->file = fopen(path, "ab");
    if (!capture->file) {
        fprintf(stderr, "wr: could not open '%s' for append: %s\n", path, strerror(errno));
        return told;
    }
    snprintf(capture->path, sizeof capture->path, "%s", path);
    capture->colours = shell->printer.colours;
    shell->printer.out = capture->file;
    shell->printer.colours = false;
    shell_settle_pages(shell);
    printf("Now capturing query output to '%s'.\n", path);
    return NULL;
}

void capture_leave(struct shell *shell)
{
    if (!shell->capture.file)
        return;
    shell->printer.out = stdout;
    shell->printer.colours = shell->capture.colours;
    shell->capture.file = NULL;
    shell_settle_pages(shell);
}

bool capture_end(struct shell *shell)
{
    FILE *file = shell->capture.file;
    capture_leave(shell);
    if (!file)
        return true;
    bool failed = ferror(file);
    failed |= fclose(file) != 0;
    if (failed)
        fprintf(stderr, "wr: '%s' could not be written\n", shell->capture.path);
    return !failed;
}

const char *do_capture(struct shell *shell, const char *argument)
{
    bool captures = shell->capture.file != NULL;
    char path[sizeof shell->capture.path];

    if (!*argument && captures)
        printf("Currently capturing query output to '%s'.\n", shell->capture.path);
    else if (!*argument)
        printf("Currently not capturing query output.\n");
    else if (strcasecmp(argument, "off") == 0 && captures)
        return capture_end(shell) ? NULL : told;
    else if (strcasecmp(argument, "off") == 0)
        return "Not currently capturing output.";
    else if (captures)
        return "Already capturing output. Use CAPTURE OFF to disable.";
    else
        return take_path(argument, path, sizeof path) ? begin(shell, path) : "one file is expected";
    return NULL;
}
