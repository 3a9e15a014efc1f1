import { pdfsig } from '../judges/pdf.ts';
import { type PdfBoxSignature, pdfboxOpinions } from '../judges/pdfbox.ts';
import { ATTACK_CLASSES } from './classes.ts';
import { judgedOrRefused } from './judged.ts';
import { type Lab, openLab } from './lab.ts';

/** Prints as Markdown what this service and others say of each attack: `node --conditions=source test/attacks/table.ts`. */

interface Opinions {
  attack: string;
  ours: string;
  isCaught: boolean;
  poppler: string;
  pdfbox: string;
}

interface Seen {
  holds: boolean;
  coversAll: boolean;
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** As who reads these answers would sum them up. */
function summary(signatures: readonly Seen[]): string {
  if (signatures.length === 0) return 'no signature';
  if (!signatures.every(({ holds }) => holds)) return 'broken';
  return signatures.some(({ coversAll }) => coversAll) ? '**valid**' : 'valid, of an earlier revision';
}

const ofPdfbox = (opinion: PdfBoxSignature[] | string): string =>
  typeof opinion === 'string'
    ? 'unreadable'
    : summary(opinion.map(({ problem, coversAll }) => ({ holds: problem === null, coversAll })));

async function ofPoppler(pdf: Buffer): Promise<string> {
  const signatures = await pdfsig(pdf);
  return summary(
    signatures.map(({ validation, coversAll }) => ({
      holds: validation === 'Signature is Valid.',
      coversAll,
    })),
  );
}

async function ours(
  lab: Lab,
  pdf: Buffer,
  revocation: 'none' | 'embedded' | 'online' | undefined,
): Promise<Pick<Opinions, 'ours' | 'isCaught'>> {
  const reply = await judgedOrRefused(lab, pdf, revocation);
  if (reply === undefined) return { ours: 'refused: cannot be read', isCaught: true };
  const { verdict, valid, signatures } = reply;
  const bad = signatures
    .flatMap(({ reasons }) => reasons)
    .filter(({ severity }) => severity === 'error' || severity === 'doubt' || severity === 'untrusted');
  const codes = [...new Set(bad.map(({ code }) => code))].slice(0, 3);
  return { ours: `${verdict}: ${codes.join(', ')}`, isCaught: !valid };
}

const lab = await openLab();
try {
  const totals: string[] = [];
  for (const { name, attacks } of ATTACK_CLASSES) {
    const pdfs: Buffer[] = [];
    for (const { make } of attacks) pdfs.push(await make(lab));
    const boxes = await pdfboxOpinions(pdfs);
    const all: Opinions[] = [];
    for (const [index, { name: attack, revocation }] of attacks.entries()) {
      const pdf = pdfs[index] ?? Buffer.alloc(0);
      const own = await ours(lab, pdf, revocation);
      all.push({ attack, ...own, poppler: await ofPoppler(pdf), pdfbox: ofPdfbox(boxes[index] ?? []) });
    }
    print(`\n### ${name}\n\n| What was done | This service | pdfsig | PDFBox |\n|---|---|---|---|`);
    for (const { attack, ours: own, isCaught, poppler, pdfbox } of all)
      print(`| ${attack} | ${isCaught ? '' : 'MISSED '}${own} | ${poppler} | ${pdfbox} |`);
    const taken = (key: 'poppler' | 'pdfbox') => all.filter((each) => each[key].includes('valid')).length;
    const caught = all.filter(({ isCaught }) => isCaught).length;
    totals.push(`| ${name} | ${all.length} | ${caught} | ${taken('poppler')} | ${taken('pdfbox')} |`);
  }
  print(
    '\n| Attack | Variants | Not valid here | Holds for pdfsig | Holds for PDFBox |\n|---|---|---|---|---|',
  );
  for (const line of totals) print(line);
} finally {
  await lab.close();
}
