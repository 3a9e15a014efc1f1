/*
 * second-reader-probe FILE [free]
 *
 * Tries what a document could try after it has taken the second reader over. It has the walls of the reader, unless the second
 * argument is `free`. Prints each attempt, and "done" or the name of its error.
 */
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMORY_BYTES = 600 << 20 };

static const char *file;

static int read_file(void)
{
    return open(file, O_RDONLY);
}

static int read_accounts(void)
{
    return open("/etc/passwd", O_RDONLY);
}

static int write_file(void)
{
    return open(file, O_WRONLY);
}

static int create_file(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.new", file);
    return open(path, O_WRONLY | O_CREAT, 0600);
}

static int read_environment_of_parent(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
    return open(path, O_RDONLY);
}

static int open_socket(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}

static int open_local_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int start_process(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    return pid < 0 ? -1 : waitpid(pid, NULL, 0);
}

static void *nothing(void *unused)
{
    return unused;
}

static int start_thread(void)
{
    pthread_t thread;
    errno = pthread_create(&thread, NULL, nothing, NULL);
    return errno ? -1 : pthread_join(thread, NULL);
}

static int signal_parent(void)
{
    return kill(getppid(), 0);
}

static int take_memory(void)
{
    return mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}

/* The last one: on success, another program runs. */
static int start_program(void)
{
    return execl("/bin/true", "true", (char *)NULL);
}

#define ATTEMPT(name) {#name, name}

static const struct {
    const char *name;
    int (*make)(void);
} ATTEMPTS[] = {
    ATTEMPT(read_file),     ATTEMPT(read_accounts), ATTEMPT(write_file),
    ATTEMPT(create_file),   ATTEMPT(read_environment_of_parent),
    ATTEMPT(open_socket),   ATTEMPT(open_local_socket),
    ATTEMPT(start_process), ATTEMPT(start_thread),  ATTEMPT(signal_parent),
    ATTEMPT(take_memory),   ATTEMPT(start_program),
};

int main(int argc, char **argv)
{
    struct sandbox sandbox = sandbox_probe("required", "");
    file = argc > 1 ? argv[1] : "";
    if (argc < 3 || strcmp(argv[2], "free") != 0)
        confine(&sandbox, getppid());
    for (size_t i = 0; i < sizeof ATTEMPTS / sizeof *ATTEMPTS; i++) {
        errno = 0;
        int outcome = ATTEMPTS[i].make();
        printf("%s %s\n", ATTEMPTS[i].name, outcome < 0 ? strerrorname_np(errno) : "done");
        fflush(stdout);
    }
    return 0;
}
