#include "prefault.h"

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

enum { RANGES_MAX = 8192, MAPPINGS_MAX = 4096, CHUNK_PAGES = 2048, GAP_PAGES_MAX = 4 };

/* Documentation/admin-guide/mm/pagemap.rst of the Linux kernel */
static const uint64_t PAGE_PRESENT = 1ULL << 63;
static const uint64_t PAGE_EXCLUSIVE = 1ULL << 56;

struct range {
    uintptr_t start, end;
    int advice;
};

struct learned {
    size_t count;
    struct range ranges[RANGES_MAX];
};

static struct learned *learned;
static struct range mappings[MAPPINGS_MAX];
static size_t mapping_count;
static size_t page_bytes;

void prefault_init(void)
{
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    learned = mmap(NULL, sizeof *learned, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (learned == MAP_FAILED)
        err(1, "mmap");
}

void prefault_begin(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return;
    char line[4608], access[5];
    while (mapping_count < MAPPINGS_MAX && fgets(line, sizeof line, maps)) {
        struct range *mapping = &mappings[mapping_count];
        if (sscanf(line, "%lx-%lx %4s", &mapping->start, &mapping->end, access) != 3)
            continue;
        if (access[0] != 'r' || access[3] != 'p' || strstr(line, "[v") || strstr(line, "[stack]"))
            continue;
        mapping->advice = access[1] == 'w' ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
        mapping_count++;
    }
    fclose(maps);
}

static void add_page(uintptr_t address, int advice)
{
    struct range *last = learned->count ? &learned->ranges[learned->count - 1] : NULL;
    if (last && last->advice == advice && address >= last->end && address - last->end <= GAP_PAGES_MAX * page_bytes)
        last->end = address + page_bytes;
    else if (learned->count < RANGES_MAX)
        learned->ranges[learned->count++] = (struct range){address, address + page_bytes, advice};
}

static void learn_mapping(int pagemap, const struct range *mapping)
{
    /* A written page is the child's own copy; a page that was only read needs its entry, no copy. */
    uint64_t wanted = mapping->advice == MADV_POPULATE_WRITE ? PAGE_PRESENT | PAGE_EXCLUSIVE : PAGE_PRESENT;
    uint64_t entries[CHUNK_PAGES];
    for (uintptr_t at = mapping->start; at < mapping->end; at += CHUNK_PAGES * page_bytes) {
        size_t pages = (mapping->end - at) / page_bytes;
        if (pages > CHUNK_PAGES)
            pages = CHUNK_PAGES;
        ssize_t got = pread(pagemap, entries, pages * sizeof *entries, (off_t)(at / page_bytes * sizeof *entries));
        for (ssize_t i = 0; i < got / (ssize_t)sizeof *entries; i++)
            if ((entries[i] & wanted) == wanted)
                add_page(at + (uintptr_t)i * page_bytes, mapping->advice);
    }
}

void prefault_learn(void)
{
    int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0)
        return;
    for (size_t i = 0; i < mapping_count; i++)
        learn_mapping(pagemap, &mappings[i]);
    close(pagemap);
}

void prefault_learned(void)
{
    /* Advice only: a kernel before 5.14 refuses it, a range may be gone. The pages are then faulted in one by one. */
    for (size_t i = 0; i < learned->count; i++) {
        const struct range *range = &learned->ranges[i];
        madvise((void *)range->start, range->end - range->start, range->advice);
    }
}
