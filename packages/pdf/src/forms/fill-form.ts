import { unlessMalformed } from '../pdf-error.ts';
import { openPdf } from '../read/open.ts';
import type { Dict } from '../read/values.ts';
import { rewritePdf } from '../write/rewrite.ts';
import { editDict, Update } from '../write/update.ts';
import { fillButtons } from './fill-buttons.ts';
import { fillList, fillListBox } from './fill-choice.ts';
import { fillImage } from './fill-image.ts';
import { fillText } from './fill-text.ts';
import { Filling, type FormPicture, type Issue } from './filling.ts';
import { flattenForm } from './flatten.ts';
import { type EntryIssue, FormError } from './form-error.ts';
import { type FormField, isSeen, readFields } from './form-fields.ts';
import { FormFonts } from './form-fonts.ts';
import { checkPermitted, type FormLocks, lockIssue, locksOf, refuseForms } from './form-locks.ts';
import { redrawOthers } from './redraw.ts';

/** A field by its full name, and its value: a text, or an image for a button; null empties the button. */
export interface FormEntry {
  name: string;
  value: FormValue;
}

type FormValue = string | FormPicture | null;

export interface FilledForm {
  bytes: Buffer;
  /** The number of places that were filled. */
  filled: number;
  /** The entries that match no field, by their place. */
  unmatched: number[];
  /** It had a second form, of XFA, beside its fields. Readers would have shown that. */
  isXfaRemoved: boolean;
  /** It has scripts that a reader would run: calculations, or formats of fields that were filled. */
  skipsScripts: boolean;
  /** Extended rights for Adobe Reader were removed, because filling invalidates them. */
  areRightsRemoved: boolean;
}

export interface FormFilling {
  flatten: boolean;
  /** The password of an encrypted PDF; the result has the same encryption. */
  password?: string | undefined;
  /** Called with the entries that match nothing, before anything is filled; may throw. */
  onUnmatched(entries: readonly number[]): void;
}

/**
 * Fills the fields of a form (AcroForm), and draws their looks. A signed PDF gets an update; others are written anew, so that
 * they have no earlier values. If entries have the same name, the last one fills. Throws FormError with all that is wrong, and
 * PdfError.
 */
export function fillForm(bytes: Buffer, entries: readonly FormEntry[], options: FormFilling): FilledForm {
  const { password } = options;
  const { document, isSearched } = openPdf(bytes, password);
  const form = readFields(document);
  const unmatched = [...entries.keys()].filter((at) => !form?.fields.has(entries[at]?.name ?? ''));
  options.onUnmatched(unmatched);
  const done = { filled: 0, unmatched, isXfaRemoved: false, skipsScripts: false, areRightsRemoved: false };
  if (!form) return { bytes, ...done };
  const locks = locksOf(document);
  const hasXfa = document.get(form.dict, 'XFA') !== null;
  const { flatten } = options;
  refuseForms(document, locks, { isSearched, flatten, hasXfa, fields: form.fields.size });
  const update = new Update(document);
  const filling = new Filling(update, new FormFonts(update, form.dict, !locks.isSigned), flatten);
  const last = new Map(entries.map(({ name }, at) => [name, at]));
  const filled = [...last].flatMap(([name, at]) => {
    const field = form.fields.get(name);
    return field ? [{ field, entry: at, value: entries[at]?.value ?? null }] : [];
  });
  fillAll(filling, locks, filled);
  const undrawn = locks.isSigned
    ? undefined
    : redrawOthers(filling, form, new Set(filled.map(({ field }) => field)));
  if (flatten && undrawn)
    throw new FormError(
      'UNPROCESSABLE',
      `The value of the field \`${undrawn.field.name.slice(0, NAME_CHARS_MAX)}\` cannot be drawn: it ${undrawn.issue}.`,
    );
  filling.finish();
  const rights = locks.isSigned ? undefined : editForm(update, form.dict, { isDrawn: !undrawn });
  const result = update.finish().bytes;
  if (locks.isSigned)
    checkPermitted(
      result,
      locks,
      filled.map(({ entry }) => ({ entry, part: 'id', issue: 'may not be filled' })),
      password,
    );
  const calculated = document.get(form.dict, 'CO');
  const isCalculated = filled.length > 0 && Array.isArray(calculated) && calculated.length > 0;
  return {
    bytes: locks.isSigned ? result : written(result, options),
    ...done,
    filled: filled.reduce((sum, { field }) => sum + Math.max(1, field.widgets.length), 0),
    isXfaRemoved: hasXfa,
    skipsScripts: filling.skipsScripts || isCalculated,
    areRightsRemoved: rights === true,
  };
}

