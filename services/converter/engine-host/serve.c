#include "serve.h"

#include "children.h"
#include "office.h"
#include "warden.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_BYTES_MAX = 8192 };

static char input[INPUT_BYTES_MAX];
static size_t input_bytes;

static void obey(const char *line)
{
    char verb[8];
    unsigned long id;
    int rest = 0;
    if (sscanf(line, "%7s %lu %n", verb, &id, &rest) < 2 || rest == 0)
        errx(1, "not a command: %s", line);
    const char *argument = line + rest;
    struct child *child = child_find(id);
    if (strcmp(verb, "spawn") == 0) {
        if (child || argument[0] != '/' || !child_spawn(id, argument))
            printf("gone %lu exit 1 unused\n", id);
    } else if (strcmp(verb, "run") == 0 || strcmp(verb, "form") == 0 || strcmp(verb, "fill") == 0) {
        if (child && (child->state == CHILD_SPARE || child->state == CHILD_DONE))
            child_order(child, verb, argument);
        /* The "gone" of a child that ended meanwhile reports it. */
    } else if (strcmp(verb, "kill") == 0) {
        if (child) {
            child_kill(child);
            printf("dying %lu\n", id);
        }
    } else if (strcmp(verb, "yield") == 0) {
        if (child)
            child_yield(child);
    } else {
        errx(1, "not a command: %s", line);
    }
}

/* The owner ended or closed its end: everything ends here. */
static _Noreturn void end(void)
{
    for (struct child *child = children; child < children + CHILDREN_MAX; child++)
        if (child->state != CHILD_NONE) {
            child_kill(child);
            child_bury(child);
        }
    fflush(stdout);
    _exit(0);
}

static void hear_owner(void)
{
    ssize_t got = read(STDIN_FILENO, input + input_bytes, sizeof input - 1 - input_bytes);
    if (got < 0 && errno == EINTR)
        return;
    if (got <= 0)
        end();
    input_bytes += (size_t)got;
    input[input_bytes] = '\0';
    char *line = input;
    for (char *newline; (newline = strchr(line, '\n')); line = newline + 1) {
        *newline = '\0';
        obey(line);
    }
    input_bytes -= (size_t)(line - input);
    memmove(input, line, input_bytes);
    if (input_bytes == sizeof input - 1)
        errx(1, "a command is too long");
}

static void hear_children(const struct pollfd *polled)
{
    for (int i = 0; i < CHILDREN_MAX; i++) {
        struct child *child = &children[i];
        if (child->state != CHILD_NONE && polled[2 * i].revents)
            child_hear(child);
        if (child->state != CHILD_NONE && polled[2 * i + 1].revents)
            child_bury(child);
    }
}

_Noreturn void serve(const char *sandbox)
{
    struct pollfd polled[2 + 2 * CHILDREN_MAX];
    printf("ready %s %s %s\n", office_version(), office_loader(), sandbox);
    for (;;) {
        if (fflush(stdout) == EOF)
            end();
        polled[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
        polled[1] = (struct pollfd){.fd = warden_descriptor()};
        for (int i = 0; i < CHILDREN_MAX; i++) {
            int alive = children[i].state != CHILD_NONE;
            polled[2 + 2 * i] = (struct pollfd){.fd = alive ? children[i].report_fd : -1, .events = POLLIN};
            polled[3 + 2 * i] = (struct pollfd){.fd = alive ? children[i].pid_fd : -1, .events = POLLIN};
        }
        if (poll(polled, 2 + 2 * CHILDREN_MAX, children_watch()) < 0) {
            if (errno == EINTR)
                continue;
            err(1, "poll");
        }
        if (polled[1].revents)
            errx(1, "the warden ended");
        hear_children(polled + 2);
        if (polled[0].revents)
            hear_owner();
    }
}
