import type { Part } from '@scriptorium/ooxml/package';
import { decodeReferences, escapeXml } from '@scriptorium/ooxml/xml';

/** The namespaces that a root element declares, and those that a reader may ignore (ECMA-376-3 §7.2). */
export interface RootNames {
  /** URI by prefix; the prefix of the default namespace is ''. */
  namespaces: ReadonlyMap<string, string>;
  ignorable: readonly string[];
}

const DECLARATION = /\sxmlns(?::([^\s=]+))?\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const COMPATIBILITY = 'http://schemas.openxmlformats.org/markup-compatibility/2006';

/** The prefixes that readers may ignore, with any prefix of their namespace. */
const IGNORABLE = /\s([^\s=:"'<>/]+):Ignorable\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Reads the text of a start tag. */
export function namespacesOf(tag: string): RootNames {
  const namespaces = new Map<string, string>();
  for (const [, prefix = '', double, single] of tag.matchAll(DECLARATION))
    namespaces.set(prefix, decodeReferences(double ?? single ?? ''));
  const mc = [...namespaces].find(([, uri]) => uri === COMPATIBILITY)?.[0];
  const [, , double, single] = [...tag.matchAll(IGNORABLE)].find(([, prefix]) => prefix === mc) ?? [];
  return { namespaces, ignorable: (double ?? single ?? '').split(/\s+/).filter(Boolean) };
}

/** The root of a merged part: it declares what all documents declare, as long as their prefixes agree. */
export class MergedRoot {
  readonly #tag: string;
  readonly #own: RootNames;
  readonly #added = new Map<string, string>();
  readonly #ignorable: Set<string>;

  /** `tag` is the text of the start tag of the first document. */
  constructor(tag: string) {
    this.#tag = tag;
    this.#own = namespacesOf(tag);
    this.#ignorable = new Set(this.#own.ignorable);
  }

  /** Adds the names of another root. Returns the attributes that each element from there needs, which may be ''. */
  add({ namespaces, ignorable }: RootNames): string {
    let conflicts = '';
    for (const [prefix, uri] of namespaces) {
      const known = this.#own.namespaces.get(prefix) ?? this.#added.get(prefix);
      if (known === uri) continue;
      if (known === undefined && prefix !== '') this.#added.set(prefix, uri);
      else if (known !== undefined || prefix === '')
        conflicts += ` xmlns${prefix && ':'}${prefix}="${escapeXml(uri)}"`;
    }
    const isOwn = (prefix: string): boolean => conflicts.includes(` xmlns:${prefix}=`);
    const local = ignorable.filter(isOwn);
    for (const prefix of ignorable) if (!isOwn(prefix) && namespaces.has(prefix)) this.#ignorable.add(prefix);
    // A default namespace of the first document must not take names without a prefix.
    if (!namespaces.has('') && this.#own.namespaces.has('')) conflicts += ' xmlns=""';
    return local.length === 0
      ? conflicts
      : `${conflicts} xmlns:mc="${COMPATIBILITY}" mc:Ignorable="${local.join(' ')}"`;
  }

  /** The text of the start tag. */
  toString(): string {
    const declared = [...this.#added].map(([prefix, uri]) => ` xmlns:${prefix}="${escapeXml(uri)}"`).join('');
    const isUnchanged = this.#ignorable.size === this.#own.ignorable.length;
    const mc = [...this.#own.namespaces, ...this.#added].find(([, uri]) => uri === COMPATIBILITY)?.[0];
    let tag = this.#tag;
    let ignorable = '';
    if (!isUnchanged) {
      const name = mc ?? 'mc';
      tag = tag.replace(IGNORABLE, (written, prefix: string) => (prefix === name ? '' : written));
      ignorable = `${mc === undefined ? ` xmlns:mc="${COMPATIBILITY}"` : ''} ${name}:Ignorable="${[...this.#ignorable].join(' ')}"`;
    }
    const end = tag.endsWith('/>') ? tag.length - 2 : tag.length - 1;
    return `${tag.slice(0, end)}${declared}${ignorable}${tag.slice(end)}`;
  }
}

const ATTRIBUTE = /\s([^\s=]+)="[^"]*"/g;

/** The attributes of `names` that a start tag does not have itself. */
export function missingNames(tag: string, names: string): string {
  const own = new Set([...tag.matchAll(/\s([^\s=]+)\s*=/g)].map(([, name]) => name));
  return names.replace(ATTRIBUTE, (attribute, name: string) => (own.has(name) ? '' : attribute));
}

/** An element with more declarations. */
export function withNames(xml: string, names: string): string {
  if (names === '' || xml === '') return xml;
  const [tag] = /^<[^>]*>/.exec(xml) ?? [''];
  const [name] = /^<[^\s/>]+/.exec(tag) ?? [''];
  return `${name}${missingNames(tag, names)}${xml.slice(name.length)}`;
}

const STRICT_OFFICE = 'http://purl.oclc.org/ooxml/';
const OFFICE = 'http://schemas.openxmlformats.org/';
/** Namespaces of ISO/IEC 29500-1 Strict whose Transitional name has a year (ISO/IEC 29500-1 annex A). */
const YEARS: readonly [RegExp, string][] = [
  [
    /http:\/\/purl\.oclc\.org\/ooxml\/(wordprocessingml|spreadsheetml|presentationml)\/main/g,
    `${OFFICE}$1/2006/main`,
  ],
  [/http:\/\/purl\.oclc\.org\/ooxml\/officeDocument\/([a-zA-Z]+)/g, `${OFFICE}officeDocument/2006/$1`],
  [/http:\/\/purl\.oclc\.org\/ooxml\/drawingml\/([a-zA-Z]+)/g, `${OFFICE}drawingml/2006/$1`],
  [/http:\/\/purl\.oclc\.org\/ooxml\/schemaLibrary\/main/g, `${OFFICE}schemaLibrary/2006/main`],
];

function transitional(text: string): string {
  return text.includes(STRICT_OFFICE)
    ? YEARS.reduce((changed, [strict, name]) => changed.replace(strict, name), text)
    : text;
}

/** Replaces the names of Strict in a part and in its relationships. */
export function toTransitional(part: Part | Pick<Part, 'relationships'>): void {
  const { list } = part.relationships;
  part.relationships = { list: list.map((entry) => ({ ...entry, type: transitional(entry.type) })) };
  if (!('xml' in part) || part.xml === undefined) return;
  // `w:conformance` names the class of the document.
  part.xml = transitional(part.xml).replace(/\sw:conformance\s*=\s*("[^"]*"|'[^']*')/, '');
  part.bytes = Buffer.from(part.xml);
  part.edits = [];
  delete part.entry;
}
