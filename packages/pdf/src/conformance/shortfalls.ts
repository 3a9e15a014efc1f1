import { PdfError, tooComplex } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { eachPage, inheritedFrom } from '../read/pages.ts';
import { Dict, isName, Name, PdfString, type PdfValue } from '../read/values.ts';

/** What a PDF claims: a level of PDF/A (ISO 19005), and PDF/UA-1 (ISO 14289-1). */
export interface ClaimedConformance {
  pdfa?: '1b' | '2b' | '3b' | undefined;
  pdfua: boolean;
  /** The title if the document has none. */
  title?: string | undefined;
}

/** What a PDF lacks of what it claims. */
export interface Shortfall {
  what:
    | 'title'
    | 'language'
    | 'tags'
    | 'check of tags'
    | 'tag of a link'
    | 'alternative text'
    | 'heading level'
    | 'embedded font'
    | 'list of characters'
    | 'output intent';
  /** How many objects lack it. */
  count: number;
}

const PROGRAMS = ['FontFile', 'FontFile2', 'FontFile3'];

const isText = (value: PdfValue): boolean => value instanceof PdfString && value.text.trim() !== '';

/** Returns what a PDF lacks of what it claims, by the clauses that LibreOffice is known to break. */
export function shortfallsOf(document: PdfDocument, { pdfa, pdfua }: ClaimedConformance): Shortfall[] {
  const found: Shortfall[] = [];
  const add = (what: Shortfall['what'], count: number) => {
    if (count > 0) found.push({ what, count });
  };
  if (pdfua) {
    const { value: catalog } = document.catalog;
    const tree = readTree(document);
    add('title', hasShownTitle(document) ? 0 : 1);
    add('language', isText(document.get(catalog, 'Lang')) ? 0 : 1);
    add('check of tags', tree === 'too large' ? 1 : 0);
    add('tags', tree === undefined || !isMarked(document) ? 1 : 0);
    if (typeof tree === 'object') {
      add('alternative text', tree.undescribed);
      add('heading level', tree.skippedHeadings);
    }
    add('tag of a link', countUntaggedLinks(document));
  }
  const fonts = [...fontsOf(document)];
  add('embedded font', fonts.filter((font) => !hasProgram(document, font)).length);
  if (pdfa === '1b') add('list of characters', fonts.filter((font) => isUnlisted(document, font)).length);
  if (pdfa !== undefined) add('output intent', hasOutputIntent(document) ? 0 : 1);
  return found;
}

/** ISO 14289-1 §7.1. */
function hasShownTitle(document: PdfDocument): boolean {
  const info = document.dict(document.trailer, 'Info');
  const preferences = document.dict(document.catalog.value, 'ViewerPreferences');
  const isShown = preferences !== undefined && document.get(preferences, 'DisplayDocTitle') === true;
  return isShown && info !== undefined && isText(document.get(info, 'Title'));
}

function isMarked(document: PdfDocument): boolean {
  const mark = document.dict(document.catalog.value, 'MarkInfo');
  return mark !== undefined && document.get(mark, 'Marked') === true;
}

/** Those that no tag names (ISO 14289-1 §7.18.5): LibreOffice tags none on slides. */
function countUntaggedLinks(document: PdfDocument): number {
  let count = 0;
  for (const page of eachPage(document)) {
    const annotations = document.get(page, 'Annots');
    for (const item of Array.isArray(annotations) ? annotations : []) {
      const annotation = document.resolve(item);
      if (!(annotation instanceof Dict) || !isName(document.get(annotation, 'Subtype'), 'Link')) continue;
      if (typeof document.get(annotation, 'StructParent') !== 'number') count++;
    }
  }
  return count;
}

function hasOutputIntent(document: PdfDocument): boolean {
  const intents = document.get(document.catalog.value, 'OutputIntents');
  return Array.isArray(intents) && intents.length > 0;
}

interface Tree {
  /** Figures and formulas without a text for those who cannot see them (ISO 14289-1 §7.3 and §7.7). */
  undescribed: number;
  /** Headings more than one level below the one before (§7.4.2). */
  skippedHeadings: number;
}

const SEEN_ONLY = new Set(['Figure', 'Formula']);

