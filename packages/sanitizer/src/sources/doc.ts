import { isCompoundFile, isEncryptedPackage } from '@scriptorium/ooxml/package';
import { SanitizerError } from '../sanitizer-error.ts';
import { type CompoundEntry, readCompoundFile } from './doc/compound-reader.ts';
import { writeCompoundFile } from './doc/compound-writer.ts';
import { disarmFields } from './doc/word-fields.ts';
import { DropLog } from './drop-log.ts';
import { FrozenFields } from './frozen-fields.ts';
import { damaged, protectedByPassword, refusedAs, wrongFormat } from './refusal.ts';
import type { SourceSanitizer } from './source.ts';

const NAME = 'a binary Word 97–2003 document (.doc)';

const MAIN = 'WordDocument';
/** The streams with the text, its formatting and its pictures, and the document properties (MS-DOC §2.1). */
const KEPT = new Set([
  MAIN,
  '0Table',
  '1Table',
  'Data',
  '\x05SummaryInformation',
  '\x05DocumentSummaryInformation',
]);

/** Fields of the FIB (MS-DOC §2.5.2). */
const WORD_97 = 0xa5ec;
const WORD_6 = 0xa5dc;
const FIRST_VERSION = 0x00c1;
const ENCRYPTED = 0x0100;
const TABLE_1 = 0x0200;
const FIB_BYTES_MIN = 900;

/** The pictures of a binary document are records that cannot be removed reliably. */
function notAccepted(): SanitizerError {
  const reason = 'This service removes EMF and WMF pictures, and cannot remove them from it';
  return new SanitizerError('INVALID_FILE_FORMAT', `The file is ${NAME}. ${reason}. Send it as DOCX.`);
}

function encryptedPackage(): SanitizerError {
  const found = 'an encrypted package of Office, such as DOCX';
  return new SanitizerError('DOCUMENT_ENCRYPTED', `The file is ${found}, with a password, not ${NAME}.`);
}

/** Checks the header of the main stream. Returns the name of its table stream. */
function readFib(main: Buffer): string {
  if (main.length < 32) throw damaged('its WordDocument stream is truncated');
  const magic = main.readUInt16LE(0);
  if (magic === WORD_6 || (magic === WORD_97 && main.readUInt16LE(2) < FIRST_VERSION))
    throw refusedAs('a document of Word 6 or Word 95', NAME);
  if (magic !== WORD_97) throw damaged('the header of its WordDocument stream is invalid');
  const flags = main.readUInt16LE(10);
  if ((flags & ENCRYPTED) !== 0) throw protectedByPassword(NAME);
  if (main.length < FIB_BYTES_MIN) throw damaged('its WordDocument stream is truncated');
  return (flags & TABLE_1) === 0 ? '0Table' : '1Table';
}

function noteDropped(entries: readonly CompoundEntry[], drops: DropLog): void {
  for (const { path } of entries) {
    if (path[0] === 'Macros') drops.add('macro', 'Macros');
    if (path[0] === 'ObjectPool' && path.length === 2) drops.add('OLE object', path.join('/'));
  }
}

/**
 * Rewrites a Word 97–2003 document as a compound file with the text streams only. Macros and embedded objects are
 * dropped; the picture of an object is displayed. Fields that would fetch are disarmed. A linked picture is a record
 * deep inside the text properties, which cannot be edited reliably. The engine's lack of network and files protects
 * there.
 */
export const docSanitizer: SourceSanitizer = {
  async prepare(bytes, { updateFields, metafiles }) {
    if (!isCompoundFile(bytes)) throw await wrongFormat(bytes, NAME);
    if (metafiles === 'drop') throw notAccepted();
    if (isEncryptedPackage(bytes)) throw encryptedPackage();
    const drops = new DropLog();
    const entries = readCompoundFile(bytes);
    const streams = new Map<string, Buffer>();
    for (const { path, isStream, read } of entries) {
      const name = path.join('/');
      if (!isStream || !KEPT.has(name)) continue;
      if (streams.has(name)) throw damaged(`it contains the stream ${JSON.stringify(name)} twice`);
      streams.set(name, read());
    }
    const main = streams.get(MAIN);
    if (main === undefined) throw await wrongFormat(bytes, NAME);
    const tableName = readFib(main);
    const table = streams.get(tableName);
    if (table === undefined) throw damaged('its table stream is missing');
    const disarmed = Buffer.from(table);
    const frozen = new FrozenFields(updateFields);
    for (const field of disarmFields(main, disarmed, (name) => frozen.freezes(name)))
      drops.add('field', MAIN, field);
    noteDropped(entries, drops);
    streams.set(tableName, disarmed);
    return {
      bytes: writeCompoundFile(streams),
      engineSource: 'doc',
      dropped: drops.list(),
      facts: { frozenFields: frozen.counts },
    };
  },
};
