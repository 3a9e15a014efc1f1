import { Dict } from '../read/values.ts';
import type { ChangeCode } from './change.ts';
import type { Comparison } from './comparison.ts';
import { isFieldOrWidget, signatureOf } from './field.ts';
import type { Subject, SubjectKind } from './subject.ts';

type Codes = Readonly<Record<string, ChangeCode>>;

const ACTIONS: Codes = { A: 'ACTION', AA: 'ACTION', PA: 'ACTION', Dest: 'ACTION', OpenAction: 'ACTION' };
const FILES: Codes = {
  AF: 'ATTACHMENT',
  FS: 'ATTACHMENT',
  Sound: 'ATTACHMENT',
  Movie: 'ATTACHMENT',
  RichMediaContent: 'ATTACHMENT',
  '3DD': 'ATTACHMENT',
};

/** Change codes for keys that no rule permits, by subject kind. `rest` is the code for all other keys. */
const NAMES: Readonly<Record<SubjectKind, { keys?: Codes; rest: ChangeCode }>> = {
  trailer: { keys: { Root: 'CATALOG' }, rest: 'STRUCTURE' },
  catalog: {
    keys: {
      ...ACTIONS,
      ...FILES,
      Pages: 'PAGE_TREE',
      Collection: 'ATTACHMENT',
      StructTreeRoot: 'LOGICAL_STRUCTURE',
      Metadata: 'METADATA',
    },
    rest: 'CATALOG',
  },
  names: { keys: { EmbeddedFiles: 'ATTACHMENT', JavaScript: 'ACTION' }, rest: 'CATALOG' },
  form: {
    keys: {
      DR: 'RESOURCE',
      DA: 'FIELD_APPEARANCE',
      Q: 'FIELD_APPEARANCE',
      NeedAppearances: 'FIELD_APPEARANCE',
    },
    rest: 'FIELD_CHANGED',
  },
  field: { keys: { ...ACTIONS, ...FILES, AP: 'FIELD_APPEARANCE' }, rest: 'FIELD_CHANGED' },
  addedField: { keys: { ...ACTIONS, ...FILES }, rest: 'FIELD_CHANGED' },
  page: {
    keys: {
      ...ACTIONS,
      ...FILES,
      Kids: 'PAGE_TREE',
      Count: 'PAGE_TREE',
      Parent: 'PAGE_TREE',
      Type: 'PAGE_TREE',
      Resources: 'RESOURCE',
      StructParents: 'LOGICAL_STRUCTURE',
    },
    rest: 'PAGE_CONTENT',
  },
  annotation: { keys: { ...ACTIONS, ...FILES }, rest: 'ANNOTATION_CHANGED' },
  addedAnnotation: { keys: { ...ACTIONS, ...FILES }, rest: 'ANNOTATION_ADDED' },
  removedAnnotation: { rest: 'ANNOTATION_REMOVED' },
  annotationOrder: { rest: 'ANNOTATION_CHANGED' },
  nodes: { rest: 'PAGE_TREE' },
  permissions: { rest: 'CATALOG' },
  appearanceResource: { rest: 'RESOURCE' },
  content: { rest: 'PAGE_CONTENT' },
  resource: { rest: 'RESOURCE' },
  action: { rest: 'ACTION' },
  attachment: { rest: 'ATTACHMENT' },
  property: { rest: 'CATALOG' },
  info: { rest: 'METADATA' },
  metadata: { rest: 'METADATA' },
  extensions: { rest: 'METADATA' },
  validationData: { rest: 'STRUCTURE' },
  formResources: { rest: 'RESOURCE' },
  formResourceNames: { rest: 'RESOURCE' },
  structure: { rest: 'LOGICAL_STRUCTURE' },
  appearance: { rest: 'FIELD_APPEARANCE' },
  value: { rest: 'SIGNATURE_REPLACED' },
  fieldDetail: { rest: 'FIELD_CHANGED' },
};

/** Reports the keys that no rule claimed. */
export function forbid(c: Comparison, subject: Subject): void {
  const { num, at, field } = subject;
  // An addition is one change.
  const isAdded = subject.before === null;
  for (const key of subject.pending) {
    const code = codeOf(c, subject, key);
    c.report(code, 'forbidden', num, { at: key === '' || isAdded ? at : `${at}/${key}`, field });
  }
}

function codeOf(c: Comparison, subject: Subject, key: string): ChangeCode {
  const { kind, before, now } = subject;
  const { keys, rest } = NAMES[kind];
  const code = keys && Object.hasOwn(keys, key) ? keys[key] : undefined;
  if (kind === 'addedAnnotation' && now instanceof Dict && isFieldOrWidget(c.newer, now))
    return code ?? 'FIELD_CHANGED';
  const isOfField = kind === 'field' || kind === 'removedAnnotation';
  if (!isOfField || !(before instanceof Dict) || !isFieldOrWidget(c.older, before)) return code ?? rest;
  const isSigned = signatureOf(c.older, before) !== undefined;
  if (isSigned && (key === 'V' || key === '')) return 'SIGNATURE_REPLACED';
  if (kind === 'removedAnnotation') return 'FIELD_CHANGED';
  return code ?? (isSigned ? 'SIGNATURE_FIELD_CHANGED' : rest);
}
