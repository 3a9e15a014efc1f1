import { isLocked } from '@scriptorium/pdf/permissions';
import { type Box, Dict, isName, PdfString, Ref, readBox } from '@scriptorium/pdf/read';
import { TextFonts } from '@scriptorium/pdf/text-fonts';
import { editDict, literal, Update } from '@scriptorium/pdf/update';
import { SignatureError } from '../signature-error.ts';
import type { ReadPdf } from './read-pdf.ts';

/** Texts of a signer, by the part of a field's name before its role: `date`, `name`, `initials` and `text`. */
export type SignerTexts = ReadonlyMap<string, string>;

/** A PDF whose fields of a signer have their texts. */
export interface FilledPdf {
  bytes: Buffer;
  /** The names of these fields. */
  filled: string[];
  /** Those whose letters an earlier signature does not know. */
  doubted: string[];
}

const SIZE_MAX = 12;
const SIZE_MIN = 4;
/** Share of the height of a field. */
const SIZE_SHARE = 0.75;
const MARGIN = 1;
/** The depth of letters below their line, of their size. */
const DEPTH = 0.22;
/** What a font that readers draw with one of their own can show. */
const LATIN = /^[\x20-\x7e\xa0-\xff]*$/;
const HELVETICA = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>';

/**
 * Fills the empty text fields of a role, such as `date:tenant`, in an update of its own. Locked fields stay empty. Throws
 * VALIDATION_ERROR for a field that is too small for its text.
 */
export function fillFields(pdf: ReadPdf, role: string, texts: SignerTexts): FilledPdf {
  const { document, locks, docMdp, isSearched, isSigned } = pdf;
  const form = document.dict(document.catalog.value, 'AcroForm');
  const fields = form && document.get(form, 'Fields');
  const filled: string[] = [];
  const doubted: string[] = [];
  if (!form || !Array.isArray(fields) || docMdp === 1 || (isSearched && isSigned))
    return { bytes: document.bytes, filled, doubted };
  const update = new Update(document);
  for (const ref of fields) {
    const field = document.resolve(ref);
    if (!(ref instanceof Ref) || !(field instanceof Dict) || !isName(document.get(field, 'FT'), 'Tx'))
      continue;
    const title = document.get(field, 'T');
    const name = title instanceof PdfString ? title.text : '';
    const kind = name.endsWith(`:${role}`) ? name.slice(0, -role.length - 1) : '';
    const text = texts.get(kind);
    const box = readBox(document.get(field, 'Rect'), document);
    const isFree = document.get(field, 'V') === null && !locks.some((lock) => isLocked(lock, name));
    if (text === undefined || box === undefined || !isFree) continue;
    const isPlain = isSigned && LATIN.test(text);
    if (isSigned && !isPlain) doubted.push(name);
    const look = isPlain ? plainLook(update, form, name, text, box) : shapedLook(update, name, text, box);
    update.replace(ref, editDict(field, { V: literal.text(text), AP: `<</N ${look}>>` }));
    filled.push(name);
  }
  return { bytes: filled.length === 0 ? document.bytes : update.finish().bytes, filled, doubted };
}

/** The largest size at which a text fits its field. */
function sizeIn(name: string, text: string, [left, bottom, right, top]: Box, fonts: TextFonts): number {
  const room = right - left - 2 * MARGIN;
  const size = Math.min(
    SIZE_MAX,
    (top - bottom) * SIZE_SHARE,
    (0.95 * room) / Math.max(fonts.width(text, 1), 0.01),
  );
  if (size >= SIZE_MIN) return size;
  throw new SignatureError('VALIDATION_ERROR', 'A field of the signer is too small for its text.', {
    details: [{ field: 'field', issue: `The field \`${name}\` is too small for its text.` }],
  });
}

/** A look in fonts of the host, whose glyphs are embedded. */
function shapedLook(update: Update, name: string, text: string, box: Box): Ref {
  const fonts = new TextFonts();
  const size = sizeIn(name, text, box, fonts);
  const shown = fonts.show(text, size);
  return addLook(update, { shown, fonts: fonts.embed(update), size, box });
}

/** A look in Helvetica: after a signature, a new font could draw other letters than its text says, which verifiers doubt. */
function plainLook(update: Update, form: Dict, name: string, text: string, box: Box): Ref {
  const { document } = update;
  const resources = document.dict(form, 'DR');
  const known = (resources && document.dict(resources, 'Font'))?.get('Helv');
  const font = known instanceof Ref ? known : update.add(HELVETICA);
  const size = sizeIn(name, text, box, new TextFonts());
  const escaped = text.replace(/[\\()]/g, '\\$&');
  return addLook(update, {
    shown: `/Helv ${literal.number(size)} Tf (${escaped}) Tj`,
    fonts: `/Helv ${font}`,
    size,
    box,
  });
}

function addLook(
  update: Update,
  {
    shown,
    fonts,
    size,
    box: [left, bottom, right, top],
  }: { shown: string; fonts: string; size: number; box: Box },
): Ref {
  const height = top - bottom;
  const up = Math.max(DEPTH * size, (height - size) / 2 + DEPTH * size);
  const content = `/Tx BMC q BT 0 g ${MARGIN} ${literal.number(up)} Td ${shown} ET Q EMC`;
  const keys = `/Type/XObject/Subtype/Form/BBox${literal.numbers([0, 0, right - left, height])}/Resources<</Font<<${fonts}>>>>`;
  return update.add(literal.stream(keys, Buffer.from(content, 'latin1')));
}
