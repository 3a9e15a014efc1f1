#include "prefault.h"

#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum { RANGES_MAX = 8192, MAPPINGS_MAX = 4096, CHUNK_PAGES = 2048, GAP_PAGES_MAX = 1, LINE_BYTES_MAX = 4608 };

static const uintptr_t HUGE_PAGE_BYTES = 2UL << 20;

/* Documentation/admin-guide/mm/pagemap.rst of the Linux kernel */
static const uint64_t PAGE_PRESENT = 1ULL << 63;
static const uint64_t PAGE_EXCLUSIVE = 1ULL << 56;

struct range {
    uintptr_t start, end;
};

struct mapping {
    struct range range;
    bool is_writable, is_executable, is_file, is_heap;
};

struct learned {
    size_t count;
    struct range ranges[RANGES_MAX];
};

/* Shared between the host and the learning child until the host keeps it. */
static struct learned *learned;
static struct mapping mappings[MAPPINGS_MAX];
static size_t mapping_count;
static size_t page_bytes;
static int pagemap = -1;

/* Records this process's readable private mappings. The list is complete before any mapping is changed. */
static void read_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[LINE_BYTES_MAX], access[5];
    unsigned long inode;
    mapping_count = 0;
    while (maps && mapping_count < MAPPINGS_MAX && fgets(line, sizeof line, maps)) {
        struct range range;
        if (sscanf(line, "%lx-%lx %4s %*s %*s %lu", &range.start, &range.end, access, &inode) != 4)
            continue;
        if (access[0] != 'r' || access[3] != 'p' || strstr(line, "[v") || strstr(line, "[stack]"))
            continue;
        mappings[mapping_count++] = (struct mapping){
            .range = range,
            .is_writable = access[1] == 'w',
            .is_executable = access[2] == 'x',
            .is_file = inode != 0,
            .is_heap = strstr(line, "[heap]") != NULL,
        };
    }
    if (maps)
        fclose(maps);
}

static void collapse_heap(const struct range *range)
{
    uintptr_t start = (range->start + HUGE_PAGE_BYTES - 1) & ~(HUGE_PAGE_BYTES - 1);
    for (; start + HUGE_PAGE_BYTES <= range->end; start += HUGE_PAGE_BYTES)
        madvise((void *)start, HUGE_PAGE_BYTES, MADV_COLLAPSE);
}

/* Gives the mapping a page of its own (an anon_vma in the kernel) without changing its bytes. */
static void make_inheritable(const struct mapping *mapping)
{
    volatile char *byte = (volatile char *)mapping->range.start;
    size_t bytes = mapping->range.end - mapping->range.start;
    int access = PROT_READ | (mapping->is_executable ? PROT_EXEC : 0);
    if (mprotect((void *)byte, bytes, access | PROT_WRITE) < 0)
        return;
    *byte = *byte;
    if (mprotect((void *)byte, bytes, access) < 0)
        err(1, "mprotect");
}

void prefault_prepare(void)
{
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    learned = mmap(NULL, sizeof *learned, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (learned == MAP_FAILED)
        err(1, "mmap");
    read_mappings();
    for (size_t i = 0; i < mapping_count; i++) {
        if (mappings[i].is_heap)
            collapse_heap(&mappings[i].range);
        else if (mappings[i].is_file && !mappings[i].is_writable)
            make_inheritable(&mappings[i]);
    }
}

void prefault_begin(void)
{
    read_mappings();
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

int prefault_descriptor(void)
{
    return pagemap;
}

static void add_page(uintptr_t address)
{
    struct range *last = learned->count ? &learned->ranges[learned->count - 1] : NULL;
    if (last && address >= last->end && address - last->end <= GAP_PAGES_MAX * page_bytes)
        last->end = address + page_bytes;
    else if (learned->count < RANGES_MAX)
        learned->ranges[learned->count++] = (struct range){address, address + page_bytes};
}

/* A page that the child wrote is its own copy; it shares all others with the host. */
static void learn_mapping(const struct range *range)
{
    uint64_t entries[CHUNK_PAGES];
    for (uintptr_t at = range->start; at < range->end; at += CHUNK_PAGES * page_bytes) {
        size_t pages = (range->end - at) / page_bytes;
        if (pages > CHUNK_PAGES)
            pages = CHUNK_PAGES;
        ssize_t got = pread(pagemap, entries, pages * sizeof *entries, (off_t)(at / page_bytes * sizeof *entries));
        for (ssize_t i = 0; i < got / (ssize_t)sizeof *entries; i++)
            if ((entries[i] & PAGE_PRESENT) && (entries[i] & PAGE_EXCLUSIVE))
                add_page(at + (uintptr_t)i * page_bytes);
    }
}

void prefault_learn(void)
{
    if (pagemap < 0)
        return;
    for (size_t i = 0; i < mapping_count; i++)
        if (mappings[i].is_writable)
            learn_mapping(&mappings[i].range);
}

void prefault_keep(void)
{
    struct learned *own = mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED)
        err(1, "mmap");
    memcpy(own, learned, sizeof *own);
    munmap(learned, sizeof *learned);
    learned = own;
}

void prefault_learned(void)
{
    for (size_t i = 0; i < learned->count; i++) {
        const struct range *range = &learned->ranges[i];
        madvise((void *)range->start, range->end - range->start, MADV_POPULATE_WRITE);
    }
}
