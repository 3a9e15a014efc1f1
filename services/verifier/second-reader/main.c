/*
 * second-reader [NAME PARENT_PID]
 *
 * Draws pages of PDFs with Poppler. It opens Poppler once, and forks a child for each document (host.h). A child puts walls
 * around itself before it reads a byte: no file but libraries and fonts, no socket, no thread, no program. The host dies with
 * its parent, and the children with the host. Without arguments, prints the walls and the version of Poppler. Exits with
 * EX_UNAVAILABLE of sysexits.h if this host has no Poppler, and with EX_CONFIG if it lacks a wall.
 */
#include "descriptors.h"
#include "host.h"
#include "library.h"
#include "rights.h"
#include "sandbox.h"
#include "serve.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

int main(int argc, char **argv)
{
    struct sandbox sandbox = sandbox_probe("required", "Without it, changed pages are not drawn a second time");
    if (!library_open())
        errx(EX_UNAVAILABLE, "libpoppler-glib.so.8 cannot be opened: install libpoppler-glib8");
    if (argc < 3)
        return printf("%s poppler-%s\n", sandbox_describe(&sandbox), library.poppler_get_version()) < 0;
    die_with_parent((pid_t)atoi(argv[2]));
    close_inherited();
    warm_up();
    host(&sandbox, argv[1]);
}
