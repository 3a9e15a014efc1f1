import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { outcomeOf, withFiles } from '@scriptorium/testing/judges/programs';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** From black to white, 50 an inch. */
export interface SeenPage {
  width: number;
  height: number;
  pixels: Uint8Array;
}

const DPI = 50;
const FONTS = createRequire(import.meta.url)
  .resolve('pdfjs-dist/package.json')
  .replace('package.json', 'standard_fonts/');

async function picturesIn(folder: string): Promise<SeenPage[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.pgm')).sort();
  return Promise.all(
    names.map(async (name) => {
      const file = await readFile(`${folder}/${name}`);
      const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(file.toString('latin1', 0, 80));
      if (!head) throw new Error('the picture has another format');
      return { width: Number(head[1]), height: Number(head[2]), pixels: file.subarray(head[0].length) };
    }),
  );
}

const drawnBy = (program: string, args: (path: string, folder: string) => string[]) => (pdf: Buffer) =>
  withFiles([pdf], '.pdf', async ([path = ''], folder) => {
    await outcomeOf(program, args(path, folder));
    return picturesIn(folder);
  });

/** A part of a library that pdf.js brings. Its types are those of browsers. */
interface Canvases {
  create(width: number, height: number): { canvas: null; context: Context };
}
interface Context {
  getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
}

const byPdfJs = (intent: 'display' | 'print') => async (pdf: Buffer) => {
  const task = getDocument({ data: new Uint8Array(pdf), verbosity: 0, standardFontDataUrl: FONTS });
  const document = await task.promise;
  const pages: SeenPage[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const viewport = page.getViewport({ scale: DPI / 72 });
    const [width, height] = [Math.ceil(viewport.width), Math.ceil(viewport.height)];
    const { canvas, context } = (document.canvasFactory as Canvases).create(width, height);
    await page.render({ canvas, canvasContext: context as never, viewport, intent }).promise;
    const { data } = context.getImageData(0, 0, width, height);
    const gray = (_: unknown, at: number) =>
      data.subarray(4 * at, 4 * at + 3).reduce((sum, part) => sum + part / 3, 0);
    pages.push({ width, height, pixels: Uint8Array.from({ length: width * height }, gray) });
  }
  await task.destroy();
  return pages;
};

/** Readers that people use, and how each draws the pages of a document. */
export const WITNESSES: Readonly<Record<string, (pdf: Buffer) => Promise<SeenPage[]>>> = {
  Poppler: drawnBy('pdftoppm', (path, folder) => ['-r', `${DPI}`, '-gray', path, `${folder}/page`]),
  MuPDF: drawnBy('mutool', (path, folder) => [
    'draw',
    '-q',
    '-r',
    `${DPI}`,
    '-F',
    'pgm',
    '-o',
    `${folder}/page-%d.pgm`,
    path,
  ]),
  'pdf.js': byPdfJs('display'),
  'pdf.js on paper': byPdfJs('print'),
};
