const OFFICE = 'http://schemas.openxmlformats.org';
const STRICT = 'http://purl.oclc.org/ooxml';
const MICROSOFT = 'http://schemas.microsoft.com/office';

/**
 * The prefix that this code uses for a namespace, whatever prefix the document uses: steps compare `w:p`, not a URI.
 * Transitional and Strict (ISO/IEC 29500) namespaces of one vocabulary share a prefix. A name in any other namespace
 * begins with its URI in braces. A name without a namespace has no prefix.
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
  [`${OFFICE}/spreadsheetml/2006/main`]: 'x',
  [`${STRICT}/spreadsheetml/main`]: 'x',
  [`${OFFICE}/drawingml/2006/spreadsheetDrawing`]: 'xdr',
  [`${STRICT}/drawingml/spreadsheetDrawing`]: 'xdr',
  [`${OFFICE}/presentationml/2006/main`]: 'p',
  [`${STRICT}/presentationml/main`]: 'p',
  'urn:schemas-microsoft-com:vml': 'v',
  'urn:schemas-microsoft-com:office:office': 'o',
  'urn:schemas-microsoft-com:office:word': 'w10',
  [`${MICROSOFT}/word/2010/wordml`]: 'w14',
  [`${MICROSOFT}/word/2012/wordml`]: 'w15',
  [`${MICROSOFT}/word/2010/wordprocessingShape`]: 'wps',
  [`${MICROSOFT}/word/2010/wordprocessingGroup`]: 'wpg',
  [`${MICROSOFT}/drawing/2016/SVG/main`]: 'asvg',
  [`${MICROSOFT}/spreadsheetml/2009/9/main`]: 'x14',
  [`${MICROSOFT}/excel/2006/main`]: 'xm',
  [`${MICROSOFT}/powerpoint/2010/main`]: 'p14',
  'http://www.w3.org/2000/svg': 'svg',
  'http://www.w3.org/1999/xlink': 'xlink',
};

/** The namespace URIs of the prefixes that this code writes into new parts. */
export const NAMESPACES = {
  w: `${OFFICE}/wordprocessingml/2006/main`,
  p: `${OFFICE}/presentationml/2006/main`,
  a: `${OFFICE}/drawingml/2006/main`,
  r: `${OFFICE}/officeDocument/2006/relationships`,
  rel: `${OFFICE}/package/2006/relationships`,
  ct: `${OFFICE}/package/2006/content-types`,
} as const;

/** The name that `scanXml` reports for an element or attribute. `uri` is empty without a namespace. */
export function canonicalName(uri: string, local: string): string {
  if (uri === '') return local;
  const prefix = Object.hasOwn(PREFIXES, uri) ? PREFIXES[uri] : undefined;
  return prefix === undefined ? `{${uri}}${local}` : `${prefix}:${local}`;
}

/** The prefix with its colon in the start tag at this place, such as `w:`; empty if it has none. */
export function prefixAt(xml: string, { start, end }: { start: number; end: number }): string {
  return /^<([^\s<>/:]+:)?/.exec(xml.slice(start, end))?.[1] ?? '';
}
