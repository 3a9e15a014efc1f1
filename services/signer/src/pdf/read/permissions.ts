import type { PdfDocument } from './document.ts';
import type { SignatureField } from './form.ts';
import { Dict, isName, Name, PdfString } from './values.ts';

/** What a certification permits: 1 no changes, 2 form filling and signing, 3 annotations too (ISO 32000-2, table 257). */
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

/** The level of the certification that the catalog's /Perms names; undefined where there is none. */
export function docMdpLevel(document: PdfDocument): DocMdpLevel | undefined {
  const permissions = document.dict(document.catalog.value, 'Perms');
  const signature = permissions && document.dict(permissions, 'DocMDP');
  if (!signature) return undefined;
  const [parameters] = transformParameters(document, signature, 'DocMDP');
  const level = parameters ? document.get(parameters, 'P') : null;
  return level === 1 || level === 3 ? level : 2;
}

/** All fields that signatures of the document have locked. */
export function lockedFields(document: PdfDocument, fields: readonly SignatureField[]): LockedFields[] {
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

/** Whether a lock covers a field: a name covers the fields below it too. */
export function isLocked(lock: LockedFields, field: string): boolean {
  const isNamed = lock.fields.some((name) => field === name || field.startsWith(`${name}.`));
  if (lock.action === 'All') return true;
  return lock.action === 'Include' ? isNamed : !isNamed;
}
