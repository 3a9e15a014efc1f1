import { withoutAncillaryChunks } from '@scriptorium/images/png';
import { Budget } from '@scriptorium/ooxml/bounds';
import { type Dropped, openPackage, writePackage } from '@scriptorium/ooxml/package';
import { applyEdits, decodeXml, Scope, scanXml } from '@scriptorium/ooxml/xml';
import { type NewEntry, readArchive, unpackEntry, writeArchive } from '@scriptorium/ooxml/zip';
import { activeContent } from '../docx/active-content.ts';
import { embeddedObjects } from '../docx/embedded-objects.ts';
import { macros } from '../docx/macros.ts';
import { DropLog } from '../sources/drop-log.ts';
import { vettedLink, withoutPaths, withoutPathsIn } from './addresses.ts';
import { vetHtml } from './html.ts';
import { OpenDocumentResult } from './open-document.ts';

/** Formats of results beside PDF. */
export type ResultFormat = 'docx' | 'odt' | 'html' | 'txt' | 'png';

export interface VettedDocument {
  bytes: Buffer;
  removed: Dropped[];
}

const XML_NAME = /\.(?:xml|rels|rdf|svg|vml)$/i;
/** Code of OpenDocument. */
const CODE_NAME = /^(?:basic|scripts|dialogs)\//i;

const VETTERS: Record<
  ResultFormat,
  (bytes: Buffer, folder: string | undefined, drops: DropLog) => Buffer | Promise<Buffer>
> = {
  docx: vetWord,
  odt: (bytes, folder, drops) => rewriteParts(bytes, folder, drops, true),
  html(bytes, folder, drops) {
    const html = bytes.toString();
    const vetted = vetHtml(html, (address) => vettedLink(address, folder), drops);
    return textOf(bytes, html, vetted, folder, drops);
  },
  txt(bytes, folder, drops) {
    const text = bytes.toString();
    return textOf(bytes, text, text, folder, drops);
  },
  png(bytes, _folder, drops) {
    const vetted = withoutAncillaryChunks(bytes);
    if (vetted !== bytes) drops.add('metadata', 'png');
    return vetted;
  },
};

/**
 * Vets a document that LibreOffice wrote, whatever made its content: what `docs/security/model.md` excludes from results is
 * removed and named. Returns the same bytes if there is nothing. `folder` is the URL of the folder that the document was in.
 * Time is linear. Throws OoxmlError for what cannot be read, or is above a bound.
 */
export async function vetDocument(
  format: ResultFormat,
  bytes: Buffer,
  folder: string | undefined,
): Promise<VettedDocument> {
  const drops = new DropLog();
  const vetted = await VETTERS[format](bytes, folder, drops);
  return { bytes: vetted, removed: drops.list().map((drop) => withoutPathsIn(drop, folder)) };
}

function textOf(
  bytes: Buffer,
  before: string,
  after: string,
  folder: string | undefined,
  drops: DropLog,
): Buffer {
  const written = withoutPaths(after, folder);
  if (written !== after) drops.add('path of the service', 'text');
  return written === before ? bytes : Buffer.from(written);
}

async function vetWord(bytes: Buffer, folder: string | undefined, drops: DropLog): Promise<Buffer> {
  const document = await openPackage(await rewriteParts(bytes, folder, drops, false), [
    ...activeContent(),
    macros(),
    embeddedObjects(),
  ]);
  for (const { what, part, detail } of document.dropped) drops.add(what, part, detail);
  return drops.list().length === 0 ? bytes : writePackage(document, { isCompressed: true });
}

/** The package without paths of the service and, if it is an OpenDocument, without active content. */
async function rewriteParts(
  bytes: Buffer,
  folder: string | undefined,
  drops: DropLog,
  isOpenDocument: boolean,
): Promise<Buffer> {
  const budget = new Budget();
  const names = Scope.root();
  let isChanged = false;
  const kept: NewEntry[] = [];
  for (const entry of (await readArchive(bytes, budget)).values()) {
    const { name } = entry;
    const isCode = isOpenDocument && CODE_NAME.test(name);
    if (isCode) drops.add('macro', name);
    isChanged ||= isCode;
    if (isCode) continue;
    kept.push({ name, entry });
    if (!XML_NAME.test(name)) continue;
    budget.addXml(entry.size);
    const { xml } = decodeXml(unpackEntry(entry, budget));
    let vetted = withoutPaths(xml, folder);
    if (vetted !== xml) drops.add('path of the service', name);
    if (isOpenDocument) {
      const result = new OpenDocumentResult(name, drops);
      scanXml(vetted, [result.visitor()], { budget, part: name, names });
      vetted = applyEdits(vetted, result.edits);
    }
    if (vetted === xml) continue;
    isChanged = true;
    kept[kept.length - 1] = { name, data: Buffer.from(vetted) };
  }
  return isChanged ? writeArchive(kept, { isCompressed: true }) : bytes;
}
