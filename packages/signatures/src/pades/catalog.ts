import { editDict, type Update } from '@scriptorium/pdf/update';

/** /SigFlags: signatures exist, and the file may only be appended to (ISO 32000-2, table 225). */
const SIGNATURES_EXIST_APPEND_ONLY = 3;

/** What an update changes in the catalog. */
export interface CatalogChanges {
  /** A field to add to the form; the form is created if missing. */
  newField?: string;
  /** Whether to set the form's /SigFlags. */
  hasSignature: boolean;
  /** The certification signature dictionary. */
  certification?: string;
  /** The document security store. */
  dss?: string;
}

/** Changes the catalog, its form and its permissions. Replaces only the objects that change. */
export function changeCatalog(update: Update, changes: CatalogChanges): void {
  const { document } = update;
  const { catalog } = document;
  const values: Record<string, string | undefined> = {};
  if (changes.hasSignature) Object.assign(values, formChange(update, changes.newField));
  if (changes.certification) values.Perms = permissions(update, changes.certification);
  if (changes.dss) values.DSS = changes.dss;
  if (Object.keys(values).length > 0) update.replace(catalog, editDict(catalog.value, values));
}

function formChange(update: Update, newField: string | undefined): Record<string, string> {
  const { document } = update;
  const { dict, ref } = document.owned(document.catalog.value, 'AcroForm');
  if (!dict) {
    const form = `<</Fields[${newField ?? ''}]/SigFlags ${SIGNATURES_EXIST_APPEND_ONLY}>>`;
    return { AcroForm: update.add(form).toString() };
  }
  const values: Record<string, string> = {};
  const fields = newField === undefined ? undefined : update.append(dict, 'Fields', newField);
  if (fields !== undefined) values.Fields = fields;
  const flags = document.get(dict, 'SigFlags');
  const before = typeof flags === 'number' ? flags : 0;
  if ((before & SIGNATURES_EXIST_APPEND_ONLY) !== SIGNATURES_EXIST_APPEND_ONLY) {
    values.SigFlags = String(before | SIGNATURES_EXIST_APPEND_ONLY);
  }
  if (Object.keys(values).length === 0) return {};
  const text = editDict(dict, values);
  if (!ref) return { AcroForm: text };
  update.replace(ref, text);
  return {};
}

function permissions(update: Update, certification: string): string {
  const { document } = update;
  const { dict } = document.owned(document.catalog.value, 'Perms');
  return dict ? editDict(dict, { DocMDP: certification }) : `<</DocMDP ${certification}>>`;
}
