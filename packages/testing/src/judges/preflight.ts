import { join } from 'node:path';
import { outcomeOfJava } from './java.ts';
import { withFiles } from './programs.ts';

const SOURCE = join(import.meta.dirname, 'PdfAPreflight.java');

/** What PDFBox Preflight finds in each file that PDF/A-1b does not allow: codes and reasons. Empty for a PDF/A-1b. */
export function breachesOfPdfA1b(pdfs: readonly Uint8Array[]): Promise<string[][]> {
  return withFiles(pdfs, '.pdf', async (paths) => {
    const { status, text } = await outcomeOfJava(SOURCE, paths);
    if (status !== 0) throw new Error(`the judge failed: ${text}`);
    const found = [...text.matchAll(/^breach (\d+) (.*)$/gm)];
    return paths.map((_, number) =>
      found.filter(([, of]) => Number(of) === number).map(([, , breach]) => breach ?? ''),
    );
  });
}
