import { tooComplex } from '../pdf-error.ts';

/** What reading one PDF may cost, whatever the PDF says of itself. */
export const BOUNDS = {
  /** Arrays and dictionaries within each other. */
  depthMax: 100,
  /** Names, numbers, strings, references and containers in all objects that are looked at. */
  valuesMax: 1_000_000,
  /** All that is parsed; what two objects share counts twice. */
  readBytesMax: 256 * 1024 * 1024,
  /** Values asked for, of which a file may make many out of few that refer to each other. */
  lookUpsMax: 5_000_000,
  /** Objects that have to be read to read one. */
  openingMax: 50,
  /** All streams that have to be unpacked to find objects. */
  unpackedBytesMax: 96 * 1024 * 1024,
  /** ISO 32000-1, annex C. */
  objectNumberMax: 8_388_607,
  generationMax: 65_535,
  revisionsMax: 4_096,
  /** In a file that does not say where its objects are. */
  packedObjectsMax: 65_536,
  searchedObjectsMax: 500_000,
  xrefSubsectionsMax: 200_000,
  pageNodesMax: 100_000,
  fieldsMax: 50_000,
  /** Of all full names of fields together. */
  fieldNamesCharsMax: 16_000_000,
  /** Bytes before the header, as Acrobat allows them. */
  junkBytesMax: 1_024,
} as const;

/** Counts what one document has cost so far. */
export class Costs {
  values = 0;
  unpackedBytes: number;
  #readBytes = 0;
  #lookUps = 0;

  /** `unpackedBytesMax` is what streams may unpack to, where that is less than a document's whole. */
  constructor(unpackedBytesMax: number = BOUNDS.unpackedBytesMax) {
    this.unpackedBytes = BOUNDS.unpackedBytesMax - unpackedBytesMax;
  }

  /** Nothing more is to be unpacked. */
  spendUnpacking(): void {
    this.unpackedBytes = BOUNDS.unpackedBytesMax;
  }

  /** Throws DOCUMENT_TOO_COMPLEX. */
  read(bytes: number): void {
    this.#readBytes += bytes;
    if (this.#readBytes > BOUNDS.readBytesMax) throw tooComplex('objects that lie within each other');
  }

  /** Throws DOCUMENT_TOO_COMPLEX. */
  lookUp(): void {
    if (++this.#lookUps > BOUNDS.lookUpsMax) throw tooComplex('too many references to the same objects');
  }
}
