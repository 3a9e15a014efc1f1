#include "prefault.h"

#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum { RANGES_MAX = 8192, MAPPINGS_MAX = 4096, CHUNK_PAGES = 2048, LINE_BYTES_MAX = 4608 };

static const uintptr_t HUGE_PAGE_BYTES = 2UL << 20;

/* Documentation/admin-guide/mm/pagemap.rst of the Linux kernel */
static const uint64_t PAGE_PRESENT = 1ULL << 63;
static const uint64_t PAGE_OF_FILE = 1ULL << 61;
static const uint64_t PAGE_EXCLUSIVE = 1ULL << 56;

struct range {
    uintptr_t start, end;
};

struct mapping {
    struct range range;
    bool is_writable, is_executable, is_file, is_heap;
};

struct ranges {
    size_t count;
    struct range list[RANGES_MAX];
};

/* What a conversion writes, and the pages of files, mostly code, that it uses. */
struct learned {
    struct ranges written, used;
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

/* Ranges may include `gap` bytes between pages. */
static void add_page(struct ranges *ranges, uintptr_t address, size_t gap)
{
    struct range *last = ranges->count ? &ranges->list[ranges->count - 1] : NULL;
    if (last && address >= last->end && address - last->end <= gap)
        last->end = address + page_bytes;
    else if (ranges->count < RANGES_MAX)
        ranges->list[ranges->count++] = (struct range){address, address + page_bytes};
}

/* Adds the pages of a mapping that have all these properties. */
static void add_pages(struct ranges *ranges, const struct range *mapping, uint64_t properties, size_t gap)
{
    uint64_t entries[CHUNK_PAGES];
    for (uintptr_t at = mapping->start; at < mapping->end; at += CHUNK_PAGES * page_bytes) {
        size_t pages = (mapping->end - at) / page_bytes;
        if (pages > CHUNK_PAGES)
            pages = CHUNK_PAGES;
        ssize_t got = pread(pagemap, entries, pages * sizeof *entries, (off_t)(at / page_bytes * sizeof *entries));
        for (ssize_t i = 0; i < got / (ssize_t)sizeof *entries; i++)
            if ((entries[i] & properties) == properties)
                add_page(ranges, at + (uintptr_t)i * page_bytes, gap);
    }
}

static bool is_code(const struct mapping *mapping)
{
    return mapping->is_file && !mapping->is_writable;
}

/*
 * Unmaps the pages of files that were used so far, mostly to start. They stay in the page cache. Pages that were written,
 * such as those with relocations, are not pages of the file any more, and stay.
 */
static void forget_code(void)
{
    static struct ranges pages;
    for (size_t i = 0; i < mapping_count; i++) {
        if (!is_code(&mappings[i]))
            continue;
        pages.count = 0;
        add_pages(&pages, &mappings[i].range, PAGE_PRESENT | PAGE_OF_FILE, 0);
        for (size_t n = 0; n < pages.count; n++)
            madvise((void *)pages.list[n].start, pages.list[n].end - pages.list[n].start, MADV_DONTNEED);
    }
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
    for (size_t i = 0; i < mapping_count; i++)
        if (mappings[i].is_heap)
            collapse_heap(&mappings[i].range);
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    forget_code();
    close(pagemap);
    pagemap = -1;
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

void prefault_learn(void)
{
    if (pagemap < 0)
        return;
    for (size_t i = 0; i < mapping_count; i++)
        if (mappings[i].is_writable)
            add_pages(&learned->written, &mappings[i].range, PAGE_PRESENT | PAGE_EXCLUSIVE, page_bytes);
        else if (mappings[i].is_file)
            add_pages(&learned->used, &mappings[i].range, PAGE_PRESENT | PAGE_OF_FILE, page_bytes);
}

static bool is_used(const struct range *mapping)
{
    for (size_t i = 0; i < learned->used.count; i++)
        if (learned->used.list[i].start >= mapping->start && learned->used.list[i].start < mapping->end)
            return true;
    return false;
}

static void populate(const struct ranges *ranges, int advice)
{
    for (size_t i = 0; i < ranges->count; i++)
        madvise((void *)ranges->list[i].start, ranges->list[i].end - ranges->list[i].start, advice);
}

void prefault_keep(void)
{
    struct learned *own = mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED)
        err(1, "mmap");
    memcpy(own, learned, sizeof *own);
    munmap(learned, sizeof *learned);
    learned = own;
    read_mappings();
    for (size_t i = 0; i < mapping_count; i++)
        if (is_code(&mappings[i]) && is_used(&mappings[i].range))
            make_inheritable(&mappings[i]);
    populate(&learned->used, MADV_POPULATE_READ);
}

void prefault_learned(void)
{
    populate(&learned->written, MADV_POPULATE_WRITE);
}
