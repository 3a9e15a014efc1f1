import { attributeOf, decodeReferences, type XmlNode } from '@scriptorium/ooxml/xml';
import { treeOf } from './look/tree.ts';
import { partOf, type Source } from './source.ts';

/** Elements of the parts of properties, and what fields call them (ECMA-376-1 §17.16.5, ECMA-376-2 §11.1). */
const ELEMENTS: Readonly<Record<string, string>> = {
  title: 'title',
  subject: 'subject',
  creator: 'author',
  keywords: 'keywords',
  description: 'comments',
  lastModifiedBy: 'lastsavedby',
  revision: 'revnum',
  created: 'createdate',
  modified: 'savedate',
  lastPrinted: 'printdate',
  category: 'category',
  contentStatus: 'contentstatus',
  Company: 'company',
  Manager: 'manager',
  Template: 'template',
};
/** Other names of these in DOCPROPERTY. */
const ALIASES: Readonly<Record<string, string>> = {
  revisionnumber: 'revnum',
  createtime: 'createdate',
  lastsavedtime: 'savedate',
  lastprinted: 'printdate',
};
const PARTS = new Set(['core-properties', 'extended-properties', 'custom-properties']);
const FIELD =
  /^\s*(?:(TITLE|SUBJECT|AUTHOR|KEYWORDS|COMMENTS|LASTSAVEDBY|REVNUM|CREATEDATE|SAVEDATE|PRINTDATE|TEMPLATE)\b|(DOCPROPERTY|DOCVARIABLE|INFO)\s+(?:"([^"]*)"|(\S+)))/i;

/** The key of the property that a field shows; undefined for a field that shows none. */
export function propertyOf(instruction: string): string | undefined {
  const [, own, kind, quoted, plain] = FIELD.exec(instruction) ?? [];
  if (own !== undefined) return own.toLowerCase();
  const name = (quoted ?? plain)?.trim().toLowerCase();
  if (kind === undefined || name === undefined) return undefined;
  return kind.toUpperCase() === 'DOCVARIABLE'
    ? `variable ${name}`
    : Object.hasOwn(ALIASES, name)
      ? ALIASES[name]
      : name;
}

const known = new WeakMap<Source, ReadonlyMap<string, string>>();

/** What fields can show of the properties and variables of a document, by `propertyOf`. */
export function propertiesOf(source: Source): ReadonlyMap<string, string> {
  const found = known.get(source) ?? readProperties(source);
  known.set(source, found);
  return found;
}

function readProperties(source: Source): ReadonlyMap<string, string> {
  const { document } = source;
  const found = new Map<string, string>();
  for (const { kind, part: key } of document.relationships.list) {
    const xml = key === undefined ? undefined : document.parts.get(key)?.xml;
    if (xml === undefined || !PARTS.has(kind)) continue;
    for (const node of treeOf(xml, 'properties')?.root.children ?? []) {
      const name = kind === 'custom-properties' ? attributeOf(node, 'name')?.toLowerCase() : keyOf(node);
      if (name !== undefined) found.set(name, textOf(node, xml));
    }
  }
  const settings = treeOf(partOf(source, 'settings')?.xml, 'settings')?.root;
  for (const node of settings?.children.find(({ name }) => name === 'w:docVars')?.children ?? [])
    if (node.name === 'w:docVar')
      found.set(`variable ${attributeOf(node, 'w:name')?.toLowerCase()}`, attributeOf(node, 'w:val') ?? '');
  return found;
}

function keyOf({ name }: XmlNode): string | undefined {
  const local = name.slice(Math.max(name.lastIndexOf(':'), name.lastIndexOf('}')) + 1);
  return Object.hasOwn(ELEMENTS, local) ? ELEMENTS[local] : undefined;
}

function textOf({ openEnd, closeStart }: XmlNode, xml: string): string {
  return decodeReferences(xml.slice(openEnd, closeStart).replaceAll(/<[^<>]*>/g, ''));
}
