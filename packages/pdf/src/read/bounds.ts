import { tooComplex } from '../pdf-error.ts';

/** Limits for reading one PDF, regardless of its content. */
export const BOUNDS = {
  /** Nesting of arrays and dictionaries. */
  depthMax: 100,
  /** Names, numbers, strings, references and containers in all objects read. */
  valuesMax: 1_000_000,
  /** Total bytes parsed; shared bytes of two objects count twice. */
  readBytesMax: 256 * 1024 * 1024,
  /** Value lookups, which a file can multiply through references between few objects. */
  lookUpsMax: 5_000_000,
  /** Nested objects needed to read one object. */
  openingMax: 50,
  /** Total size of decompressed streams needed to find objects. */
  unpackedBytesMax: 96 * 1024 * 1024,
  /** ISO 32000-1, annex C. */
  objectNumberMax: 8_388_607,
  generationMax: 65_535,
  revisionsMax: 4_096,
  /** In a file without usable cross-reference data. */
  packedObjectsMax: 65_536,
  searchedObjectsMax: 500_000,
  xrefSubsectionsMax: 200_000,
  pageNodesMax: 100_000,
  fieldsMax: 50_000,
  /** Length of all fully qualified field names together. */
  fieldNamesCharsMax: 16_000_000,
  /** Bytes before the header, as in Acrobat. */
  junkBytesMax: 1_024,
} as const;

/** Counts the costs of one document. */
export class Costs {
  values = 0;
  unpackedBytes: number;
  #readBytes = 0;
  #lookUps = 0;

  /** `unpackedBytesMax` limits decompression below the default for a document. */
  constructor(unpackedBytesMax: number = BOUNDS.unpackedBytesMax) {
    this.unpackedBytes = BOUNDS.unpackedBytesMax - unpackedBytesMax;
  }

  /** Forbids further decompression. */
  spendUnpacking(): void {
    this.unpackedBytes = BOUNDS.unpackedBytesMax;
  }

  /** Throws DOCUMENT_TOO_COMPLEX. */
  read(bytes: number): void {
    this.#readBytes += bytes;
    if (this.#readBytes > BOUNDS.readBytesMax) throw tooComplex('too many overlapping objects');
  }

  /** Throws DOCUMENT_TOO_COMPLEX. */
  lookUp(): void {
    if (++this.#lookUps > BOUNDS.lookUpsMax) throw tooComplex('too many references to the same objects');
  }
}
