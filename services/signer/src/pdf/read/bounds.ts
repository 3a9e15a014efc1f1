/** What reading one PDF may cost, whatever the PDF says of itself. */
export const BOUNDS = {
  /** Arrays and dictionaries within each other. */
  depthMax: 100,
  /** Names, numbers, strings, references and containers in all objects that are looked at. */
  valuesMax: 1_000_000,
  /** All streams that have to be unpacked to find objects. */
  unpackedBytesMax: 96 * 1024 * 1024,
  /** ISO 32000-1, annex C. */
  objectNumberMax: 8_388_607,
  revisionsMax: 4_096,
  /** In a file that does not say where its objects are. */
  searchedObjectsMax: 500_000,
  xrefSubsectionsMax: 200_000,
  pageNodesMax: 100_000,
  fieldsMax: 50_000,
  /** Bytes before the header, as Acrobat allows them. */
  junkBytesMax: 1_024,
} as const;

/** Counts what one document has cost so far. */
export class Costs {
  values = 0;
  unpackedBytes = 0;
}
