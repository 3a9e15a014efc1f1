/**
 * What an object is to the document, by the keys on the way to it from the trailer. `nodes`, `annots` and `fields` are
 * arrays that may be objects of their own.
 */
export const PARTS = [
  'trailer',
  'catalog',
  'node',
  'nodes',
  'form',
  'fields',
  'field',
  'annots',
  'annotation',
  'info',
  'metadata',
  'validationData',
  'extensions',
  'names',
  'permissions',
  'formResources',
  'formResourceNames',
  'appearance',
  'appearanceResource',
  'value',
  'fieldDetail',
  'content',
  'resource',
  'action',
  'attachment',
  'structure',
  'property',
] as const;
export type Part = (typeof PARTS)[number];

type Children = Readonly<Record<string, Part | undefined>>;

const FIELD: Children = {
  // What is inherited comes this way, also from what no form or page tree lists.
  Parent: 'field',
  P: undefined,
  Popup: undefined,
  IRT: undefined,
  Kids: 'fields',
  AP: 'appearance',
  V: 'value',
  A: 'action',
  AA: 'action',
  PA: 'action',
  FS: 'attachment',
  MK: 'appearanceResource',
};

/** Of a form XObject; any other key of an appearance is one of its kinds or states (ISO 32000-2, 12.5.5). */
const OF_STREAM = ['Resources', 'Group', 'OC', 'Metadata', 'PieceInfo', 'Length', 'Filter', 'DecodeParms'];
const APPEARANCE: Children = Object.fromEntries(OF_STREAM.map((key) => [key, 'appearanceResource']));

/** What keys lead to, and `rest` what all others do. No part: only a pointer, which makes its target nothing. */
const TABLE: Readonly<Record<Part, { keys?: Children; rest: Part | undefined }>> = {
  trailer: { keys: { Root: 'catalog', Info: 'info' }, rest: undefined },
  catalog: {
    keys: {
      Pages: 'node',
      AcroForm: 'form',
      DSS: 'validationData',
      Metadata: 'metadata',
      Extensions: 'extensions',
      Names: 'names',
      Perms: 'permissions',
      OpenAction: 'action',
      AA: 'action',
      AF: 'attachment',
      Collection: 'attachment',
      StructTreeRoot: 'structure',
    },
    rest: 'property',
  },
  node: {
    keys: {
      Kids: 'nodes',
      Parent: 'node',
      Annots: 'annots',
      Resources: 'resource',
      AA: 'action',
      AF: 'attachment',
      B: 'property',
    },
    rest: 'content',
  },
  nodes: { rest: 'node' },
  form: { keys: { Fields: 'fields', DR: 'formResources' }, rest: 'fieldDetail' },
  fields: { rest: 'field' },
  field: { keys: FIELD, rest: 'fieldDetail' },
  annots: { rest: 'annotation' },
  annotation: { keys: FIELD, rest: 'fieldDetail' },
  info: { rest: 'info' },
  metadata: { rest: 'metadata' },
  validationData: { rest: 'validationData' },
  extensions: { rest: 'extensions' },
  // Nothing is shown of looks by name.
  names: { keys: { EmbeddedFiles: 'attachment', JavaScript: 'action', AP: undefined }, rest: 'property' },
  permissions: { rest: 'value' },
  formResources: { rest: 'formResourceNames' },
  formResourceNames: { rest: 'resource' },
  appearance: { keys: APPEARANCE, rest: 'appearance' },
  appearanceResource: { rest: 'appearanceResource' },
  value: { keys: { Data: undefined }, rest: 'value' },
  fieldDetail: { rest: 'fieldDetail' },
  content: { rest: 'content' },
  resource: { rest: 'resource' },
  action: { rest: 'action' },
  attachment: { rest: 'attachment' },
  structure: { keys: { Pg: undefined, Obj: undefined }, rest: 'structure' },
  property: { rest: 'property' },
};

/** What the value of a key is, or, without a key, an item of an array. */
export function childOf(part: Part, key: string | undefined): Part | undefined {
  const { keys, rest } = TABLE[part];
  return keys && key !== undefined && Object.hasOwn(keys, key) ? keys[key] : rest;
}

/** Parts of which nothing is drawn: a reference from there to a page, field or annotation only points at it. */
const UNSEEN: readonly Part[] = [
  'action',
  'structure',
  'property',
  'attachment',
  'fieldDetail',
  'validationData',
];

/** Of which names are drawn, so that a page or the catalog may serve as a list of them too. */
const NAMED: readonly Part[] = [
  'resource',
  'formResources',
  'formResourceNames',
  'appearance',
  'appearanceResource',
];

/** Whether a reference as `part` to what is `known` makes nothing more of it. */
export function isPointer(part: Part, known: (part: Part) => boolean): boolean {
  if (known('node')) return part !== 'node' && !NAMED.includes(part);
  if (known('catalog')) return part !== 'catalog' && !NAMED.includes(part);
  return (known('field') || known('annotation')) && UNSEEN.includes(part);
}

/** In which order parts are to be told: what points at others comes after them. */
export function rankOf(part: Part): 0 | 1 | 2 {
  if (part === 'catalog' || part === 'node' || part === 'nodes') return 0;
  const early: readonly Part[] = ['form', 'fields', 'field', 'annots', 'annotation'];
  return early.includes(part) ? 1 : 2;
}
