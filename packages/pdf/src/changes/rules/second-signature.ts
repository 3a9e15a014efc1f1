import { normalAppearance } from '../../read/annotations.ts';
import type { PdfDocument } from '../../read/document.ts';
import { readBox } from '../../read/pages.ts';
import { Dict, isName, PdfString, type PdfValue, Ref } from '../../read/values.ts';
import type { Comparison } from '../comparison.ts';
import { covers, fillingCovers } from '../cover.ts';
import { fieldName, fieldType, looksSigned, newSignatureOf, signatureOf } from '../field.ts';
import { hasOneLook } from '../field-look.ts';
import { isInForm } from '../form-tree.ts';
import { objectValue } from '../object-usage.ts';
import { signatureCode } from '../signature-code.ts';
import { type Rule, type Subject, take, takes } from '../subject.ts';

/** Keys of a new signature field and its widgets (ISO 32000-2, 12.5.6.19 and 12.7.5.5): no actions, and no files. */
const FIELD_KEYS = [
  ...['Type', 'Subtype', 'FT', 'T', 'TU', 'TM', 'Ff', 'Kids', 'Parent', 'Lock', 'SV', 'DA', 'Q', 'DS'],
  ...['Rect', 'F', 'P', 'AS', 'H', 'MK', 'BS', 'Border', 'C', 'M', 'NM', 'StructParent', 'Lang'],
];
/** Keys of a node that only holds fields. */
const NODE_KEYS = ['Type', 'T', 'TU', 'TM', 'FT', 'Ff', 'Kids', 'Parent'];
/** Style keys of a signature. Writers set them when they sign a field. */
const STYLES = ['DA', 'Q', 'DS', 'MK', 'AS'];

/** Permits an added signature field, and the signing of one. */
export const secondSignature: Rule = {
  name: 'a second signature',
  claim(c, subject) {
    const { kind, before, now } = subject;
    if (kind === 'addedField' && now instanceof Dict) claimField(c, subject, now);
    else if (kind === 'addedAnnotation' && now instanceof Dict) claimWidget(c, subject, now);
    else if (kind === 'field' && before instanceof Dict && now instanceof Dict)
      claimSigning(c, subject, before, now);
  },
};

function claimField(c: Comparison, subject: Subject, field: Dict): void {
  if (!hasOwnPlace(c, subject.num, field)) return;
  if (holdsFields(c.newer, field)) {
    take(subject, NODE_KEYS);
    c.report('SIGNATURE_FIELD_ADDED', 'permitted', subject.num, { isMinor: true });
    return;
  }
  if (fieldType(c.newer, field) !== 'Sig') return;
  const signature = signatureOf(c.newer, field);
  if (signature && !looksSigned(c.newer, signature, c.older.bytes.length)) return;
  if (!isWidgetOrNone(c.newer.get(field, 'Subtype'))) return;
  take(subject, FIELD_KEYS);
  if (signature || c.newer.get(field, 'V') === null) takes(subject, 'V');
  takeResources(c, subject, field);
  if (hasOneLook(c, field)) takes(subject, 'AP');
  const code = signatureCode(c.newer, signature);
  const isStamp = code === 'DOCUMENT_TIMESTAMP' && !isSeen(c, field) && !field.entries.has('Kids');
  if (isStamp) c.report(code, 'permitted', subject.num, { least: 1 });
  else c.report(code === 'DOCUMENT_TIMESTAMP' ? 'SIGNATURE_ADDED' : code, 'permitted', subject.num);
}

/**
 * iText 2 to 5 and OpenPDF write resources into each signature field: none, or those of its look. Readers use them at most to draw
 * a value without a look, and signatures have no text.
 */
function takeResources(c: Comparison, subject: Subject, field: Dict): void {
  if (c.newer.get(field, 'DR') instanceof Dict) takes(subject, 'DR');
}

/** A field may be separate from its widgets. It must not be another kind of annotation. */
const isWidgetOrNone = (kind: PdfValue): boolean => kind === null || isName(kind, 'Widget');

/**
 * Whether a widget is visible. Some readers use the first four numbers of a longer rectangle, and draw an appearance without
 * a rectangle over the whole page.
 */
function isSeen(c: Comparison, widget: Dict): boolean {
  const rectangle = c.newer.get(widget, 'Rect');
  if (!Array.isArray(rectangle)) return c.newer.get(widget, 'AP') !== null;
  return rectangle.length !== 4 || readBox(rectangle, c.newer) !== undefined;
}

/**
 * Whether a new field has an unused name in a place where fields may be added. It must not be below a fillable field,
 * which would then stop being a field or get another widget. Widgets of a field have no name.
 */