/** A table of thousands of rows has more tags than we read. Its PDF is not refused for that. */
function readTree(document: PdfDocument): Tree | 'too large' | undefined {
  try {
    return treeOf(document);
  } catch (error) {
    if (error instanceof PdfError && error.code === 'DOCUMENT_TOO_COMPLEX') return 'too large';
    throw error;
  }
}

/** Reads the tags in reading order; undefined if there are none. */
function treeOf(document: PdfDocument): Tree | undefined {
  const root = document.dict(document.catalog.value, 'StructTreeRoot');
  if (root === undefined) return undefined;
  const roles = document.dict(root, 'RoleMap');
  const tree: Tree = { undescribed: 0, skippedHeadings: 0 };
  let level = 0;
  const seen = new Set<Dict>();
  const stack: PdfValue[] = [root.get('K')];
  while (stack.length > 0) {
    const value = document.resolve(stack.pop() ?? null);
    if (Array.isArray(value)) for (let i = value.length - 1; i >= 0; i--) stack.push(value[i] ?? null);
    if (!(value instanceof Dict) || seen.has(value)) continue;
    seen.add(value);
    if (seen.size > BOUNDS.valuesMax || stack.length > BOUNDS.valuesMax) throw tooComplex('too many tags');
    const role = roleOf(document, value, roles);
    if (
      SEEN_ONLY.has(role) &&
      !isText(document.get(value, 'Alt')) &&
      !isText(document.get(value, 'ActualText'))
    )
      tree.undescribed++;
    const heading = Number(/^H([1-6])$/.exec(role)?.[1] ?? 0);
    if (heading > level + 1) tree.skippedHeadings++;
    if (heading > 0) level = heading;
    stack.push(value.get('K'));
  }
  return tree;
}

/** The standard type of a tag, through at most a few roles. */
function roleOf(document: PdfDocument, element: Dict, roles: Dict | undefined): string {
  const own = document.get(element, 'S');
  let role = own instanceof Name ? own.text : '';
  for (let step = 0; step < 8 && roles !== undefined; step++) {
    const mapped = document.get(roles, role);
    if (!(mapped instanceof Name) || mapped.text === role) break;
    role = mapped.text;
  }
  return role;
}

/** The fonts of pages, each once. */
export function* fontsOf(document: PdfDocument): Generator<Dict> {
  const seen = new Set<Dict>();
  for (const page of eachPage(document)) {
    const resources = inheritedFrom(document, page, 'Resources');
    if (!(resources instanceof Dict) || seen.has(resources)) continue;
    seen.add(resources);
    for (const { value } of document.dict(resources, 'Font')?.entries.values() ?? []) {
      const font = document.resolve(value);
      if (!(font instanceof Dict) || seen.has(font)) continue;
      seen.add(font);
      yield font;
    }
  }
}

/** A part of a Type 1 font that does not say which characters it has (ISO 19005-1 §6.3.5), as LibreOffice writes them. */
export function isUnlisted(document: PdfDocument, font: Dict): boolean {
  const name = document.get(font, 'BaseFont');
  const descriptor = document.dict(font, 'FontDescriptor');
  const isPart = name instanceof Name && /^[A-Z]{6}\+/.test(name.text);
  const isType1 = isName(document.get(font, 'Subtype'), 'Type1');
  return isPart && isType1 && descriptor !== undefined && document.get(descriptor, 'CharSet') === null;
}

/** Whether its program is in the file (ISO 19005-2 §6.2.11.4, ISO 14289-1 §7.21.4). */
function hasProgram(document: PdfDocument, font: Dict): boolean {
  // Its glyphs are in the font itself (ISO 32000-1 §9.6.5).
  if (isName(document.get(font, 'Subtype'), 'Type3')) return true;
  const descendants = document.get(font, 'DescendantFonts');
  const descendant = Array.isArray(descendants) ? document.resolve(descendants[0] ?? null) : font;
  const descriptor = descendant instanceof Dict ? document.dict(descendant, 'FontDescriptor') : undefined;
  return descriptor !== undefined && PROGRAMS.some((key) => document.get(descriptor, key) !== null);
}
