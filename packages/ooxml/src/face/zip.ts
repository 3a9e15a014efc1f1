export { type Archive, type ArchiveEntry, readArchive, unpackEntry } from '../zip-reader.ts';
export { type NewEntry, writeArchive } from '../zip-writer.ts';
