import type { OoxmlPackage } from '@scriptorium/ooxml/package';
import { attributeOf, decodeReferences, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';

/** A value of the document, by the type in which it is stored. */
export type DocumentValue = string | number | boolean | Date;

/** What fields can show of a document besides its text. Names are in capitals. */
export interface DocumentValues {
  properties: ReadonlyMap<string, DocumentValue>;
  variables: ReadonlyMap<string, string>;
  decimal: '.' | ',';
  language: string;
  /** The elements of the settings. */
  settings: XmlNode | undefined;
}

/** The names of properties in fields, by their elements (ECMA-376-1 §17.16.5, ECMA-376-2 §11.1). */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  title: ['TITLE'],
  subject: ['SUBJECT'],
  creator: ['AUTHOR'],
  keywords: ['KEYWORDS'],
  description: ['COMMENTS'],
  lastModifiedBy: ['LASTSAVEDBY', 'LASTAUTHOR'],
  revision: ['REVNUM', 'REVISIONNUMBER', 'REVISION NUMBER'],
  created: ['CREATEDATE', 'CREATETIME', 'CREATION DATE'],
  modified: ['SAVEDATE', 'LASTSAVEDTIME', 'LAST SAVE TIME'],
  lastPrinted: ['PRINTDATE', 'LASTPRINTED', 'LAST PRINT DATE'],
  category: ['CATEGORY'],
  contentStatus: ['CONTENTSTATUS'],
  Company: ['COMPANY'],
  Manager: ['MANAGER'],
  Template: ['TEMPLATE'],
  TotalTime: ['EDITTIME', 'TOTALEDITINGTIME'],
  Application: ['NAMEOFAPPLICATION', 'APPNAME'],
  Pages: [],
};
const DATES = new Set(['created', 'modified', 'lastPrinted', 'filetime', 'date']);
const NUMBERS = new Set([
  'TotalTime',
  'revision',
  'i1',
  'i2',
  'i4',
  'int',
  'i8',
  'r4',
  'r8',
  'ui1',
  'ui2',
  'ui4',
  'uint',
]);
const KINDS = new Set(['core-properties', 'extended-properties', 'custom-properties']);
const VALUE_CHARS_MAX = 10_000;

const localOf = ({ name }: XmlNode): string =>
  name.slice(Math.max(name.lastIndexOf(':'), name.lastIndexOf('}')) + 1);

/** `trees` has the root of each part, by its key. */
export function readValues(document: OoxmlPackage, trees: ReadonlyMap<string, XmlNode>): DocumentValues {
  const properties = new Map<string, DocumentValue>();
  for (const { kind, part } of document.relationships.list) {
    const xml = document.parts.get(part ?? '')?.xml ?? '';
    const root = trees.get(part ?? '');
    if (root === undefined || !KINDS.has(kind)) continue;
    for (const node of root.children) {
      const isCustom = kind === 'custom-properties';
      const value = parsedValue(isCustom ? node.children[0] : node, xml);
      const names = isCustom ? [attributeOf(node, 'name')?.toUpperCase() ?? ''] : namesOf(node);
      if (value !== undefined)
        for (const name of names) if (!properties.has(name)) properties.set(name, value);
    }
  }
  const settings = relatedTree(document, trees, 'settings');
  const values = [...(settings?.children ?? [])];
  const variables = new Map<string, string>();
  for (const node of values.find(({ name }) => name === 'w:docVars')?.children ?? []) {
    const value = attributeOf(node, 'w:val') ?? '';
    if (value.length <= VALUE_CHARS_MAX)
      variables.set(attributeOf(node, 'w:name')?.toUpperCase() ?? '', value);
  }
  const decimal = values.find(({ name }) => name === 'w:decimalSymbol');
  return {
    properties,
    variables,
    decimal: (decimal && attributeOf(decimal, 'w:val')) === ',' ? ',' : '.',
    language: languageOf(relatedTree(document, trees, 'styles')),
    settings,
  };
}

function relatedTree(
  { main }: OoxmlPackage,
  trees: ReadonlyMap<string, XmlNode>,
  kind: string,
): XmlNode | undefined {
  return trees.get(main.relationships.list.find((relationship) => relationship.kind === kind)?.part ?? '');
}

function namesOf(node: XmlNode): readonly string[] {
  const local = localOf(node);
  return Object.hasOwn(NAMES, local) ? (NAMES[local] ?? []) : [];
}

function parsedValue(node: XmlNode | undefined, xml: string): DocumentValue | undefined {
  if (node === undefined || node.closeStart - node.openEnd > VALUE_CHARS_MAX) return undefined;
  const text =
    node.children.length > 0 ? undefined : decodeReferences(xml.slice(node.openEnd, node.closeStart));
  const type = localOf(node);
  if (text === undefined) return undefined;
  if (type === 'bool') return text.trim() === 'true' || text.trim() === '1';
  if (DATES.has(type)) return dateOf(text.trim());
  return NUMBERS.has(type) && Number.isFinite(Number(text)) && text.trim() !== '' ? Number(text) : text;
}

/** A moment of W3CDTF in UTC. */
function dateOf(text: string): Date | undefined {
  const date = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/.test(text) ? new Date(text) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

/** The language of text without one of its own. */
function languageOf(styles: XmlNode | undefined): string {
  for (const node of styles?.children.find(({ name }) => name === 'w:docDefaults') === undefined
    ? []
    : descendantsOf(styles as XmlNode))
    if (node.name === 'w:lang') return knownLanguage(attributeOf(node, 'w:val'));
  return knownLanguage(undefined);
}

/** A tag that the runtime formats, otherwise American English. */
export function knownLanguage(tag: string | undefined): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag ?? '')[0] ?? 'en-US';
  } catch {
    return 'en-US';
  }
}
