import { pdfsig } from '@scriptorium/testing/judges/pdf';
import { type PdfBoxSignature, pdfboxOpinions } from '@scriptorium/testing/judges/pdfbox';
import type { AttackClass } from './attack.ts';
import { ATTACK_CLASSES } from './classes.ts';
import { judgedOrRefused } from './judged.ts';
import { type Lab, openLab } from './lab.ts';
import { GOOD_FILES } from './pdf/good-files.ts';

/**
 * Prints as Markdown the results of this service and other programs for each attack:
 * `node --conditions=source test/attacks/table.ts`. The others judge only the signatures; pdfsig ignores certificates.
 */

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

const WHOLE = '**valid**';
const EARLIER = 'valid, of an earlier revision';

/** Summarizes the results as a user would read them. */
function summary(signatures: readonly Seen[]): string {
  if (signatures.length === 0) return 'no signature';
  if (!signatures.every(({ holds }) => holds)) return 'broken';
  return signatures.some(({ coversAll }) => coversAll) ? WHOLE : EARLIER;
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

/** Counts valid results of the others: over the whole file, and over an earlier revision. */
function counted(all: readonly Opinions[], key: 'poppler' | 'pdfbox'): string {
  const count = (opinion: string) => all.filter((each) => each[key] === opinion).length;
  return `${count(WHOLE)} · ${count(EARLIER)}`;
}

async function printClass(lab: Lab, { name, attacks, isOfTrust }: AttackClass): Promise<string> {
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
  const caught = all.filter(({ isCaught }) => isCaught).length;
  const others = isOfTrust ? '– | –' : `${counted(all, 'poppler')} | ${counted(all, 'pdfbox')}`;
  return `| ${name} | ${all.length} | ${caught} | ${others} |`;
}

async function honestPassed(lab: Lab): Promise<number> {
  let passed = 0;
  for (const { make, verdict = 'valid' } of GOOD_FILES) {
    if ((await judgedOrRefused(lab, await make(lab)))?.verdict === verdict) passed++;
  }
  return passed;
}

const lab = await openLab();
try {
  const totals: string[] = [];
  for (const each of ATTACK_CLASSES) totals.push(await printClass(lab, each));
  print(
    '\n| Attack | Variants | Not valid here | pdfsig: holds, of the whole · of an earlier revision | PDFBox |',
  );
  print('|---|---|---|---|---|');
  for (const line of totals) print(line);
  print(
    `\nHonest files that are as they should be here: ${await honestPassed(lab)} of ${GOOD_FILES.length}.`,
  );
} finally {
  await lab.close();
}
