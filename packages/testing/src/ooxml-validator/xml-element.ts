import { SaxesParser, type SaxesTagNS } from 'saxes';

const OFFICE = 'http://schemas.openxmlformats.org';
const STRICT = 'http://purl.oclc.org/ooxml';

/** The prefixes that the rules use; names in other namespaces have the URI in braces. */
const PREFIXES: Readonly<Record<string, string>> = {
  [`${OFFICE}/wordprocessingml/2006/main`]: 'w',
  [`${STRICT}/wordprocessingml/main`]: 'w',
  [`${OFFICE}/officeDocument/2006/relationships`]: 'r',
  [`${STRICT}/officeDocument/relationships`]: 'r',
  [`${OFFICE}/drawingml/2006/wordprocessingDrawing`]: 'wp',
  [`${STRICT}/drawingml/wordprocessingDrawing`]: 'wp',
  [`${OFFICE}/drawingml/2006/main`]: 'a',
  [`${STRICT}/drawingml/main`]: 'a',
  [`${OFFICE}/drawingml/2006/picture`]: 'pic',
  [`${STRICT}/drawingml/picture`]: 'pic',
  [`${OFFICE}/officeDocument/2006/math`]: 'm',
  [`${OFFICE}/markup-compatibility/2006`]: 'mc',
  [`${OFFICE}/package/2006/relationships`]: 'rel',
  [`${OFFICE}/package/2006/content-types`]: 'ct',
  'http://schemas.microsoft.com/office/word/2010/wordml': 'w14',
  'http://schemas.microsoft.com/office/word/2012/wordml': 'w15',
};

/** An element as saxes reads it, with no code in common with the code that writes documents. */
export interface XmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  parent: XmlElement | undefined;
  /** The direct text. */
  text: string;
  /** Offsets in the source text. */
  start: number;
  end: number;
}

function canonical(uri: string, local: string): string {
  if (uri === '') return local;
  const prefix = PREFIXES[uri];
  return prefix === undefined ? `{${uri}}${local}` : `${prefix}:${local}`;
}

/** Reads well-formed XML with namespaces, without a byte order mark; throws if it is malformed or has a DOCTYPE. */
export function readXml(xml: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    throw new Error('the XML has a DOCTYPE');
  });
  parser.on('opentag', (tag) => {
    const parent = open.at(-1);
    const start = xml.lastIndexOf('<', parser.position - 1);
    const element = elementOf(tag, parent, start);
    parent?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on('closetag', () => {
    const element = open.pop();
    if (element !== undefined) element.end = parser.position;
  });
  parser.write(xml).close();
  if (root === undefined) throw new Error('the XML has no element');
  return root;
}

function elementOf(tag: SaxesTagNS, parent: XmlElement | undefined, start: number): XmlElement {
  const attributes = new Map<string, string>();
  for (const { uri, local, value, prefix } of Object.values(tag.attributes))
    attributes.set(prefix === 'xmlns' ? `xmlns:${local}` : canonical(uri, local), value);
  return {
    name: canonical(tag.uri, tag.local),
    attributes,
    children: [],
    parent,
    text: '',
    start,
    end: start,
  };
}

/** The element and its descendants, except opaque ones and their content. */
export function* elementsOf(
  element: XmlElement,
  isOpaque: (inner: XmlElement) => boolean = () => false,
): Generator<XmlElement> {
  if (isOpaque(element)) return;
  yield element;
  for (const child of element.children) yield* elementsOf(child, isOpaque);
}

export function childNamed(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((child) => child.name === name);
}

/** The path of an element for a fault: `w:body/w:tbl/w:tr`. */
export function pathOf(element: XmlElement): string {
  const names: string[] = [];
  for (let at: XmlElement | undefined = element; at !== undefined; at = at.parent) names.unshift(at.name);
  return names.slice(1).join('/') || element.name;
}
