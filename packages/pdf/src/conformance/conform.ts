import { Costs } from '../read/bounds.ts';

import { openPdf } from '../read/open.ts';
import { eachPage } from '../read/pages.ts';
import { Dict, isName, PdfString, Ref, Stream } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { editDict, Update } from '../write/update.ts';
import { writable } from '../write/xmp.ts';
import { metadataOf, repairDates } from './info-in-xmp.ts';
import { type ClaimedConformance, fontsOf, isUnlisted, type Shortfall, shortfallsOf } from './shortfalls.ts';
import { withTitle } from './xmp-repairs.ts';

/**
 * Repairs a PDF that LibreOffice wrote, and reports what it still lacks of PDF/A or PDF/UA.
 *
 * Repairs dates in the XMP (ISO 19005-2 §6.6.2.3 wants those of the information dictionary), and a missing title that viewers
 * shall show (ISO 14289-1 §7.1). Also repairs links without a description (§7.18.5), and fonts that do not list their characters
 * (ISO 19005-1 §6.3.5). Throws PdfError.
 */
export function conform(bytes: Buffer, claims: ClaimedConformance): { bytes: Buffer; missing: Shortfall[] } {
  const dated = repairDates(bytes);
  const listed = claims.pdfa === '1b' ? repairCharacterLists(dated) : dated;
  const repaired = claims.pdfua ? repairForReaders(listed, claims.title) : listed;
  return { bytes: repaired, missing: shortfallsOf(openPdf(repaired).document, claims) };
}

/** The characters that a Type 1 font names in the plain part of its program (Adobe Type 1 Font Format, §2.3). */
const ENCODED = /\bdup \d+ ?\/([^\s/()<>[\]{}%]+) put\b/g;

/** As an incremental update, if a font needs one. */
function repairCharacterLists(bytes: Buffer): Buffer {
  const { document } = openPdf(bytes);
  const update = new Update(document);
  let isAny = false;
  for (const font of fontsOf(document)) {
    const { dict, ref } = document.owned(font, 'FontDescriptor');
    const program = dict && document.get(dict, 'FontFile');
    if (!dict || !ref || !(program instanceof Stream) || !isUnlisted(document, font)) continue;
    const plain = Number(document.get(program.dict, 'Length1') ?? 0);
    const text = document.unpacked(program, new Costs()).toString('latin1', 0, plain);
    const names = new Set([...text.matchAll(ENCODED)].map(([, name = '']) => name));
    names.delete('.notdef');
    if (names.size === 0) continue;
    const list = [...names].map((name) => `/${name}`).join('');
    update.replace(ref, editDict(dict, { CharSet: literal.text(list) }));
    isAny = true;
  }
  return isAny ? update.finish().bytes : bytes;
}

/** As an incremental update, if anything is missing. */
function repairForReaders(bytes: Buffer, titleIfNone: string | undefined): Buffer {
  const { document } = openPdf(bytes);
  const update = new Update(document);
  const hasTitle = repairTitle(update, titleIfNone);
  const links = repairLinks(update);
  return hasTitle || links ? update.finish().bytes : bytes;
}

function repairTitle(update: Update, titleIfNone: string | undefined): boolean {
  const { document } = update;
  const { catalog } = document;
  const info = document.owned(document.trailer, 'Info');
  const own = info.dict && document.get(info.dict, 'Title');
  const hasOwn = own instanceof PdfString && own.text.trim() !== '';
  const title = hasOwn ? own.text : titleIfNone?.trim();
  const metadata = metadataOf(document);
  if (title === undefined || title === '' || !info.dict || !info.ref || metadata === undefined) return false;
  const preferences = document.dict(catalog.value, 'ViewerPreferences');
  const isShown = preferences !== undefined && document.get(preferences, 'DisplayDocTitle') === true;
  if (hasOwn && isShown && metadata.xmp.includes('<dc:title')) return false;
  const shown = preferences
    ? editDict(preferences, { DisplayDocTitle: 'true' })
    : '<</DisplayDocTitle true>>';
  const root = document.trailer.get('Root');
  if (root instanceof Ref) update.replace(root, editDict(catalog.value, { ViewerPreferences: shown }));
  update.replace(info.ref, editDict(info.dict, { Title: literal.text(writable(title)) }));
  const xmp = Buffer.from(withTitle(metadata.xmp, title));
  update.replace(metadata.ref, literal.stream('/Type/Metadata/Subtype/XML', xmp));
  return true;
}

/** Describes each link by its address, or as a link within the document. */
function repairLinks(update: Update): boolean {
  const { document } = update;
  let isAny = false;
  for (const page of eachPage(document)) {
    const annotations = document.get(page, 'Annots');
    if (!Array.isArray(annotations)) continue;
    for (const ref of annotations) {
      const annotation = document.resolve(ref);
      if (!(ref instanceof Ref && annotation instanceof Dict)) continue;
      const isLink = isName(document.get(annotation, 'Subtype'), 'Link');
      if (!isLink || document.get(annotation, 'Contents') !== null) continue;
      const action = document.dict(annotation, 'A');
      const address = action && document.get(action, 'URI');
      const text = address instanceof PdfString ? address.text : 'Link within this document';
      update.replace(ref, editDict(annotation, { Contents: literal.text(text) }));
      isAny = true;
    }
  }
  return isAny;
}
