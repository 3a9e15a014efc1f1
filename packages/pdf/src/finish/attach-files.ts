import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Ref } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { editDict, type Update } from '../write/update.ts';
import type { Relationship } from './finish-options.ts';

/** A file to attach. */
export interface Attachment {
  name: string;
  bytes: Uint8Array;
  contentType: string;
  relationship: Relationship;
  description?: string | undefined;
}

/**
 * Attaches files to a document as a whole (ISO 32000-2, 7.11.4 and 14.13, ISO 19005-3, 6.8). Returns the changes of the
 * catalog. The names are distinct.
 */
export function attachFiles(update: Update, files: readonly Attachment[], now: Date): Record<string, string> {
  const { document } = update;
  const catalog = document.catalog.value;
  const placed = files.map((file) => ({ key: literal.text(file.name), ref: addFile(update, file, now) }));
  const names = document.dict(catalog, 'Names');
  if (catalog.get('AF') !== null || names?.entries.has('EmbeddedFiles'))
    throw new Error('the document has attached files already');
  // In the order of their bytes.
  const sorted = placed.toSorted((a, b) => bytesOf(a.key).compare(bytesOf(b.key)));
  const tree = `<</Names[${sorted.map(({ key, ref }) => `${key}${ref}`).join(' ')}]>>`;
  return {
    Names: names ? editDict(names, { EmbeddedFiles: tree }) : `<</EmbeddedFiles${tree}>>`,
    AF: `[${placed.map(({ ref }) => ref).join(' ')}]`,
  };
}

/** The bytes of a text that `literal.text` wrote. */
function bytesOf(text: string): Buffer {
  if (text.startsWith('<')) return Buffer.from(text.slice(1, -1), 'hex');
  return Buffer.from(text.slice(1, -1).replace(/\\(.)/g, '$1'), 'latin1');
}

function addFile(
  update: Update,
  { name, bytes, contentType, relationship, description }: Attachment,
  now: Date,
): Ref {
  const sum = createHash('md5').update(bytes).digest('hex');
  const dates = `/CreationDate${literal.date(now)}/ModDate${literal.date(now)}`;
  const stream = update.add(
    literal.stream(
      `/Type/EmbeddedFile/Subtype${literal.name(contentType)}/Params<</Size ${bytes.length}${dates}/CheckSum<${sum}>>>` +
        '/Filter/FlateDecode',
      deflateSync(bytes),
    ),
  );
  // Readers of /F alone expect characters of their own file system.
  const plainName = literal.text(name.replace(/[^ -~]/gu, '_'));
  const about = description === undefined ? '' : `/Desc${literal.text(description)}`;
  return update.add(
    `<</Type/Filespec/F${plainName}/UF${literal.text(name)}${about}/AFRelationship/${relationship}/EF<</F ${stream}/UF ${stream}>>>>`,
  );
}
