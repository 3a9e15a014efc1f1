import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomeOf, withFiles } from './programs.ts';

const JARS = ['pdfbox2', 'fontbox2', 'bcprov', 'bcpkix', 'bcutil', 'commons-logging'].map(
  (name) => `/usr/share/java/${name}.jar`,
);
const SOURCE = join(import.meta.dirname, 'PdfSignatures.java');

/** A signature as PDFBox and Bouncy Castle see it. */
export interface PdfBoxSignature {
  field: string;
  subFilter: string;
  name: string | null;
  reason: string | null;
  location: string | null;
  /** ISO 8601. */
  date: string | null;
  /** What is wrong with it; null where it holds. */
  problem: string | null;
  coversAll: boolean;
  /** 1, 2 or 3 where it certifies the document, else 0. */
  certificationLevel: number;
  widgets: number;
}

let compiled: Promise<string> | undefined;

async function compile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'judge-classes-'));
  const { status, text } = await outcomeOf('javac', ['-cp', JARS.join(':'), '-d', folder, SOURCE]);
  if (status !== 0) throw new Error(`the judge does not compile: ${text}`);
  return folder;
}

/** The judgement of PDFBox and Bouncy Castle on the signatures of each PDF, in the order of its fields. */
export async function pdfboxSignatures(pdfs: readonly Uint8Array[]): Promise<PdfBoxSignature[][]> {
  compiled ??= compile();
  const classes = [await compiled, ...JARS].join(':');
  return withFiles(pdfs, '.pdf', async (paths) => {
    const { status, text } = await outcomeOf('java', [
      '-Xshare:auto',
      '-cp',
      classes,
      'PdfSignatures',
      ...paths,
    ]);
    if (status !== 0) throw new Error(`the judge failed: ${text}`);
    const lines = text.split('\n').filter((line) => line.startsWith('{'));
    const all = lines.map((line) => JSON.parse(line) as PdfBoxSignature & { file: string });
    return paths.map((path) => all.filter(({ file }) => file === path));
  });
}
