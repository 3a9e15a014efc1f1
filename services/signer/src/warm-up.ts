import type { Signing } from '@scriptorium/shared/jobs/sign';
import { XML_DECLARATION } from '@scriptorium/shared/ooxml/xml-text';
import { writeArchive } from '@scriptorium/shared/ooxml/zip-writer';
import type { RawSigner } from './keys/raw-signer.ts';
import { sign } from './sign.ts';
import type { SignTools } from './sign-tools.ts';

const OFFICE = 'http://schemas.openxmlformats.org';
const MAIN_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
/** Rounds after which the code of a thread is compiled as far as it will be. */
const ROUNDS = 15;
const SIGNATURE_BYTES = 256;

function smallPdf(): Buffer {
  const bodies = ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>'];
  bodies.push('<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>');
  let text = '%PDF-1.7\n';
  const offsets = bodies.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(
    `${text}${table}trailer\n<</Size ${bodies.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}

function smallDocx(): Buffer {
  const parts = {
    '[Content_Types].xml':
      `<Types xmlns="${OFFICE}/package/2006/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Override PartName="/word/document.xml" ContentType="${MAIN_TYPE}"/></Types>`,
    '_rels/.rels':
      `<Relationships xmlns="${OFFICE}/package/2006/relationships"><Relationship Id="rId1" ` +
      `Type="${OFFICE}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<w:document xmlns:w="${OFFICE}/wordprocessingml/2006/main"><w:body><w:p/></w:body></w:document>`,
  };
  const entries = Object.entries(parts).map(([name, xml]) => ({
    name,
    data: Buffer.from(XML_DECLARATION + xml),
  }));
  return writeArchive(entries, { isCompressed: true });
}

function requestWith(key: Signing['key'], hasAuditPages: boolean, timestamp: string): Signing {
  return {
    key,
    level: 'B-B',
    signer: { name: 'Nobody', email: 'nobody@localhost' },
    auditTrail: [{ type: 'submit', timestamp }],
    hasAuditPages,
    allowBrokenSignatures: false,
  };
}

/**
 * Signs small documents that nobody gets, so that the first caller pays neither for the compilation of the code nor for
 * reading the fonts. The key is not used for it: `certificates` are those of the signer that most requests will have.
 */
export async function warmUp(tools: SignTools, { certificates, hash }: RawSigner): Promise<void> {
  const idle: RawSigner = {
    certificates,
    algorithm: 'rsa',
    hash,
    sign: async () => Buffer.alloc(SIGNATURE_BYTES, 1),
  };
  const warming = { ...tools, openKey: async () => idle };
  const timestamp = tools.now().toISOString();
  // A DOCX is only drawn up, as for a key held elsewhere: the value of its signature would be looked at.
  const errands = [
    { source: smallPdf(), key: { kind: 'profile', profile: '', apiKey: '' } },
    { source: smallDocx(), key: { kind: 'external', certificates: [''], algorithm: 'rsa', hash } },
  ] satisfies { source: Buffer; key: Signing['key'] }[];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { source, key } of errands) {
      const signing = requestWith(key, round % 2 === 0, timestamp);
      await sign({ source, signing, images: Buffer.alloc(0), callerKey: undefined }, warming);
    }
  }
}
