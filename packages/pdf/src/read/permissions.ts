import type { PdfDocument } from './document.ts';
import type { SignatureField } from './form.ts';
import { Dict, isName, Name, PdfString, type PdfValue } from './values.ts';

/** Changes that a certification permits: 1 none, 2 form filling and signing, 3 also annotations (ISO 32000-2, table 257). */
export type DocMdpLevel = 1 | 2 | 3;

/** Fields that a signature locked: FieldMDP (ISO 32000-2, 12.8.2.4). */
export interface LockedFields {
  /** The signature field whose signature locked them. */
  by: string;
  action: 'All' | 'Include' | 'Exclude';
  fields: string[];
}

function transformParameters(document: PdfDocument, signature: Dict, method: string): Dict[] {
  const references = document.get(signature, 'Reference');
  if (!Array.isArray(references)) return [];
  const found: Dict[] = [];
  for (const item of references) {
    const reference = document.resolve(item);
    if (!(reference instanceof Dict) || !isName(document.get(reference, 'TransformMethod'), method)) continue;
    const parameters = document.dict(reference, 'TransformParams');
    if (parameters) found.push(parameters);
  }
  return found;
}

const asLevel = (value: PdfValue): DocMdpLevel | undefined =>
  value === 1 || value === 2 || value === 3 ? value : undefined;

/** Returns the level of a signature's DocMDP transform; 2 if it does not name a level, undefined without the transform. */
export function docMdpOf(document: PdfDocument, signature: Dict): DocMdpLevel | undefined {
  const [parameters] = transformParameters(document, signature, 'DocMDP');
  return parameters && (asLevel(document.get(parameters, 'P')) ?? 2);
}

/** Returns the certification signature that the catalog names in /Perms. */
export function certifyingSignature(document: PdfDocument): Dict | undefined {
  const permissions = document.dict(document.catalog.value, 'Perms');
  return permissions && document.dict(permissions, 'DocMDP');
}

/** Returns the level of the certification; undefined if there is none. */
function certificationLevel(document: PdfDocument): DocMdpLevel | undefined {
  const signature = certifyingSignature(document);
  return signature && (docMdpOf(document, signature) ?? 2);
}

/** Returns the level that a later signature set through its field's lock (ISO 32000-2, table 236). */
export function lockLevel(
  document: PdfDocument,
  { object, signature }: Pick<SignatureField, 'object' | 'signature'>,
): DocMdpLevel | undefined {
  const lock = signature && document.dict(object.value, 'Lock');
  return lock ? asLevel(document.get(lock, 'P')) : undefined;
}

/** Returns the strictest level that a certification or a signature set; undefined if none did. */
export function docMdpLevel(
  document: PdfDocument,
  fields: readonly SignatureField[],
): DocMdpLevel | undefined {
  const levels = [certificationLevel(document), ...fields.map((field) => lockLevel(document, field))];
  return levels.filter((level) => level !== undefined).sort()[0];
}

/** Returns all fields that signatures of the document have locked. */
export function lockedFields(
  document: PdfDocument,
  fields: readonly Pick<SignatureField, 'name' | 'signature'>[],
): LockedFields[] {
  const locks: LockedFields[] = [];
  for (const { name, signature } of fields) {
    if (!signature) continue;
    for (const parameters of transformParameters(document, signature, 'FieldMDP')) {
      const action = document.get(parameters, 'Action');
      const names = document.get(parameters, 'Fields');
      if (!(action instanceof Name) || !/^(All|Include|Exclude)$/.test(action.text)) continue;
      const list = Array.isArray(names) ? names.map((item) => document.resolve(item)) : [];
      locks.push({
        by: name,
        action: action.text as LockedFields['action'],
        fields: list.filter((item) => item instanceof PdfString).map((item) => item.text),
      });
    }
  }
  return locks;
}

/** Whether a lock covers a field: a name also covers the fields below it. */
export function isLocked(lock: LockedFields, field: string): boolean {
  const isNamed = lock.fields.some((name) => field === name || field.startsWith(`${name}.`));
  if (lock.action === 'All') return true;
  return lock.action === 'Include' ? isNamed : !isNamed;
}
