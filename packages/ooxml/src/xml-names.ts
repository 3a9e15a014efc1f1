import type { Tag } from './xml-tag.ts';

const OFFICE = 'http://schemas.openxmlformats.org';
const STRICT = 'http://purl.oclc.org/ooxml';
const MICROSOFT = 'http://schemas.microsoft.com/office';

/**
 * The prefix that this code writes for a namespace, whatever the document calls it: steps compare `w:p`, not a URI.
 * Transitional and Strict (ISO/IEC 29500) names of one vocabulary are one. Names in a namespace that is not here
 * begin with its URI in braces; names in none have no prefix.
 */
const PREFIXES: Readonly<Record<string, string>> = {
  [`${OFFICE}/wordprocessingml/2006/main`]: 'w',
  [`${STRICT}/wordprocessingml/main`]: 'w',
  [`${OFFICE}/officeDocument/2006/relationships`]: 'r',
  [`${STRICT}/officeDocument/relationships`]: 'r',
  [`${OFFICE}/drawingml/2006/main`]: 'a',
  [`${STRICT}/drawingml/main`]: 'a',
  [`${OFFICE}/drawingml/2006/wordprocessingDrawing`]: 'wp',
  [`${STRICT}/drawingml/wordprocessingDrawing`]: 'wp',
  [`${OFFICE}/drawingml/2006/picture`]: 'pic',
  [`${STRICT}/drawingml/picture`]: 'pic',
  [`${OFFICE}/drawingml/2006/chart`]: 'c',
  [`${STRICT}/drawingml/chart`]: 'c',
  [`${OFFICE}/drawingml/2006/diagram`]: 'dgm',
  [`${STRICT}/drawingml/diagram`]: 'dgm',
  [`${OFFICE}/officeDocument/2006/math`]: 'm',
  [`${STRICT}/officeDocument/math`]: 'm',
  [`${OFFICE}/package/2006/relationships`]: 'rel',
  [`${OFFICE}/package/2006/content-types`]: 'ct',
  [`${OFFICE}/markup-compatibility/2006`]: 'mc',
  'http://www.w3.org/XML/1998/namespace': 'xml',
  'urn:schemas-microsoft-com:vml': 'v',
  'urn:schemas-microsoft-com:office:office': 'o',
  'urn:schemas-microsoft-com:office:word': 'w10',
  [`${MICROSOFT}/word/2010/wordml`]: 'w14',
  [`${MICROSOFT}/word/2012/wordml`]: 'w15',
  [`${MICROSOFT}/word/2010/wordprocessingShape`]: 'wps',
  [`${MICROSOFT}/word/2010/wordprocessingGroup`]: 'wpg',
  [`${MICROSOFT}/drawing/2016/SVG/main`]: 'asvg',
  'http://www.w3.org/2000/svg': 'svg',
  'http://www.w3.org/1999/xlink': 'xlink',
};

/** The URIs of the prefixes that the code writes into documents of its own. */
export const NAMESPACES = {
  w: `${OFFICE}/wordprocessingml/2006/main`,
  rel: `${OFFICE}/package/2006/relationships`,
  ct: `${OFFICE}/package/2006/content-types`,
} as const;

/** A name of XML 1.0 with at most one colon; beyond ASCII, any letter-like character is let pass. */
const QUALIFIED_NAME =
  /^[A-Za-z_\u00c0-\uffff][\w.\-\u00b7-\uffff]*(?::[A-Za-z_\u00c0-\uffff][\w.\-\u00b7-\uffff]*)?$/;

/** The name under which `scanXml` tells of an element or attribute of a namespace; empty for none. */
export function canonicalName(uri: string, local: string): string {
  if (uri === '') return local;
  const prefix = Object.hasOwn(PREFIXES, uri) ? PREFIXES[uri] : undefined;
  return prefix === undefined ? `{${uri}}${local}` : `${prefix}:${local}`;
}

const BINDINGS_MAX = 2_000;
/** Of texts of more than 16,383 characters V8 hashes the length alone: a map compares each of them with every other. */
export const NAME_CHARS_MAX = 1_000;
const SCOPES_KEPT_MAX = 64;

/** Thrown where a text is no well-formed XML 1.0 with namespaces, or has a DOCTYPE. */
export class XmlError extends Error {}

/** The namespace bindings in force inside an element, with the names that were looked up in them. */
export class Scope {
  readonly #parent: Scope | undefined;
  readonly #bindings: ReadonlyMap<string, string>;
  readonly #bindingCount: number;
  readonly #elements = new Map<string, string>();
  readonly #attributes = new Map<string, string>();
  /** Tags read inside this scope, by their text; `xml-scan.ts` keeps them. */
  readonly tags = new Map<string, Tag>();
  /** Documents declare the same namespaces on thousands of elements; each such set is one scope. */
  readonly #inner = new Map<string, Scope>();

  constructor(bindings: ReadonlyMap<string, string>, parent?: Scope) {
    this.#bindings = bindings;
    this.#parent = parent;
    this.#bindingCount = bindings.size + (parent === undefined ? 0 : parent.#bindingCount);
    if (this.#bindingCount > BINDINGS_MAX)
      throw new XmlError('too many namespace declarations inside each other');
  }

  static root(): Scope {
    return new Scope(
      new Map([
        ['xml', 'http://www.w3.org/XML/1998/namespace'],
        ['xmlns', 'http://www.w3.org/2000/xmlns/'],
      ]),
    );
  }

  /** The scope inside an element with these declarations: pairs of prefix and URI. */
  enter(declarations: readonly (readonly [prefix: string, uri: string])[]): Scope {
    const key = JSON.stringify(declarations);
    const known = this.#inner.get(key);
    if (known !== undefined) return known;
    const scope = new Scope(new Map(declarations), this);
    if (this.#inner.size < SCOPES_KEPT_MAX) this.#inner.set(key, scope);
    return scope;
  }

  /** The canonical name of an element that is written so: `w:p`. Throws XmlError. */
  element(written: string): string {
    let name = this.#elements.get(written);
    if (name === undefined) {
      name = this.#resolve(written, true);
      this.#elements.set(written, name);
    }
    return name;
  }

  /** The canonical name of an attribute; without a prefix it is in no namespace. Throws XmlError. */
  attribute(written: string): string {
    let name = this.#attributes.get(written);
    if (name === undefined) {
      name = this.#resolve(written, false);
      this.#attributes.set(written, name);
    }
    return name;
  }

  #resolve(written: string, isElement: boolean): string {
    if (written.length > NAME_CHARS_MAX)
      throw new XmlError(`a name of more than ${NAME_CHARS_MAX} characters`);
    if (!QUALIFIED_NAME.test(written))
      throw new XmlError(`${JSON.stringify(written.slice(0, 60))} is no name`);
    const colon = written.indexOf(':');
    const prefix = colon === -1 ? '' : written.slice(0, colon);
    if (isElement && prefix === 'xmlns') throw new XmlError('an element with the prefix xmlns');
    const local = written.slice(colon + 1);
    const uri = prefix === '' && !isElement ? '' : this.#uri(prefix);
    if (uri === undefined) throw new XmlError(`the prefix ${prefix.slice(0, 60)} is not declared`);
    return canonicalName(uri, local);
  }

  #uri(prefix: string): string | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#parent) {
      const uri = scope.#bindings.get(prefix);
      if (uri !== undefined) return uri;
    }
    return prefix === '' ? '' : undefined;
  }
}
