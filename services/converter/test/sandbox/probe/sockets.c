#include "attempts.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_in loopback(const char *port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int try_connect(int fd, const void *address, socklen_t bytes)
{
    return fd < 0 || connect(fd, address, bytes) < 0 ? -1 : close(fd);
}

static int tcp(const char *port)
{
    struct sockaddr_in address = loopback(port);
    return try_connect(socket(AF_INET, SOCK_STREAM, 0), &address, sizeof address);
}

static int tcp6(const char *port)
{
    struct sockaddr_in6 address = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)atoi(port)), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    return try_connect(socket(AF_INET6, SOCK_STREAM, 0), &address, sizeof address);
}

static int tcp_listen(const char *port)
{
    struct sockaddr_in address = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ? -1 : close(fd);
}

static int udp(const char *port)
{
    struct sockaddr_in address = loopback(port);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    return fd < 0 || sendto(fd, "x", 1, 0, (struct sockaddr *)&address, sizeof address) < 0 ? -1 : close(fd);
}

static int netlink(const char *unused)
{
    (void)unused;
    int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    return fd < 0 ? -1 : close(fd);
}

static int packet(const char *unused)
{
    (void)unused;
    int fd = socket(AF_PACKET, SOCK_RAW, 0);
    return fd < 0 ? -1 : close(fd);
}

static struct sockaddr_un address_of(const char *name, int offset, socklen_t *bytes)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path + offset, name, sizeof address.sun_path - 2);
    *bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + offset + strlen(name));
    return address;
}

static int abstract(const char *name)
{
    socklen_t bytes;
    struct sockaddr_un address = address_of(name, 1, &bytes);
    return try_connect(socket(AF_UNIX, SOCK_STREAM, 0), &address, bytes);
}

static int unix_stream(const char *path)
{
    socklen_t bytes;
    struct sockaddr_un address = address_of(path, 0, &bytes);
    return try_connect(socket(AF_UNIX, SOCK_STREAM, 0), &address, bytes + 1);
}

static int unix_datagram(const char *path)
{
    socklen_t bytes;
    struct sockaddr_un address = address_of(path, 0, &bytes);
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    return fd < 0 || sendto(fd, "x", 1, 0, (struct sockaddr *)&address, bytes + 1) < 0 ? -1 : close(fd);
}

/* The addresses of the host, which a socket of any family can list. */
static int list_interfaces(const char *unused)
{
    (void)unused;
    struct ifconf interfaces = {0};
    return ioctl(socket(AF_UNIX, SOCK_STREAM, 0), SIOCGIFCONF, &interfaces);
}

static int pair(const char *unused)
{
    (void)unused;
    int fds[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
}

/* A byte out of band, which af_unix.c of the kernel keeps apart: CVE-2025-38236. */
static int out_of_band(const char *unused)
{
    int fds[2];
    (void)unused;
    return socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0 || send(fds[0], "x", 1, MSG_OOB) < 0 ? -1 : close(fds[0]);
}

/* A program that the kernel runs for each packet. */
static int attach_filter(const char *unused)
{
    int fds[2];
    struct sock_filter code = BPF_STMT(BPF_RET | BPF_K, 0);
    struct sock_fprog program = {.len = 1, .filter = &code};
    (void)unused;
    return socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0 ||
                   setsockopt(fds[0], SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) < 0
               ? -1
               : close(fds[0]);
}

/* A name that every process of the host can connect to. */
static int abstract_server(const char *name)
{
    socklen_t bytes;
    struct sockaddr_un address = address_of(name, 1, &bytes);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return fd < 0 || bind(fd, (struct sockaddr *)&address, bytes) < 0 || listen(fd, 1) < 0 ? -1 : close(fd);
}

/* Open files that leave the process by a message. */
static int pass_descriptor(const char *unused)
{
    int fds[2];
    char control[CMSG_SPACE(sizeof(int))] = "";
    struct iovec byte = {"x", 1};
    struct msghdr message = {.msg_iov = &byte, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
    (void)unused;
    return socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0 || sendmsg(fds[0], &message, 0) < 0 ? -1 : close(fds[0]);
}

const struct attempt SOCKET_ATTEMPTS[] = {
    {"tcp", tcp},
    {"tcp6", tcp6},
    {"tcp-listen", tcp_listen},
    {"udp", udp},
    {"netlink", netlink},
    {"packet", packet},
    {"abstract", abstract},
    {"unix", unix_stream},
    {"unix-datagram", unix_datagram},
    {"interfaces", list_interfaces},
    {"socketpair", pair},
    {"out-of-band", out_of_band},
    {"attach-filter", attach_filter},
    {"abstract-server", abstract_server},
    {"pass-descriptor", pass_descriptor},
    {NULL, NULL},
};
