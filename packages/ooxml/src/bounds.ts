import { OoxmlError } from './ooxml-error.ts';

const MIB = 1024 * 1024;

/** What one document may hold. Each bound is well above the largest value found among 663 real documents. */
export const BOUNDS = {
  zipEntriesMax: 5_000,
  inflatedBytesMax: 256 * MIB,
  xmlBytesMax: 64 * MIB,
  depthMax: 256,
  nestedTablesMax: 20,
  nestedFieldsMax: 50,
  pageBreaksMax: 5_000,
  attributesMax: 512,
  elementsMax: 2_000_000,
  relationshipsMax: 20_000,
  imagePixelsMax: 50_000_000,
  packedImageBytesMax: 64 * MIB,
  tableCellsMax: 100_000,
  tableRowsMax: 10_000,
  rowCellsMax: 1_000,
  sheetsMax: 1_000,
  sheetCellsMax: 500_000,
  sheetAreaMax: 2_000_000_000,
  mergedCellsMax: 20_000,
  cellStylesMax: 65_536,
  definedNamesMax: 20_000,
  slidesMax: 2_000,
  shapesMax: 50_000,
  csvBytesMax: 16 * MIB,
  columnsMax: 100,
  paragraphsMax: 200_000,
  paragraphCharsMax: 250_000,
  paragraphPiecesMax: 20_000,
  repeatedSpacesMax: 100_000,
  groupDepthMax: 256,
  textLinesMax: 100_000,
  htmlElementsMax: 200_000,
  styleWorkMax: 30_000_000,
  markdownBytesMax: MIB,
  placeholdersMax: 100_000,
  blockDepthMax: 64,
  generatedItemsMax: 100_000,
  signaturesMax: 100,
  signatureMarkupMax: 400_000,
  signatureCharsMax: 16 * MIB,
} as const;

export type Bound = keyof typeof BOUNDS;

const DESCRIPTIONS: Record<Bound, string> = {
  zipEntriesMax: 'ZIP entries',
  inflatedBytesMax: 'bytes when unpacked',
  xmlBytesMax: 'bytes of XML when unpacked',
  depthMax: 'levels of nested elements',
  nestedTablesMax: 'levels of nested tables',
  nestedFieldsMax: 'levels of nested fields',
  pageBreaksMax: 'page breaks',
  attributesMax: 'attributes on one element',
  elementsMax: 'XML elements',
  relationshipsMax: 'relationships',
  imagePixelsMax: 'pixels in one image',
  packedImageBytesMax: 'bytes in one packed image when unpacked',
  tableCellsMax: 'table cells',
  tableRowsMax: 'rows in one table',
  rowCellsMax: 'table cells in one row',
  sheetsMax: 'sheets',
  sheetCellsMax: 'cells with content',
  sheetAreaMax: 'cells from its first to its last cell with content',
  mergedCellsMax: 'merged cells',
  cellStylesMax: 'cell styles',
  definedNamesMax: 'defined names',
  slidesMax: 'slides',
  shapesMax: 'shapes',
  csvBytesMax: 'bytes of CSV',
  columnsMax: 'text columns on one page',
  paragraphsMax: 'paragraphs',
  paragraphCharsMax: 'characters in one paragraph',
  paragraphPiecesMax: 'differently formatted pieces in one paragraph',
  repeatedSpacesMax: 'repeated spaces',
  groupDepthMax: 'levels of nested groups',
  textLinesMax: 'lines of text',
  htmlElementsMax: 'HTML elements',
  styleWorkMax: 'comparisons of its elements with its style sheets',
  markdownBytesMax: 'bytes of Markdown',
  placeholdersMax: 'placeholders',
  blockDepthMax: 'levels of nested loops and conditions',
  generatedItemsMax: 'repetitions of its loops',
  signaturesMax: 'signatures',
  signatureMarkupMax: 'tags and attributes in its signatures',
  signatureCharsMax: 'characters in its signatures',
};

/** The error for a document that exceeds a bound. The message names the bound and, if given, the part. */
export function boundPassed(bound: Bound, part?: string): OoxmlError {
  const where = part === undefined ? 'The document' : `The part ${part}`;
  return new OoxmlError(
    'DOCUMENT_TOO_COMPLEX',
    `${where} has more than ${BOUNDS[bound].toLocaleString('en-US')} ${DESCRIPTIONS[bound]}.`,
  );
}

/** Counts what one document holds in total, over its parts and its nested packages. */
export class Budget {
  #entries = 0;
  #inflatedBytes = 0;
  #xmlBytes = 0;
  #elements = 0;
  #relationships = 0;

  addEntries(count: number): void {
    this.#entries += count;
    if (this.#entries > BOUNDS.zipEntriesMax) throw boundPassed('zipEntriesMax');
  }

  addInflated(bytes: number): void {
    this.#inflatedBytes += bytes;
    if (this.#inflatedBytes > BOUNDS.inflatedBytesMax) throw boundPassed('inflatedBytesMax');
  }

  addXml(bytes: number): void {
    this.#xmlBytes += bytes;
    if (this.#xmlBytes > BOUNDS.xmlBytesMax) throw boundPassed('xmlBytesMax');
  }

  addElements(count: number): void {
    this.#elements += count;
    if (this.#elements > BOUNDS.elementsMax) throw boundPassed('elementsMax');
  }

  get elementsLeft(): number {
    return BOUNDS.elementsMax - this.#elements;
  }

  addRelationships(count: number): void {
    this.#relationships += count;
    if (this.#relationships > BOUNDS.relationshipsMax) throw boundPassed('relationshipsMax');
  }
}
