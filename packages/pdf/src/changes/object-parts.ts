/**
 * The role of an object in the document, given by the keys on its path from the trailer. `nodes`, `annots` and `fields`
 * are arrays that may be indirect objects.
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
  // Values are inherited through /Parent, even if no form or page tree lists the parent.
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

/** Keys of a form XObject. Any other key of an appearance is a kind or state (ISO 32000-2, 12.5.5). */
const OF_STREAM = ['Resources', 'Group', 'OC', 'Metadata', 'PieceInfo', 'Length', 'Filter', 'DecodeParms'];
const APPEARANCE: Children = Object.fromEntries(OF_STREAM.map((key) => [key, 'appearanceResource']));

/** The parts that keys lead to; `rest` is for all other keys. Undefined marks a mere pointer. */
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
  // Readers do not draw named appearances.
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

/** The part of a key's value or, without a key, of an array item. */
export function childOf(part: Part, key: string | undefined): Part | undefined {
  const { keys, rest } = TABLE[part];
  return keys && key !== undefined && Object.hasOwn(keys, key) ? keys[key] : rest;
}

/** Parts that are not drawn. Their references to a page, field or annotation only point at it. */
const UNSEEN: readonly Part[] = [
  'action',
  'structure',
  'property',
  'attachment',
  'fieldDetail',
  'validationData',
];

/** Parts whose names are drawn. A page or the catalog may also serve as a list of such names. */
const NAMED: readonly Part[] = [
  'resource',
  'formResources',
  'formResourceNames',
  'appearance',
  'appearanceResource',
];

/** Whether a reference as `part` adds no part to an object with `known` parts. */
export function isPointer(part: Part, known: (part: Part) => boolean): boolean {
  if (known('node')) return part !== 'node' && !NAMED.includes(part);
  if (known('catalog')) return part !== 'catalog' && !NAMED.includes(part);
  return (known('field') || known('annotation')) && UNSEEN.includes(part);
}

/** The order in which parts are followed. Parts that point at others come last. */
export function rankOf(part: Part): 0 | 1 | 2 {
  if (part === 'catalog' || part === 'node' || part === 'nodes') return 0;
  const early: readonly Part[] = ['form', 'fields', 'field', 'annots', 'annotation'];
  return early.includes(part) ? 1 : 2;
}
