export const MINI_BYTES = 64;
export const ENTRY_BYTES = 128;
/** Number of FAT sectors listed in the header (MS-CFB §2.2). */
export const HEADER_FAT_SECTORS = 109;
/** Special values of MS-CFB §2.1: the end of a chain of sectors, and an absent entry or sector. */
export const END_OF_CHAIN = 0xfffffffe;
export const NONE = 0xffffffff;
/** Types of directory entries. */
export const [STORAGE, STREAM, ROOT] = [1, 2, 5];

/** An entry of a compound file's directory (MS-CFB §2.6). */
export interface DirectoryEntry {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
  start: number;
  size: number;
}