function written(bytes: Buffer, { flatten, password }: FormFilling): Buffer {
  const flat = flatten ? flattenForm(bytes, password) : bytes;
  const { document } = openPdf(flat, password);
  if (document.security) return flat;
  // Objects that no reader needs may be broken.
  return unlessMalformed(() => rewritePdf(document)) ?? flat;
}

interface Wanted {
  field: FormField;
  entry: number;
  value: FormValue;
}

function fillAll(filling: Filling, locks: FormLocks, wanted: readonly Wanted[]): void {
  const locked: EntryIssue[] = [];
  const wrong: EntryIssue[] = [];
  for (const { field, entry, value } of wanted) {
    const lock = lockIssue(locks, field);
    if (lock !== undefined) {
      locked.push({ entry, part: 'id', issue: lock });
      continue;
    }
    if (field.isTwofold) {
      wrong.push({ entry, part: 'id', issue: 'is the name of several fields, of different kinds' });
      continue;
    }
    const isImage = typeof value !== 'string';
    if (isImage !== (field.kind === 'button')) {
      wrong.push({ entry, part: 'type', issue: `must be \`${isImage ? 'text' : 'image'}\` for this field` });
      continue;
    }
    const issue =
      lossIssue(filling, field, value) ??
      (isImage ? fillImage(filling, field, value ?? undefined) : fillField(filling, field, value));
    if (issue !== undefined) wrong.push({ entry, part: 'value', issue });
  }
  if (locked.length > 0)
    throw new FormError(
      'DOCUMENT_LOCKED',
      'Signatures of the PDF do not permit filling some fields.',
      locked,
    );
  if (wrong.length > 0)
    throw new FormError('VALIDATION_ERROR', 'Some values do not suit their fields.', wrong);
}

function lossIssue({ document, isFlattened }: Filling, { widgets }: FormField, value: FormValue): Issue {
  const isEmpty = value === null || value === '' || value === 'false' || value === 'Off';
  if (!isFlattened || isEmpty || widgets.some((widget) => isSeen(document, widget))) return undefined;
  return 'is for a field that no page shows, so flattening would lose it';
}

function fillField(filling: Filling, field: FormField, value: string): Issue {
  switch (field.kind) {
    case 'text':
      return fillText(filling, field, value);
    case 'checkbox':
    case 'radio buttons':
      return fillButtons(filling, field, value);
    case 'drop-down':
    case 'combo box':
      return fillList(filling, field, value);
    case 'list box':
      return fillListBox(filling, field, value);
    case 'button':
      return 'is for a button';
    case 'signature':
      return 'is for a signature field, which `sign` signs';
  }
}

const NAME_CHARS_MAX = 100;

/** Removes what no longer holds of a form. Returns whether it had extended rights. */
function editForm(update: Update, form: Dict, { isDrawn }: { isDrawn: boolean }): boolean {
  const { document } = update;
  const { catalog } = document;
  const { ref } = document.owned(catalog.value, 'AcroForm');
  const own = editDict(form, { XFA: undefined, ...(isDrawn && { NeedAppearances: undefined }) });
  if (ref) update.replace(ref, own);
  const permissions = document.dict(catalog.value, 'Perms');
  const hasRights = permissions?.entries.has('UR3') === true || permissions?.entries.has('UR') === true;
  if (ref && !hasRights) return false;
  update.replace(
    catalog,
    editDict(catalog.value, {
      ...(ref ? {} : { AcroForm: own }),
      ...(hasRights && { Perms: undefined }),
    }),
  );
  return hasRights;
}
