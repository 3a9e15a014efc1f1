import { normalAppearance } from '../read/annotations.ts';
import type { PdfDocument } from '../read/document.ts';
import { Dict, isName, Name, type PdfValue, Ref } from '../read/values.ts';
import type { Comparison } from './comparison.ts';
import { hasProgram } from './font-text.ts';
import { formOf } from './form-tree.ts';

const FONTS_MAX = 1_000;

/**
 * Whether the letters of a look are those that their codes name: its fonts were signed, or readers draw them with fonts of
 * their own. The program of another font may draw anything for a code.
 */
export function drawsKnownLetters(c: Comparison, widget: Dict, fonts: Iterable<Dict>): boolean {
  let signed: ReadonlySet<PdfValue> | undefined;
  for (const font of fonts) {
    if (!hasOwnGlyphs(c.newer, font)) continue;
    if (c.newer.holds(font) && font.start < c.older.bytes.length) continue;
    signed ??= signedFonts(c, widget);
    // Revisions share what they read: an object of an object stream is the same one in both.
    if (!signed.has(font)) return false;
  }
  return true;
}

/** Whether a font brings its glyphs along. */
function hasOwnGlyphs(document: PdfDocument, font: Dict): boolean {
  const [type, name] = [document.get(font, 'Subtype'), document.get(font, 'BaseFont')];
  // Some readers show nothing without them.
  if (isName(type, 'Type3') || !(type instanceof Name && name instanceof Name)) return true;
  const below = document.get(font, 'DescendantFonts');
  const own = document.resolve((Array.isArray(below) ? below[0] : undefined) ?? font);
  // Readers differ in the glyphs of a composite font without a program.
  if (!(own instanceof Dict) || (own !== font && !(document.get(font, 'Encoding') instanceof Name)))
    return true;
  return hasProgram(document, own);
}

/** The fonts of the older revision that the form or the look of a widget refers to. */
function signedFonts({ older, newer, budget }: Comparison, widget: Dict): Set<PdfValue> {
  const form = formOf(older);
  const look = normalAppearance(newer, widget);
  const found = new Set<PdfValue>();
  for (const resources of [form && older.dict(form, 'DR'), look && newer.dict(look.dict, 'Resources')]) {
    const fonts = resources && newer.dict(resources, 'Font');
    const entries = [...(fonts?.entries.values() ?? [])].slice(0, FONTS_MAX);
    budget.spend('items', entries.length);
    for (const { value } of entries) if (value instanceof Ref) found.add(older.resolve(value));
  }
  return found;
}
