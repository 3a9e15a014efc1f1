import { readBox } from '../../read/pages.ts';
import { Dict, PdfString, type PdfValue, Ref } from '../../read/values.ts';
import type { Comparison } from '../comparison.ts';
import { covers, fillingCovers } from '../cover.ts';
import { fieldType, looksSigned, signatureOf } from '../field.ts';
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
/** How a signature is shown; writers state it when they sign a field. */
const STYLES = ['DA', 'Q', 'DS', 'MK', 'AS'];

/** A signature field that is added, and one that is signed. */
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
  if (holdsFields(c, field)) {
    take(subject, NODE_KEYS);
    return;
  }
  if (fieldType(c.newer, field) !== 'Sig') return;
  const signature = signatureOf(c.newer, field);
  if (signature && !looksSigned(c.newer, signature, c.older.bytes.length)) return;
  take(subject, FIELD_KEYS);
  takes(subject, 'V');
  if (hasOneLook(c, field)) takes(subject, 'AP');
  const code = signatureCode(c.newer, signature);
  const isSeen = readBox(c.newer.get(field, 'Rect'), c.newer) !== undefined || field.entries.has('Kids');
  const isStamp = code === 'DOCUMENT_TIMESTAMP' && !isSeen;
  if (isStamp) c.report(code, 'permitted', subject.num, { least: 1 });
  else c.report(code === 'DOCUMENT_TIMESTAMP' ? 'SIGNATURE_ADDED' : code, 'permitted', subject.num);
}

/** Whether the kids of a field are fields of their own. */
function holdsFields(c: Comparison, field: Dict): boolean {
  const kids = c.newer.get(field, 'Kids');
  return (Array.isArray(kids) ? kids : []).some((kid) => {
    const dict = c.newer.resolve(kid);
    return dict instanceof Dict && c.newer.get(dict, 'T') instanceof PdfString;
  });
}

/** Of a signature field that was added, or that no page showed before. */
function claimWidget(c: Comparison, subject: Subject, widget: Dict): void {
  const { num, page = 0 } = subject;
  if (!isNewSignature(c, num, widget)) return;
  take(subject, FIELD_KEYS);
  // The field answers for its own value.
  takes(subject, 'V');
  if (hasOneLook(c, widget)) takes(subject, 'AP');
  if (covers(c, page, num, widget)) c.report('CONTENT_COVERED', 'doubtful', num);
}

function isNewSignature(c: Comparison, num: number, widget: Dict): boolean {
  if (fieldType(c.newer, widget) !== 'Sig' || !isInForm(c.newer, num, c.listedFields)) return false;
  // The nearest field that the older revision has must be one that nobody signed.
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
  const signature = signatureOf(c.newer, now);
  const isSigned = signature !== undefined && looksSigned(c.newer, signature, c.older.bytes.length);
  if (isSigned && takes(subject, 'V'))
    c.report(signatureCode(c.newer, signature), 'permitted', num, { at: '/V', field });
  if (isSigned) {
    take(subject, STYLES);
    if (c.older.get(before, 'Lock') === null) takes(subject, 'Lock');
  }
  if (!subject.pending.has('AP') || !hasOneLook(c, now)) return;
  takes(subject, 'AP');
  if (!isSigned) c.report('FIELD_APPEARANCE', 'doubtful', num, { at: '/AP', field });
  if (page !== undefined && fillingCovers(c, page, before, now))
    c.report('CONTENT_COVERED', 'doubtful', num, { at: '/AP', field });
}
