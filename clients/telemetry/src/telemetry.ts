import { crc32Hex, sha256Hex } from './hash.ts';
import { readSettings, type Settings, type TelemetryOptions } from './options.ts';
import { type Marks, readMarks, writeMarks } from './package.ts';
import { afterTask, whenIdle } from './pauses.ts';
import { type OpenEvent, sendEvent } from './report.ts';

export type { TelemetryOptions } from './options.ts';

/** A DOCX file. A `Blob` or `File` is read later. A buffer must not be changed or transferred until the page has been idle. */
export type DocumentBytes = Uint8Array | ArrayBuffer | Blob;

/** The identity of a document: read from it, or generated if missing. */
export interface DocumentIdentity {
  readonly guid: string;
  /** ISO 8601. A generated value is the minute of opening, in UTC. */
  readonly created: string;
}

/** A document that the editor has open. */
export interface OpenedDocument {
  readonly identity: Promise<DocumentIdentity>;
}

async function toBytes(input: DocumentBytes): Promise<Uint8Array> {
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (typeof (input as Blob).arrayBuffer === 'function')
    return new Uint8Array(await (input as Blob).arrayBuffer());
  // Checked by tag, since buffers may come from other frames, and `new Uint8Array` also accepts numbers.
  if (/^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(input)))
    return new Uint8Array(input as ArrayBuffer);
  throw new TypeError('A document is a Uint8Array, an ArrayBuffer or a Blob.');
}

/** UUID v4 (RFC 9562 §5.4); `crypto.randomUUID` exists on secure pages only. */
function newGuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const minuteOf = (time: Date): string => `${time.toISOString().slice(0, 16)}:00Z`;

function complete({ guid, created }: Marks, time: Date): DocumentIdentity {
  return { guid: guid ?? newGuid(), created: created ?? minuteOf(time) };
}

/** Returns a full ISO 8601 time unchanged. Other texts are converted, or replaced by the minute of opening. */
function createdAt(created: string, openedAt: Date): string {
  const full = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(created);
  if (full && !Number.isNaN(Date.parse(created))) return created;
  const time = /^\d{4}(-\d\d){0,2}/.test(created) ? new Date(created) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : minuteOf(openedAt);
}

async function documentId(bytes: Uint8Array, { guid, created }: Marks, form: Settings['identifier']) {
  const known = guid && created ? new TextEncoder().encode(`${guid}|${created}`) : undefined;
  if (!known) await whenIdle();
  // Empty and transferred buffers would all count as the same document.
  if (!known && bytes.length === 0) throw new TypeError('The document is empty.');
  return form === 'crc32'
    ? `HASH-${await crc32Hex(known ?? bytes)}`
    : `sha256:${await sha256Hex(known ?? bytes)}`;
}

interface DocumentContent {
  readonly bytes: Uint8Array;
  readonly marks: Marks;
}

async function readContent(input: DocumentBytes): Promise<DocumentContent> {
  await afterTask();
  const bytes = await toBytes(input);
  return { bytes, marks: await readMarks(bytes).catch(() => ({})) };
}

/** Throws without a document to report. */
async function eventOf(
  content: Promise<DocumentContent>,
  opened: OpenedDocument,
  openedAt: Date,
  form: Settings['identifier'],
): Promise<OpenEvent> {
  const { bytes, marks } = await content;
  return {
    timestamp: openedAt.toISOString(),
    documentId: await documentId(bytes, marks, form),
    documentCreatedAt: createdAt((await opened.identity).created, openedAt),
  };
}

const ignore = () => undefined;

/**
 * Counts an open of a document. Call it with the original file on each open and import. It returns at once and never throws.
 * It reads the file after the current task and sends one request without retry. Failures are ignored. Pass the result to
 * `prepareExport` when this document is exported.
 */
export function trackOpen(bytes: DocumentBytes, options?: TelemetryOptions): OpenedDocument {
  const openedAt = new Date();
  const content = readContent(bytes);
  const identity = content.then(
    ({ marks }) => complete(marks, openedAt),
    () => complete({}, openedAt),
  );
  identity.catch(ignore);
  const opened = { identity };
  try {
    const settings = readSettings(options);
    // In this order, so that the file is released before the answer, which may take long.
    if (settings.enabled)
      eventOf(content, opened, openedAt, settings.identifier)
        .then((event) => sendEvent(event, settings))
        .catch(ignore);
  } catch {
    // Options that cannot be read may disable telemetry.
  }
  return opened;
}

/** Returns a document that was created in the editor. It does not send a request. */
export function newDocument(): OpenedDocument {
  const identity = Promise.resolve(new Date()).then((time) => complete({}, time));
  identity.catch(ignore);
  return { identity };
}

/**
 * Returns the exported file with GUID and creation time. Existing values are kept. Missing values come from the opened
 * document, or are generated once per document. All other parts stay unchanged, byte for byte. A file that is signed or cannot
 * be read within the limits is returned unchanged. It does not send a request.
 * Rejects only if `bytes` is not a document.
 */
export async function prepareExport(bytes: DocumentBytes, document = newDocument()): Promise<Uint8Array> {
  const exported = await toBytes(bytes);
  try {
    const { guid, created } = await readMarks(exported);
    if (guid && created) return exported;
    const identity = await document.identity;
    return await writeMarks(exported, {
      guid: guid ? undefined : identity.guid,
      created: created ? undefined : identity.created,
    });
  } catch {
    return exported;
  }
}
