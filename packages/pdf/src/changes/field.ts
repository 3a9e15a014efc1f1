import { BOUNDS } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { inheritedFrom } from '../read/pages.ts';
import { Dict, isName, Name, PdfString, type PdfValue } from '../read/values.ts';

/** Flags of all fields, of text fields and of buttons (ISO 32000-2, tables 227, 229 and 231). */
export const READ_ONLY = 1;
export const PASSWORD = 1 << 13;
const PUSH_BUTTON = 1 << 16;

/** The own or inherited value of a field or widget (ISO 32000-2, 12.7.4.1). */
export const inheritedField = inheritedFrom;

/** The raw value; references are not resolved. */
export function inheritedRaw(document: PdfDocument, field: Dict, key: string): PdfValue {
  let node: PdfValue = field;
  for (let depth = 0; node instanceof Dict && depth <= BOUNDS.depthMax; depth++) {
    if (node.entries.has(key)) return node.get(key);
    node = document.get(node, 'Parent');
  }
  return null;
}

/** `Tx`, `Btn`, `Ch`, `Sig`, or an empty string. */
export function fieldType(document: PdfDocument, field: Dict): string {
  const type = inheritedField(document, field, 'FT');
  return type instanceof Name ? type.text : '';
}

/** The fully qualified name (ISO 32000-2, 12.7.4.2). */
export function fieldName(document: PdfDocument, field: Dict): string {
  const names: string[] = [];
  let node: PdfValue = field;
  for (let depth = 0; node instanceof Dict && depth <= BOUNDS.depthMax; depth++) {
    const name = document.get(node, 'T');
    if (name instanceof PdfString) names.unshift(name.text);
    node = document.get(node, 'Parent');
  }
  return names.join('.');
}

export const flagsOf = (document: PdfDocument, field: Dict): number => {
  const flags = inheritedField(document, field, 'Ff');
  return typeof flags === 'number' ? flags : 0;
};

/** Whether users may fill in a field. */
export function isFillable(document: PdfDocument, field: Dict): boolean {
  const flags = flagsOf(document, field);
  const isPush = fieldType(document, field) === 'Btn' && (flags & PUSH_BUTTON) !== 0;
  return (flags & READ_ONLY) === 0 && !isPush;
}

/** Whether an object is a field, a node of fields, or a widget. All other annotations have another subtype. */
export function isFieldOrWidget(document: PdfDocument, dict: Dict): boolean {
  const kind = document.get(dict, 'Subtype');
  return kind === null || isName(kind, 'Widget') || fieldType(document, dict) !== '';
}

/** The signature dictionary of a signed field. */
export function signatureOf(document: PdfDocument, field: Dict): Dict | undefined {
  if (fieldType(document, field) !== 'Sig') return undefined;
  const value = inheritedField(document, field, 'V');
  return value instanceof Dict ? value : undefined;
}

/**
 * Whether a dictionary can be a signature written after the first `from` bytes of the file. An earlier signature
 * belongs to its own field and does not sign another one.
 */
export const looksSigned = (document: PdfDocument, signature: Dict, from: number): boolean =>
  document.holds(signature) &&
  signature.start >= from &&
  document.get(signature, 'Contents') instanceof PdfString &&
  Array.isArray(document.get(signature, 'ByteRange'));

/** The signature that an update gave to a field after the first `from` bytes of the file; undefined if it gave none. */
export function newSignatureOf(document: PdfDocument, field: Dict, from: number): Dict | undefined {
  const signature = signatureOf(document, field);
  return signature && looksSigned(document, signature, from) ? signature : undefined;
}
