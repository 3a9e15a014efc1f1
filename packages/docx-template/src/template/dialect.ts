import { escapeXml, type XmlNode } from '@scriptorium/ooxml/xml';

const OFFICE = 'http://schemas.openxmlformats.org';
const STRICT = 'http://purl.oclc.org/ooxml';

/** The namespaces of filled content. Strict documents (ISO/IEC 29500) have different ones. */
const NAMESPACES = {
  transitional: {
    w: `${OFFICE}/wordprocessingml/2006/main`,
    r: `${OFFICE}/officeDocument/2006/relationships`,
    wp: `${OFFICE}/drawingml/2006/wordprocessingDrawing`,
    a: `${OFFICE}/drawingml/2006/main`,
    pic: `${OFFICE}/drawingml/2006/picture`,
    lc: `${OFFICE}/drawingml/2006/lockedCanvas`,
  },
  strict: {
    w: `${STRICT}/wordprocessingml/main`,
    r: `${STRICT}/officeDocument/relationships`,
    wp: `${STRICT}/drawingml/wordprocessingDrawing`,
    a: `${STRICT}/drawingml/main`,
    pic: `${STRICT}/drawingml/picture`,
    lc: `${STRICT}/drawingml/lockedCanvas`,
  },
} as const;

/** The name of a prefix declaration in `scanXml`. */
const DECLARATION = '{http://www.w3.org/2000/xmlns/}';
/** Used if the root of a part declares no prefix for WordprocessingML. Documents do not use it. */
const OWN_PREFIX = 'wordml';

/** The vocabulary (Transitional or Strict) and the prefix of WordprocessingML in a part. */
export interface Dialect {
  isStrict: boolean;
  namespaces: Readonly<Record<'w' | 'r' | 'wp' | 'a' | 'pic' | 'lc', string>>;
  /** A WordprocessingML element with attributes, `element('b', { val: '0' })`. An empty element without content. */
  element(name: string, attributes?: Readonly<Record<string, string>>, content?: string): string;
}

/** The dialect of a part, from its text and its root element. */
export function dialectOf(xml: string, root: XmlNode): Dialect {
  const isStrict = root.attributes.some(({ value }) => value === NAMESPACES.strict.w);
  const namespaces = isStrict ? NAMESPACES.strict : NAMESPACES.transitional;
  const declared = root.attributes
    .filter(({ name, value }) => name.startsWith(DECLARATION) && value === namespaces.w)
    .map(({ name }) => name.slice(DECLARATION.length))
    // A prefix that an inner element redeclares may have another meaning at the filled place.
    .find((prefix) => !xml.includes(`xmlns:${prefix}=`, root.openEnd));
  const prefix = declared ?? OWN_PREFIX;
  const declaration = declared === undefined ? ` xmlns:${prefix}="${namespaces.w}"` : '';
  return {
    isStrict,
    namespaces,
    element(name, attributes = {}, content = '') {
      let head = `<${prefix}:${name}${declaration}`;
      for (const key in attributes) head += ` ${prefix}:${key}="${escapeXml(attributes[key] ?? '')}"`;
      return content === '' ? `${head}/>` : `${head}>${content}</${prefix}:${name}>`;
    },
  };
}
