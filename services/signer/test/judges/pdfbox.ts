import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
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

/** Classes of one source are compiled once on a machine: the folder is named for it, and appears when it is complete. */
async function compile(): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(SOURCE))
    .digest('hex');
  const folder = join(tmpdir(), `judge-classes-${digest.slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  const draft = await mkdtemp(join(tmpdir(), 'judge-draft-'));
  const { status, text } = await outcomeOf('javac', ['-cp', JARS.join(':'), '-d', draft, SOURCE]);
  if (status !== 0) throw new Error(`the judge does not compile: ${text}`);
  // Another process may have been first; a folder that is not empty is not replaced.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
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
