import type { Control, Story, Template } from '@scriptorium/docx-template/template';
import { isHeaderRow } from '@scriptorium/docx-template/template';
import {
  ancestorsOf,
  attributeOf,
  childOf,
  decodeReferences,
  descendantsOf,
  type XmlNode,
} from '@scriptorium/ooxml/xml';
import { ANY_MARK, MARK_REFERENCE } from '../generate/piece-marks.ts';

/** The text that stands in a form at a place, starting at 0. It begins with a character that no other text has. */
export type PlaceText = (at: number) => string;

/** What may be around a place. Whatever else there is, such as a text box or a tracked change, may depend on the text. */
const AROUND = new Set([
  'w:document',
  'w:body',
  'w:hdr',
  'w:ftr',
  'w:tbl',
  'w:tr',
  'w:tc',
  'w:p',
  'w:r',
  'w:sdt',
  'w:sdtContent',
]);
/** What a control around a place may have. Others are bound to data, or have texts that they format. */
const CONTROL_PROPERTIES = new Set([
  'w:rPr',
  'w:alias',
  'w:tag',
  'w:id',
  'w:lock',
  'w:placeholder',
  'w:showingPlcHdr',
  'w:text',
  'w:richText',
  'w15:appearance',
  'w15:color',
]);
/** Properties by which the size of a run depends on its text, or by which a change of the text is a change to review. */
const TEXT_DEPENDENT = ['w:fitText', 'w:eastAsianLayout', 'w:rtl', 'w:rPrChange', 'w:ins', 'w:del'];
/** Fields that show nothing of the text of the document, except the number of its pages. */
const INDEPENDENT_FIELD =
  /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES|DATE|TIME|CREATEDATE|SAVEDATE|PRINTDATE|AUTHOR|TITLE|SUBJECT|HYPERLINK)\b/i;
/** Settings by which a change of a loaded document is recorded or refused, and comments on its text. */
const UNSAFE = /[<:](?:trackRevisions|documentProtection|commentReference)\b/;
/** Begins the names of bookmarks that mark pieces (`services/converter/engine-host/form-pieces.h`). */
const PIECE_BOOKMARK = /^_(?:rows|blocks|table)/i;
const PARTS_OF_FORM: ReadonlySet<Story['place']> = new Set(['body', 'header', 'footer']);

function signOf(placeText: PlaceText): string {
  return String.fromCodePoint(placeText(0).codePointAt(0) ?? 0);
}

/** Whether a part of the document may contain a mark, or a bookmark whose name begins as those of pieces do. */
export function hasPlaces({ document, stories }: Template, placeText: PlaceText): boolean {
  const sign = signOf(placeText);
  const bytes = Buffer.from(sign);
  for (const { xml, bytes: own } of document.parts.values())
    if (xml === undefined ? own.includes(bytes) : xml.search(ANY_MARK) !== -1 || MARK_REFERENCE.test(xml))
      return true;
  return stories.some(({ root }) => [...descendantsOf(root)].some(isPieceBookmark));
}

function isPieceBookmark(node: XmlNode): boolean {
  return node.name === 'w:bookmarkStart' && PIECE_BOOKMARK.test(attributeOf(node, 'w:name') ?? '');
}

/** Finds the texts of places. Its group is their number. */
export function placePattern(placeText: PlaceText): RegExp {
  const [before = '', after = ''] = placeText(0).split('0');
  return new RegExp(`${before}(\\d+)${after}`, 'gu');
}

/**
 * The numbers of the places that a form shows, in document order. Undefined unless each is a piece of running text that
 * can be replaced in a loaded document without any other effect.
 */
