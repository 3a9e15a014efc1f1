import { escaped, inAllLanguages } from '../write/xmp.ts';

/** What LibreOffice writes for a document without dates. */
const NO_DATE = '0000-00-00T00:00:00Z';
const CREATED = /(<xmp:CreateDate>)[\d:T-]{19}Z(?=<)/g;

/**
 * Returns XMP that says when the PDF was created, as its information dictionary does (ISO 19005-2 §6.6.2.3). It has this date
 * instead of dates of the year zero. The length stays the same.
 */
export function withDates(xmp: string, created: Date): string {
  const date = created.toISOString().replace(/\.\d{3}Z$/, 'Z');
  return xmp.replaceAll(NO_DATE, date).replace(CREATED, `$1${date}`);
}

const END = '</rdf:RDF>';

/** Returns XMP with this title, unless it has one (ISO 16684-1 §8.3). */
export function withTitle(xmp: string, title: string): string {
  const end = xmp.lastIndexOf(END);
  if (xmp.includes('<dc:title') || end === -1) return xmp;
  const description =
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">' +
    `<dc:title>${inAllLanguages(title)}</dc:title></rdf:Description>`;
  return xmp.slice(0, end) + description + xmp.slice(end);
}

/** The places of texts in the XMP of LibreOffice, by the key of the information dictionary. */
const TEXTS = {
  Title: /(<dc:title>\s*<rdf:Alt>\s*<rdf:li xml:lang="x-default">)[^<]*(?=<)/,
  Author: /(<dc:creator>\s*<rdf:Seq>\s*<rdf:li>)[^<]*(?=<)/,
  Subject: /(<dc:description>\s*<rdf:Alt>\s*<rdf:li xml:lang="x-default">)[^<]*(?=<)/,
  Keywords: /(<pdf:Keywords>)[^<]*(?=<)/,
} as const;

export type InfoText = keyof typeof TEXTS;
export const INFO_TEXTS = Object.keys(TEXTS) as InfoText[];

const PACKET_END = '<?xpacket end';

/**
 * Returns XMP with the texts of the information dictionary, which LibreOffice escapes twice (ISO 19005-1 §6.7.3). It has the
 * same size, by its padding; undefined if there is too little of that.
 */
export function withTexts(xmp: string, textOf: (key: InfoText) => string | undefined): string | undefined {
  let written = xmp;
  for (const key of INFO_TEXTS) {
    const text = textOf(key);
    if (text !== undefined)
      written = written.replace(TEXTS[key], (_, start: string) => start + escaped(text));
  }
  const grown = Buffer.byteLength(written) - Buffer.byteLength(xmp);
  const end = written.lastIndexOf(PACKET_END);
  const packet = written.slice(0, end).trimEnd();
  const padding = end - packet.length - grown;
  return end === -1 || padding < 0 ? undefined : packet + ' '.repeat(padding) + written.slice(end);
}
