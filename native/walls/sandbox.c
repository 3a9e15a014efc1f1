#include "sandbox.h"

#include "landlock.h"
#include "seccomp.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

/*
 * The first version of Landlock is sufficient: the filter of system calls also forbids what later versions add
 * (truncate, TCP, device requests, signals, abstract sockets).
 */
struct sandbox sandbox_probe(const char *demand, const char *advice)
{
    bool is_required = strcmp(demand, "required") == 0;
    if (!is_required && strcmp(demand, "degraded") != 0)
        errx(2, "the sandbox must be \"required\" or \"degraded\", not \"%s\"", demand);
    struct sandbox sandbox = {.landlock_version = landlock_version()};
    if (is_required && !sandbox.landlock_version)
        errx(EX_CONFIG, "this kernel does not support Landlock (%s): a document could read files of this host. Use Linux 5.13 or "
                "newer with landlock in the list of security modules (lsm=), and a container that allows its calls. %s",
             strerror(errno), advice);
    sandbox.has_seccomp = seccomp_available();
    if (is_required && !sandbox.has_seccomp)
        errx(EX_CONFIG, "this kernel does not support seccomp filters (%s): a document could reach the network. Use Linux on x86-64 or "
                "arm64, and a container that allows seccomp. %s",
             strerror(errno), advice);
    return sandbox;
}

const char *sandbox_describe(const struct sandbox *sandbox)
{
    static char text[64];
    bool is_whole = sandbox->landlock_version && sandbox->has_seccomp;
    int length = snprintf(text, sizeof text, "%s ", is_whole ? "enforced" : "degraded");
    if (sandbox->landlock_version)
        length += snprintf(text + length, sizeof text - length, "landlock-%d", sandbox->landlock_version);
    if (sandbox->has_seccomp)
        snprintf(text + length, sizeof text - length, "%sseccomp", sandbox->landlock_version ? "," : "");
    else if (!sandbox->landlock_version)
        snprintf(text + length, sizeof text - length, "-");
    if (sandbox->has_namespaces && sandbox->has_seccomp)
        strcat(text, ",namespaces");
    return text;
}
