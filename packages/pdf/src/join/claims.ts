import { inflateSync } from 'node:zlib';
import { isName, PdfString, Stream } from '../read/values.ts';
import type { Source } from './source.ts';

const METADATA_BYTES_MAX = 4 * 1024 * 1024;

/** What a document claims to conform to: PDF/A (ISO 19005) and PDF/UA (ISO 14289). */
export interface Claims {
  pdfa: { part: string; conformance: string; rev: string } | undefined;
  pdfua: { part: string; rev: string } | undefined;
}

/** Returns XMP as text; empty if there is none, or a filter that PDF/A does not allow for it. */
export function readXmp(source: Source): string {
  const metadata = source.get('Metadata');
  if (!(metadata instanceof Stream)) return '';
  const filter = source.document.get(metadata.dict, 'Filter');
  const [first = null, ...more] = Array.isArray(filter) ? filter : [filter];
  if (first === null) return metadata.data.subarray(0, METADATA_BYTES_MAX).toString('utf8');
  if (more.length > 0 || !isName(source.document.resolve(first), 'FlateDecode')) return '';
  try {
    return inflateSync(metadata.data, { maxOutputLength: METADATA_BYTES_MAX }).toString('utf8');
  } catch {
    return '';
  }
}

/** Returns the claims in XMP. */
export function claimsIn(xmp: string): Claims {
  const value = (name: string) =>
    new RegExp(`${name}(?:\\s{0,20}=\\s{0,20}["']|>)\\s{0,200}(\\w{1,8})`).exec(xmp)?.[1] ?? '';
  const [a, ua] = [value('pdfaid:part'), value('pdfuaid:part')];
  return {
    pdfa:
      a === '' ? undefined : { part: a, conformance: value('pdfaid:conformance'), rev: value('pdfaid:rev') },
    pdfua: ua === '' ? undefined : { part: ua, rev: value('pdfuaid:rev') },
  };
}

/** Returns what both claim. */
export function claimedByBoth(a: Claims, b: Claims): Claims {
  const same = <T>(one: T, other: T): T | undefined =>
    JSON.stringify(one) === JSON.stringify(other) ? one : undefined;
  return { pdfa: same(a.pdfa, b.pdfa), pdfua: same(a.pdfua, b.pdfua) };
}

const TITLE =
  /<dc:title[^>]{0,200}>\s{0,200}<rdf:Alt[^>]{0,200}>\s{0,200}<rdf:li[^>]{0,200}>([^<]{1,10000})</;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The title of a document: of its information dictionary, or else of its XMP. */
export function titleOf(source: Source, xmp: string): string | undefined {
  const info = source.document.dict(source.document.trailer, 'Info');
  const title = info && source.document.get(info, 'Title');
  if (title instanceof PdfString && title.text !== '') return title.text;
  const text = TITLE.exec(xmp)?.[1];
  return text?.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');
}

/** Characters that XML 1.0 does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const UNWRITABLE = /[\0-\x08\v\f\x0e-\x1f\ud800-\udfff\ufffe\uffff]/gu;

const escaped = (text: string): string =>
  text.replace(UNWRITABLE, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const DESCRIPTION = '<rdf:Description rdf:about=""';

/** PDF/A-1 to 3 predefine no schema for the claim of PDF/UA: it is described (ISO 19005-3, 6.6.2.3). */
const UA_SCHEMA =
  `${DESCRIPTION} xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema=` +
  '"http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">' +
  '<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource"><pdfaSchema:namespaceURI>' +
  'http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI><pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>' +
  '<pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema><pdfaSchema:property><rdf:Seq>' +
  '<rdf:li rdf:parseType="Resource"><pdfaProperty:category>internal</pdfaProperty:category>' +
  '<pdfaProperty:description>Part of PDF/UA</pdfaProperty:description><pdfaProperty:name>part</pdfaProperty:name>' +
  '<pdfaProperty:valueType>Integer</pdfaProperty:valueType></rdf:li></rdf:Seq></pdfaSchema:property></rdf:li>' +
  '</rdf:Bag></pdfaExtension:schemas></rdf:Description>';

/** Writes XMP (ISO 16684-1) with a title, the producer and claims. */
export function writeXmp({ pdfa, pdfua }: Claims, title: string | undefined, producer: string): string {
  const about: string[] = [
    `${DESCRIPTION} xmlns:pdf="http://ns.adobe.com/pdf/1.3/"><pdf:Producer>${producer}</pdf:Producer></rdf:Description>`,
  ];
  if (title !== undefined) {
    const alternatives = `<rdf:Alt><rdf:li xml:lang="x-default">${escaped(title)}</rdf:li></rdf:Alt>`;
    const dc = 'xmlns:dc="http://purl.org/dc/elements/1.1/"';
    about.push(`${DESCRIPTION} ${dc}><dc:title>${alternatives}</dc:title></rdf:Description>`);
  }
  const claim = (prefix: string, uri: string, values: Record<string, string>) => {
    const present = Object.entries(values).filter(([, value]) => value !== '');
    const tags = present.map(([name, value]) => `<${prefix}:${name}>${value}</${prefix}:${name}>`).join('');
    about.push(`${DESCRIPTION} xmlns:${prefix}="${uri}">${tags}</rdf:Description>`);
  };
  if (pdfa) claim('pdfaid', 'http://www.aiim.org/pdfa/ns/id/', pdfa);
  if (pdfua) claim('pdfuaid', 'http://www.aiim.org/pdfua/ns/id/', pdfua);
  if (pdfa && pdfua && pdfa.part !== '4') about.push(UA_SCHEMA);
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `${about.join('\n')}</rdf:RDF></x:xmpmeta>\n<?xpacket end="r"?>`
  );
}
