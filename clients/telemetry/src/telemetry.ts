import { crc32Hex, sha256Hex } from './hash.ts';
import { readSettings, type Settings, type TelemetryOptions } from './options.ts';
import { type Marks, readMarks, writeMarks } from './package.ts';
import { afterTask, whenIdle } from './pauses.ts';
import { type OpenEvent, sendEvent } from './report.ts';

export type { TelemetryOptions } from './options.ts';

/** A DOCX file. A `Blob` or `File` is read when its turn comes; a buffer must be neither changed nor transferred before the page has been idle. */
export type DocumentBytes = Uint8Array | ArrayBuffer | Blob;

/** What identifies a document: found in it, or generated where it was missing. */
export interface DocumentIdentity {
  readonly guid: string;
  /** ISO 8601; generated ones are the minute of opening, in UTC. */
  readonly created: string;
}

/** A document for as long as the editor has it open. */
export interface OpenedDocument {
  readonly identity: Promise<DocumentIdentity>;
}

async function toBytes(input: DocumentBytes): Promise<Uint8Array> {
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (typeof (input as Blob).arrayBuffer === 'function')
    return new Uint8Array(await (input as Blob).arrayBuffer());
  // By its tag, for buffers come from other frames too, and `new Uint8Array` takes numbers as well.
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

/** As it stands where it is a full ISO 8601 time; other texts still identify, but tell no time. */
function createdAt(created: string, openedAt: Date): string {
  const full = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(created);
  if (full && !Number.isNaN(Date.parse(created))) return created;
  const time = /^\d{4}(-\d\d){0,2}/.test(created) ? new Date(created) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : minuteOf(openedAt);
}

async function documentId(bytes: Uint8Array, { guid, created }: Marks, form: Settings['identifier']) {
  const known = guid && created ? new TextEncoder().encode(`${guid}|${created}`) : undefined;
  if (!known) await whenIdle();
  // No document, or a buffer that has been transferred meanwhile: all of these would count as one and the same.
  if (!known && bytes.length === 0) throw new TypeError('A document without bytes.');
  return form === 'crc32'
    ? `HASH-${await crc32Hex(known ?? bytes)}`
    : `sha256:${await sha256Hex(known ?? bytes)}`;
}

interface Found {
  readonly bytes: Uint8Array;
  readonly marks: Marks;
}

async function look(input: DocumentBytes): Promise<Found> {
  await afterTask();
  const bytes = await toBytes(input);
  return { bytes, marks: await readMarks(bytes).catch(() => ({})) };
}

/** Throws where there is no document to tell of. */
async function eventOf(
  found: Promise<Found>,
  opened: OpenedDocument,
  openedAt: Date,
  form: Settings['identifier'],
): Promise<OpenEvent> {
  const { bytes, marks } = await found;
  return {
    timestamp: openedAt.toISOString(),
    documentId: await documentId(bytes, marks, form),
    documentCreatedAt: createdAt((await opened.identity).created, openedAt),
  };
}

const swallow = () => undefined;

/**
 * Counts that a document is opened: to be called with the file as it came, on each open and import. Returns at once
 * and never throws; the file is looked at after the current task, and one request is sent, without retry. Nothing that
 * fails is told. Hand the result to `prepareExport` when this document is exported.
 */
export function trackOpen(bytes: DocumentBytes, options?: TelemetryOptions): OpenedDocument {
  const openedAt = new Date();
  const found = look(bytes);
  const identity = found.then(
    ({ marks }) => complete(marks, openedAt),
    () => complete({}, openedAt),
  );
  identity.catch(swallow);
  const opened = { identity };
  try {
    const settings = readSettings(options);
    // One after the other: the file is let go before the answer, which may take long.
    if (settings.enabled)
      eventOf(found, opened, openedAt, settings.identifier)
        .then((event) => sendEvent(event, settings))
        .catch(swallow);
  } catch {
    // Options that cannot be read may say that nothing is to be sent.
  }
  return opened;
}

/** A document that the editor begins by itself and not from a file. Nothing is sent. */
export function newDocument(): OpenedDocument {
  const identity = Promise.resolve(new Date()).then((time) => complete({}, time));
  identity.catch(swallow);
  return { identity };
}

/**
 * The exported file with GUID and creation time: what the file has stays, what it lacks comes from the document as it
 * was opened, which is generated once for each document. All other parts stay as they are, byte for byte. A file that
 * cannot be read within the bounds, or is signed, is returned as it is. Makes no request.
 * Rejects only where `bytes` are none.
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