export function placesIn(form: Template, placeText: PlaceText): number[] | undefined {
  const sign = signOf(placeText);
  const place = placePattern(placeText);
  const numbers: number[] = [];
  for (const story of form.stories) {
    const texts = textsIn(story, form.controls, sign);
    if (texts === undefined) return undefined;
    for (const text of texts)
      for (const [, number] of story.xml.slice(text.openEnd, text.closeStart).matchAll(place))
        numbers.push(Number(number));
  }
  let signs = 0;
  for (const { xml = '' } of form.document.parts.values()) {
    if (UNSAFE.test(xml)) return undefined;
    signs += xml.split(sign).length - 1;
  }
  return signs === numbers.length ? numbers : undefined;
}

/** The text elements with places. Undefined if the text of one may have another effect. */
function textsIn(story: Story, controls: readonly Control[], sign: string): XmlNode[] | undefined {
  const hasSign = story.xml.includes(sign);
  if (hasSign && !PARTS_OF_FORM.has(story.place)) return undefined;
  const texts: XmlNode[] = [];
  const simple = new Map(controls.filter(isSimpleControl).map((control) => [control.node, control]));
  /** The code of each open field, innermost last. */
  const fields: string[] = [];
  for (const node of descendantsOf(story.root)) {
    if (node.name === 'w:fldSimple' && !isIndependent(attributeOf(node, 'w:instr'))) return undefined;
    const end = fieldStep(node, story, fields);
    if (end !== undefined && !isIndependent(end)) return undefined;
    if (!hasSign || node.name !== 'w:t') continue;
    if (!story.xml.slice(node.openEnd, node.closeStart).includes(sign)) continue;
    if (fields.length > 0 || !isRunning(node, simple)) return undefined;
    texts.push(node);
  }
  return fields.length === 0 ? texts : undefined;
}

/** Reads a piece of a complex field (ECMA-376-1 §17.16.18). Returns the code of a field that ends here. */
function fieldStep(node: XmlNode, { xml }: Story, fields: string[]): string | undefined {
  if (node.name === 'w:instrText' && fields.length > 0)
    fields[fields.length - 1] += decodeReferences(xml.slice(node.openEnd, node.closeStart));
  const type = node.name === 'w:fldChar' ? attributeOf(node, 'w:fldCharType') : undefined;
  if (type === 'begin') fields.push('');
  return type === 'end' ? fields.pop() : undefined;
}

function isIndependent(code = ''): boolean {
  return INDEPENDENT_FIELD.test(code);
}

/** Whether a control shows its text as it is. */
export function isSimpleControl({ kind, declared, level, node, properties }: Control): boolean {
  return (
    (kind === 'plain text' || kind === 'rich text') &&
    (declared === undefined || declared === 'text') &&
    (level === 'inline' || level === 'block') &&
    node.parent?.name !== 'w:r' &&
    (properties?.children ?? []).every(({ name }) => CONTROL_PROPERTIES.has(name))
  );
}

/** Whether text runs around a table (ECMA-376-1 §17.4.57). */
function isFloating(table: XmlNode): boolean {
  const properties = childOf(table, 'w:tblPr');
  return properties !== undefined && childOf(properties, 'w:tblpPr') !== undefined;
}

/**
 * Whether a text stands in runs and paragraphs that do not depend on it. It must not be in a row that each page repeats, or in a
 * floating table. `controls` are those that may be around it.
 */
export function isRunning(text: XmlNode, controls: ReadonlyMap<XmlNode, Control>): boolean {
  for (const node of ancestorsOf(text)) {
    // The root of a tree has no name.
    if (node.parent === undefined && node.name === '') continue;
    if (!AROUND.has(node.name)) return false;
    if (node.name === 'w:sdt' && !controls.has(node)) return false;
    const runProperties = node.name === 'w:r' ? childOf(node, 'w:rPr') : undefined;
    if (runProperties?.children.some(({ name }) => TEXT_DEPENDENT.includes(name))) return false;
    if (node.name === 'w:tr' && isHeaderRow(node)) return false;
    if (node.name === 'w:tbl' && isFloating(node)) return false;
    const properties = node.name === 'w:p' ? childOf(node, 'w:pPr') : undefined;
    if (properties !== undefined && childOf(properties, 'w:framePr') !== undefined) return false;
  }
  return true;
}
