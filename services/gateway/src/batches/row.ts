import { AppError, type ErrorDetail } from '@scriptorium/contracts/errors';
import { documentsOfData, imagesOfData, withPlaces } from '@scriptorium/docx-generate/values';
import { invalid, validate } from '@scriptorium/shared/http/validation';
import type { Put } from '../deferred/fields.ts';
import { DATA_BOUNDS } from '../middleware/json-bounds.ts';
import { parseJson } from '../middleware/receive-json.ts';
import { abortOnDisconnect } from '../requests/abort-on-disconnect.ts';
import { type BatchHead, type BatchRow, batchRow } from '../requests/batch-request.ts';
import { checkData } from '../requests/data-value.ts';
import { fieldValuesOf, imagesOf } from '../requests/field-values.ts';
import { contentOf, optionsOfDataOnly } from '../requests/generate-request.ts';
import { type FileLoading, loadFiles, type NamedFiles } from '../requests/load-files.ts';
import type { Line } from './read-lines.ts';

/** What fills the template for one row: JSON, and the bytes of the images and documents to which it refers. */
export interface Filling {
  kind: 'data' | 'fields';
  json: Buffer;
  images: Buffer | undefined;
}

/** A row of a batch, or the reason why it cannot be made. */
export interface Row {
  /** Its place in the batch, starting at 0. */
  index: number;
  id?: BatchRow['id'];
  name?: string | undefined;
  /** Where its document goes, if the batch has no caller who waits. */
  put?: Put | undefined;
  filling: Filling | AppError;
}

/** A row as it was received: a line of a stream, or an entry of a JSON body. */
export type ReceivedRow = (Line | { value: unknown }) & {
  /** Its place in the batch, if it is not the next one. */
  index?: number;
};

export interface RowParts {
  head: BatchHead;
  /** Whether each row says where its document goes. */
  isDelivered: boolean;
  files: Omit<FileLoading, 'signal'>;
  lineBytesMax: number;
  /** Time for the images and documents of one row. */
  fetchMsMax: number;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

const NOT_DELIVERED = 'requires `Prefer: respond-async`, without `deliver.parts`';

/** Reads one row and loads its images and documents. A row with a defect has the error of that defect; the others go on. */
export async function readRow(index: number, received: ReceivedRow, parts: RowParts): Promise<Row> {
  let named: Pick<Row, 'id' | 'name'> = {};
  try {
    const value = parsedValue(received, parts.lineBytesMax);
    named = namesOf(value);
    const row = validate(batchRow, value);
    if ((row.deliver !== undefined) !== parts.isDelivered)
      throw invalid([{ field: 'deliver', issue: parts.isDelivered ? 'is required' : NOT_DELIVERED }]);
    return { index, ...named, put: row.deliver?.put, filling: await fillingOf(row, parts) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { index, ...named, filling: error };
  }
}

/** Whether a row has fields, whatever else may be wrong with it. */
export function hasFields(received: ReceivedRow, lineBytesMax: number): boolean {
  try {
    const value = parsedValue(received, lineBytesMax);
    return typeof value === 'object' && value !== null && Object.hasOwn(value, 'fields');
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function parsedValue(received: ReceivedRow, lineBytesMax: number): unknown {
  if ('value' in received) return received.value;
  if ('isTooLong' in received)
    throw new AppError('PAYLOAD_TOO_LARGE', `The line exceeds the limit of ${lineBytesMax} bytes.`);
  return parseJson(received.bytes, DATA_BOUNDS, 'row');
}

/** The id and the name, also of a row with other defects, so that the caller can find it. */
function namesOf(value: unknown): Pick<Row, 'id' | 'name'> {
  if (typeof value !== 'object' || value === null) return {};
  const [id, name] = ['id', 'name'].map((key) =>
    batchRow.shape[key as 'id' | 'name'].safeParse(
      Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    ),
  );
  return {
    ...(id?.data !== undefined && { id: id.data }),
    ...(typeof name?.data === 'string' && { name: name.data }),
  };
}

async function fillingOf(row: BatchRow, parts: RowParts): Promise<Filling> {
  const content = contentOf(row);
  if ('fields' in content) {
    const issues = optionsOfDataOnly(withoutBatchOptions(parts.head)).map(requiresData);
    if (issues.length > 0) throw invalid(issues);
    const { places, bytes } = await filesIn(
      { images: imagesOf(content.fields), documents: new Map() },
      parts,
    );
    return { kind: 'fields', json: jsonOf(fieldValuesOf(content.fields, places)), images: bytes };
  }
  checkData(content.data);
  const { data } = content;
  const named = { images: imagesOfData(data), documents: documentsOfData(data) };
  const { places, bytes } = await filesIn(named, parts);
  return { kind: 'data', json: jsonOf(withPlaces(data, places)), images: bytes };
}

const requiresData = (name: string): ErrorDetail => ({ field: `options.${name}`, issue: 'requires `data`' });

const jsonOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** The options of filling. */
export function withoutBatchOptions({ options }: Pick<BatchHead, 'options'>) {
  const { onError: _onError, order: _order, ...filling } = options;
  return filling;
}

async function filesIn(named: NamedFiles, { files, fetchMsMax, signal }: RowParts) {
  if (named.images.size + named.documents.size === 0) return { places: new Map(), bytes: undefined };
  return await abortOnDisconnect({ deadlineAt: Date.now() + fetchMsMax, signal }, (until) =>
    loadFiles(named, { ...files, signal: until }),
  );
}
