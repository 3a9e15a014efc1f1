import type { BOUNDS } from '@scriptorium/ooxml/bounds';

export type Unit = 'bytes' | 'ms' | 's' | '';

/** The settings that limit requests, in words. */
export const SETTINGS: readonly (readonly [name: string, what: string, unit: Unit])[] = [
  ['UPLOAD_BYTES_MAX', 'Document: uploaded, decoded or fetched', 'bytes'],
  ['JSON_BYTES_MAX', 'JSON body', 'bytes'],
  ['IMAGE_BYTES_MAX', 'Image of a field', 'bytes'],
  ['IMAGES_BYTES_MAX', 'All images of a request', 'bytes'],
  ['MERGE_BYTES_MAX', 'All documents of a merge', 'bytes'],
  ['BYTES_IN_FLIGHT_MAX', 'All bodies and fetched files in a gateway', 'bytes'],
  ['DEADLINE_MS', 'Time from request to answer', 'ms'],
  ['QUEUE_WAIT_MS_MAX', 'Wait for a worker before 503', 'ms'],
  ['QUEUE_LENGTH_MAX', 'Jobs that wait in a queue before 503', ''],
  ['KEY_CONCURRENCY_MAX', 'Requests in flight per API key', ''],
  [
    'ENGINE_SECONDS_PER_MINUTE',
    'Processor time of engines per owner and minute, before others come first',
    's',
  ],
  ['KEY_REQUESTS_PER_MINUTE_MAX', 'Requests per minute and API key', ''],
  ['REGISTRATIONS_PER_HOUR_MAX', 'Registrations and code checks per hour and client network', ''],
  ['SIGNING_KEY_READS_PER_HOUR_MAX', 'Reads of the public signing key per hour and client network', ''],
];

/** The bounds of documents, in words. */
export const DOCUMENT_BOUNDS: Record<keyof typeof BOUNDS, readonly [what: string, unit: Unit]> = {
  zipEntriesMax: ['ZIP entries', ''],
  inflatedBytesMax: ['Unpacked size', 'bytes'],
  xmlBytesMax: ['Unpacked size of all XML', 'bytes'],
  depthMax: ['Levels of nested elements', ''],
  nestedTablesMax: ['Levels of nested tables', ''],
  nestedFieldsMax: ['Levels of nested fields', ''],
  pageBreaksMax: ['Page breaks', ''],
  attributesMax: ['Attributes of one element', ''],
  elementsMax: ['XML elements', ''],
  relationshipsMax: ['Relationships', ''],
  imagePixelsMax: ['Pixels of one image', ''],
  packedImageBytesMax: ['Unpacked size of one packed image', 'bytes'],
  tableCellsMax: ['Table cells', ''],
  tableRowsMax: ['Rows of one table', ''],
  rowCellsMax: ['Cells of one table row', ''],
  columnsMax: ['Text columns of one page', ''],
  paragraphsMax: ['Paragraphs', ''],
  paragraphCharsMax: ['Characters of one paragraph', ''],
  paragraphPiecesMax: ['Differently formatted pieces of one paragraph', ''],
  repeatedSpacesMax: ['Repeated spaces', ''],
  groupDepthMax: ['Levels of nested groups (RTF)', ''],
  textLinesMax: ['Lines of plain text', ''],
  htmlElementsMax: ['HTML elements', ''],
  markdownBytesMax: ['Size of Markdown', 'bytes'],
  placeholdersMax: ['Placeholders', ''],
  blockDepthMax: ['Levels of nested loops and conditions', ''],
  generatedItemsMax: ['Repetitions of all loops', ''],
  signaturesMax: ['Signatures of a DOCX', ''],
  signatureMarkupMax: ['Tags and attributes in the signatures of a DOCX', ''],
  signatureCharsMax: ['Characters in the signatures of a DOCX', ''],
};
