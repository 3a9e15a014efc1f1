import { tooComplex } from '../refusals.ts';

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
  /** Of a document security store: certificates, answers and lists. */
  storedMax: 2_000,
  storedBytesMax: 64 * 1024 * 1024,
  signaturesMax: 250,
  /** That all signatures of a document lock. */
  lockedNamesMax: 50_000,
  /** From the first signature on. */
  signedRevisionsMax: 1_000,
  /** What all signatures of a document cover, taken together. */
  signedBytesMax: 1024 * 1024 * 1024,
  /** Bytes before the header, as Acrobat allows them. */
  junkBytesMax: 1_024,
} as const;

/** Counts what one document has cost so far. */
export class Costs {
  values = 0;
  unpackedBytes = 0;
  #readBytes = 0;
  #lookUps = 0;

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