function hasOwnPlace(c: Comparison, num: number, field: Dict): boolean {
  if (!isInForm(c.newer, num, c.listedFields)) return false;
  const parent = field.get('Parent');
  const above = parent instanceof Ref ? objectValue(c.older, parent.num) : null;
  if (!(c.newer.get(field, 'T') instanceof PdfString)) {
    if (!(above instanceof Dict)) return parent instanceof Ref;
    return fieldType(c.older, above) === 'Sig' && signatureOf(c.older, above) === undefined;
  }
  const isNode = !(above instanceof Dict) || fieldType(c.older, above) === '' || holdsFields(c.older, above);
  return isNode && !c.knownNames.has(fieldName(c.newer, field));
}

/** Whether the kids of a field are fields of their own. */
function holdsFields(document: PdfDocument, field: Dict): boolean {
  const kids = document.get(field, 'Kids');
  return (Array.isArray(kids) ? kids : []).some((kid) => {
    const dict = document.resolve(kid);
    return dict instanceof Dict && document.get(dict, 'T') instanceof PdfString;
  });
}

/** Claims the widget of a signature field that is new, or that no page showed before. */
function claimWidget(c: Comparison, subject: Subject, widget: Dict): void {
  const { num, page = 0 } = subject;
  if (!isName(c.newer.get(widget, 'Subtype'), 'Widget') || !isNewSignature(c, num, widget)) return;
  if (c.roles.isOnce(num, 'annotation')) return;
  c.bear(num);
  take(subject, FIELD_KEYS);
  // The value is judged with the field.
  takes(subject, 'V');
  takeResources(c, subject, widget);
  if (hasOneLook(c, widget)) takes(subject, 'AP');
  if (isSeen(c, widget)) {
    // A certification that forbids annotations also forbids text in an unsigned field.
    const isText = signatureOf(c.newer, widget) === undefined && saysSomething(c, widget);
    const isKnown = objectValue(c.older, num) !== null;
    c.report('SIGNATURE_FIELD_ADDED', 'permitted', num, { isMinor: !isKnown, least: isText ? 3 : 2 });
  }
  if (covers(c, page, num, widget)) c.report('CONTENT_COVERED', 'doubtful', num);
}

function saysSomething(c: Comparison, widget: Dict): boolean {
  if (!normalAppearance(c.newer, widget)) return false;
  const drawn = c.marks.ofAppearance(c.newer, widget);
  return !drawn || drawn.marks.length > 0;
}

function isNewSignature(c: Comparison, num: number, widget: Dict): boolean {
  if (fieldType(c.newer, widget) !== 'Sig' || !isInForm(c.newer, num, c.listedFields)) return false;
  // The nearest field of the older revision must be unsigned.
  let node: PdfValue = widget;
  for (let at = num; node instanceof Dict; ) {
    const old: PdfValue = at === 0 ? null : objectValue(c.older, at);
    if (old instanceof Dict) {
      const isNode = fieldType(c.older, old) === '';
      return isNode || (fieldType(c.older, old) === 'Sig' && signatureOf(c.older, old) === undefined);
    }
    const parent: PdfValue = node.get('Parent');
    at = parent instanceof Ref ? parent.num : 0;
    node = c.newer.resolve(parent);
  }
  return true;
}

function claimSigning(c: Comparison, subject: Subject, before: Dict, now: Dict): void {
  if (fieldType(c.older, before) !== 'Sig' || fieldType(c.newer, now) !== 'Sig') return;
  if (signatureOf(c.older, before)) return;
  const { num, field, page } = subject;
  const signature = newSignatureOf(c.newer, now, c.older.bytes.length);
  if (signature) {
    if (takes(subject, 'V'))
      c.report(signatureCode(c.newer, signature), 'permitted', num, { at: '/V', field });
    take(subject, STYLES);
    if (c.older.get(before, 'Lock') === null) takes(subject, 'Lock');
  }
  if (!subject.pending.has('AP') || !hasOneLook(c, now)) return;
  takes(subject, 'AP');
  if (!signature) c.report('FIELD_APPEARANCE', 'doubtful', num, { at: '/AP', field });
  if (page === undefined) return;
  if (fillingCovers(c, page, num, before, now))
    c.report('CONTENT_COVERED', 'doubtful', num, { at: '/AP', field });
  // Earlier signers did not know a place that was added later.
  const bornIn = c.births.get(num);
  if (bornIn !== undefined && covers(c, page, num, now))
    c.report('CONTENT_COVERED', 'doubtful', num, { at: '/AP/N', field, bornIn, isMinor: true });
}
