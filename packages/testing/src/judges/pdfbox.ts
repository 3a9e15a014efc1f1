import { join } from 'node:path';
import { outcomeOfJava } from './java.ts';
import { withFiles } from './programs.ts';

const SOURCE = join(import.meta.dirname, 'PdfSignatures.java');

/** A signature as PDFBox and Bouncy Castle report it. */
export interface PdfBoxSignature {
  field: string;
  subFilter: string;
  name: string | null;
  reason: string | null;
  location: string | null;
  /** ISO 8601. */
  date: string | null;
  /** The reason why it is invalid; null if it is valid. */
  problem: string | null;
  coversAll: boolean;
  /** 1, 2 or 3 if it certifies the document, else 0. */
  certificationLevel: number;
  widgets: number;
}

/** The result of PDFBox and Bouncy Castle for the signatures of each PDF, in the order of its fields. */
export async function pdfboxSignatures(pdfs: readonly Uint8Array[]): Promise<PdfBoxSignature[][]> {
  const opinions = await pdfboxOpinions(pdfs);
  return opinions.map((opinion) => {
    if (typeof opinion === 'string') throw new Error(`the judge failed: ${opinion}`);
    return opinion;
  });
}

/** The same, with the error in place of the signatures if a PDF is unreadable. */
export function pdfboxOpinions(pdfs: readonly Uint8Array[]): Promise<(PdfBoxSignature[] | string)[]> {
  return withFiles(pdfs, '.pdf', async (paths) => {
    const { status, text } = await outcomeOfJava(SOURCE, paths);
    if (status !== 0) throw new Error(`the judge failed: ${text}`);
    const lines = text.split('\n').filter((line) => line.startsWith('{'));
    const all = lines.map(
      (line) => JSON.parse(line) as PdfBoxSignature & { file: string; unreadable?: string },
    );
    return paths.map((path) => {
      const own = all.filter(({ file }) => file === path);
      return own.find(({ unreadable }) => unreadable !== undefined)?.unreadable ?? own;
    });
  });
}
