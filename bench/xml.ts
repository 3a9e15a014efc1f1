/**
 * Prints how fast the sanitizer reads XML, compared with saxes on the same text: CPU time, for parts of several sizes.
 */
import { Budget } from '@scriptorium/ooxml/bounds';
import { Scope, scanXml } from '@scriptorium/ooxml/xml';
import { SaxesParser } from 'saxes';

const ROUNDS = 7;
const CHARS_A_ROUND = 4_000_000;
const NAMESPACE = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** Paragraphs as Word writes them: a few repeated tags, and ids that never repeat. */
function partOf(paragraphs: number): string {
  const paragraph = (i: number) =>
    `<w:p w:rsidR="00${i.toString(16).padStart(6, '0')}" w:rsidRDefault="00C4177F"><w:pPr><w:pStyle w:val="BodyText"/>` +
    '<w:spacing w:before="120" w:after="0" w:line="276" w:lineRule="auto"/></w:pPr><w:r><w:rPr><w:b/><w:sz w:val="22"/></w:rPr>' +
    `<w:t xml:space="preserve">A sentence of some length, number ${i}, with a word &amp; another.</w:t></w:r></w:p>`;
  const body = Array.from({ length: paragraphs }, (_, i) => paragraph(i)).join('');
  return `<w:document xmlns:w="${NAMESPACE}"><w:body>${body}</w:body></w:document>`;
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function readWithSaxes(xml: string): void {
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(xml).close();
}

const readers: Record<string, (xml: string) => void> = {
  scanXml: (xml) => scanXml(xml, [], { budget: new Budget(), part: 'bench', names: Scope.root() }),
  saxes: readWithSaxes,
};

const rows = [10, 100, 1_000, 10_000].map((paragraphs) => {
  const xml = partOf(paragraphs);
  const times = Math.max(1, Math.round(CHARS_A_ROUND / xml.length));
  const best = Object.fromEntries(Object.keys(readers).map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, read] of Object.entries(readers)) {
      const ms = cpuMs(() => {
        for (let i = 0; i < times; i++) read(xml);
      });
      best[name] = Math.min(best[name] ?? ms, ms);
    }
  const rate = (name: string) => ((times * xml.length) / 1000 / (best[name] ?? Number.NaN)).toFixed(0);
  return {
    'part KB': Math.round(xml.length / 1000),
    'scanXml MB/s': rate('scanXml'),
    'saxes MB/s': rate('saxes'),
  };
});
console.table(rows);
