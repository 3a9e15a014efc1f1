/** What a document claims to conform to: PDF/A (ISO 19005) and PDF/UA (ISO 14289). */
export interface Claims {
  pdfa: { part: string; conformance: string; rev: string } | undefined;
  pdfua: { part: string; rev: string } | undefined;
}

/** What XMP says about a document. Texts that are undefined or empty are left out; dates are those of ISO 8601. */
export interface XmpProperties {
  title?: string | undefined;
  author?: string | undefined;
  subject?: string | undefined;
  keywords?: string | undefined;
  /** The program with which the document was written. */
  creatorTool?: string | undefined;
  producer?: string | undefined;
  createDate?: string | undefined;
  modifyDate?: string | undefined;
  invoice?: InvoiceProperties | undefined;
}

/** An invoice in an attachment (Factur-X 1.08, 6.2). */
export interface InvoiceProperties {
  fileName: string;
  level: string;
  version: string;
}

/** Characters that XML 1.0 does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const UNWRITABLE = /[\0-\x08\v\f\x0e-\x1f\ud800-\udfff\ufffe\uffff]/gu;

/** Returns a text without what XMP cannot say. */
export const writable = (text: string): string => text.replace(UNWRITABLE, '');

/** Returns a text as content of XML, which would read a carriage return as a line feed. */
export const escaped = (text: string): string =>
  writable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');

/** Returns a language alternative of a text. */
export const inAllLanguages = (text: string): string =>
  `<rdf:Alt><rdf:li xml:lang="x-default">${escaped(text)}</rdf:li></rdf:Alt>`;

const DESCRIPTION = '<rdf:Description rdf:about=""';

/** A schema that PDF/A-1 to 3 do not predefine. */
interface ExtensionSchema {
  name: string;
  uri: string;
  prefix: string;
  properties: { name: string; type: string; category: 'internal' | 'external'; description: string }[];
}

const UA_SCHEMA: ExtensionSchema = {
  name: 'PDF/UA identification',
  uri: 'http://www.aiim.org/pdfua/ns/id/',
  prefix: 'pdfuaid',
  properties: [{ name: 'part', type: 'Integer', category: 'internal', description: 'Part of PDF/UA' }],
};

const invoiceText = (name: string, description: string) =>
  ({ name, type: 'Text', category: 'external', description }) as const;

const INVOICE_SCHEMA: ExtensionSchema = {
  name: 'Factur-X PDFA Extension Schema',
  uri: 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#',
  prefix: 'fx',
  properties: [
    invoiceText('DocumentFileName', 'Name of the embedded XML invoice file'),
    invoiceText('DocumentType', 'INVOICE'),
    invoiceText('Version', 'Version of the XML schema of the invoice'),
    invoiceText('ConformanceLevel', 'Conformance level of the invoice data'),
  ],
};

/** Describes schemas, all in one place (ISO 19005-3, 6.6.2.3). */
function described(schemas: readonly ExtensionSchema[]): string {
  const resource = (tags: Record<string, string>, prefix: string) =>
    `<rdf:li rdf:parseType="Resource">${Object.entries(tags)
      .map(([name, value]) => `<${prefix}:${name}>${value}</${prefix}:${name}>`)
      .join('')}</rdf:li>`;
  const items = schemas.map(({ name, uri, prefix, properties }) => {
    const listed = properties.map(({ name: property, type, category, description }) =>
      resource({ category, description, name: property, valueType: type }, 'pdfaProperty'),
    );
    const property = `<rdf:Seq>${listed.join('')}</rdf:Seq>`;
    return resource({ namespaceURI: uri, prefix, schema: name, property }, 'pdfaSchema');
  });
  return (
    `${DESCRIPTION} xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema=` +
    '"http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">' +
    `<pdfaExtension:schemas><rdf:Bag>${items.join('')}</rdf:Bag></pdfaExtension:schemas></rdf:Description>`
  );
}

/** Writes XMP (ISO 16684-1) with the claims of a document. */
export function writeXmp({ pdfa, pdfua }: Claims, properties: XmpProperties): string {
  const { title, author, subject, keywords, creatorTool, producer, invoice } = properties;
  const about: string[] = [];
  /** `values` are texts of XML; those without content are left out. */
  const add = (prefix: string, uri: string, values: Record<string, string | undefined>) => {
    const present = Object.entries(values).filter(([, value]) => value);
    const tags = present.map(([name, value]) => `<${prefix}:${name}>${value}</${prefix}:${name}>`).join('');
    if (tags !== '') about.push(`${DESCRIPTION} xmlns:${prefix}="${uri}">${tags}</rdf:Description>`);
  };
  const text = (value: string | undefined) => value && escaped(value);
  add('pdf', 'http://ns.adobe.com/pdf/1.3/', { Producer: text(producer), Keywords: text(keywords) });
  add('dc', 'http://purl.org/dc/elements/1.1/', {
    title: title && inAllLanguages(title),
    creator: author && `<rdf:Seq><rdf:li>${escaped(author)}</rdf:li></rdf:Seq>`,
    description: subject && inAllLanguages(subject),
  });
  add('xmp', 'http://ns.adobe.com/xap/1.0/', {
    CreatorTool: text(creatorTool),
    CreateDate: properties.createDate,
    ModifyDate: properties.modifyDate,
  });
  if (pdfa) add('pdfaid', 'http://www.aiim.org/pdfa/ns/id/', pdfa);
  if (pdfua) add('pdfuaid', UA_SCHEMA.uri, pdfua);
  if (invoice)
    add('fx', INVOICE_SCHEMA.uri, {
      DocumentType: 'INVOICE',
      DocumentFileName: escaped(invoice.fileName),
      Version: escaped(invoice.version),
      ConformanceLevel: escaped(invoice.level),
    });
  const schemas = [...(pdfua ? [UA_SCHEMA] : []), ...(invoice ? [INVOICE_SCHEMA] : [])];
  if (pdfa && pdfa.part !== '4' && schemas.length > 0) about.push(described(schemas));
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `${about.join('\n')}</rdf:RDF></x:xmpmeta>\n<?xpacket end="r"?>`
  );
}
