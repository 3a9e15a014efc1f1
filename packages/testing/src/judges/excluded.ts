import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { outcomeOf, withFiles } from './programs.ts';

/** Schemes that a result may lead to, and addresses without one. */
const SAFE =
  /^(?:https?|ftps?|sftp|webcal|mailto|tel|sms|fax|sips?|xmpp|urn|doi|geo|news):|^(?![a-z][\w+.-]*:|[\\/]{2})/i;
const PATH = /dev\/shm|scriptorium-engine|zygote-\d|\/job-\d/;
const FIELD =
  /^\s*(?:DDE|DDEAUTO|INCLUDE|INCLUDETEXT|INCLUDEPICTURE|IMPORT|LINK|DATABASE|RD|MACROBUTTON|PRINT)\b|HYPERLINK\s+"?(?:file|javascript|smb|ms-)/i;

/** A pattern, and how what it finds is named. Its first group is an address if it has one. */
type Rule = readonly [name: string, pattern: RegExp];

const WORD: readonly Rule[] = [
  ['link', /<Relationship\b[^>]*?Type="[^"]*\/hyperlink"[^>]*?Target="([^"]*)"/g],
  ['remote template', /Type="[^"]*\/attachedTemplate"/g],
  ['code', /Type="[^"]*\/(?:vbaProject|wordVbaData|keyMapCustomizations)"/g],
  ['linked content', /<Relationship\b(?![^>]*\/hyperlink")[^>]*TargetMode="External"[^>]*>/gi],
];
const OPEN_DOCUMENT: readonly Rule[] = [
  ['link', /<text:a\b[^>]*?xlink:href="([^"]*)"/g],
  ['address', /xlink:href="((?:file|javascript|smb|vnd\.|macro|ms-)[^"]*)"/gi],
  ['code', /<(?:script:event-listener|text:script|text:execute-macro)\b/g],
  ['active field', /<(?:text:dde-connection|office:dde-source|draw:object-ole|draw:plugin|draw:applet)\b/g],
];
const PAGE: readonly Rule[] = [
  ['link', /<a\b[^>]*?href="([^"]*)"/gi],
  ['code', /<(?:script|iframe|object|embed|base|form|svg)\b|<[a-z][^>]*\son\w+\s*=|http-equiv="?refresh/gi],
  ['fetched content', /<(?:img|link|input)\b[^>]*?(?:src|href)="(?!data:image)[^"]*"/gi],
];
const PDF: readonly Rule[] = [
  ['link', /\/URI ?\(((?:[^\\)]|\\.)*)\)/g],
  ['action', /\/S ?\/(?:Launch|JavaScript|SubmitForm|ImportData|Rendition|Movie|Sound)\b/g],
];

/**
 * What is in a result although the security model excludes it: links of other schemes, active fields, remote content, code, and
 * paths of the converter. Reads results in its own way: with yauzl, qpdf and patterns.
 */
export async function excludedIn(result: Buffer): Promise<string[]> {
  const start = result.toString('latin1', 0, 8);
  if (start.startsWith('%PDF-')) return found(await plainPdf(result), PDF);
  if (!start.startsWith('PK\x03\x04'))
    return found(result.toString(), /<html/i.test(`${result}`) ? PAGE : []);
  const text = await unzipped(result);
  const fields = [...text.matchAll(/<w:instrText\b[^>]*>([^<]*)|w:instr="([^"]*)"/g)]
    .map(([, instruction, simple]) => (instruction ?? simple ?? '').replaceAll('&quot;', '"'))
    .filter((instruction) => FIELD.test(instruction));
  return [...found(text, text.includes('<office:document') ? OPEN_DOCUMENT : WORD), ...fields];
}

function found(text: string, rules: readonly Rule[]): string[] {
  const path = PATH.exec(text)?.[0];
  const others = rules.flatMap(([name, pattern]) =>
    [...text.matchAll(pattern)]
      .filter(([, address]) => address === undefined || name !== 'link' || !SAFE.test(address))
      .map(([whole]) => `${name}: ${whole.slice(0, 200)}`),
  );
  return path === undefined ? others : [`path: ${path}`, ...others];
}

async function unzipped(bytes: Buffer): Promise<string> {
  const archive = await fromBufferPromise(bytes, { lazyEntries: true });
  const texts: string[] = [];
  for await (const entry of archive.eachEntry())
    if (/\.(?:xml|rels|rdf|svg)$/i.test(entry.fileName))
      texts.push((await buffer(await archive.openReadStreamPromise(entry))).toString());
  return texts.join('\n');
}

/** The objects of a PDF without compression, and the text of its pages. */
function plainPdf(bytes: Buffer): Promise<string> {
  return withFiles([bytes], '.pdf', async ([path = '']) => {
    const options = ['--qdf', '--object-streams=disable', '--warning-exit-0', path, '-'];
    return (await outcomeOf('qpdf', options)).text + (await outcomeOf('pdftotext', [path, '-'])).text;
  });
}
