import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf, withFiles } from './judges/programs.ts';

/** A program's output for a PDF; its complaints fail the test. */
async function answerOf(
  pdf: Buffer,
  program: string,
  args: (path: string, folder: string) => string[],
): Promise<string> {
  return await withFiles([pdf], '.pdf', async ([path = ''], folder) => {
    const { status, text } = await outcomeOf(program, args(path, folder));
    if (status !== 0) throw new Error(text);
    return text;
  });
}

/** Poppler's text of the pages from this one on, in lines as laid out. */
export const textFrom = (pdf: Buffer, page: number): Promise<string> =>
  answerOf(pdf, 'pdftotext', (path) => ['-layout', '-f', String(page), path, '-']);

/** Width and height of each page as poppler shows it, in points, after rotation. */
export async function pageSizes(pdf: Buffer): Promise<{ width: number; height: number }[]> {
  const text = await answerOf(pdf, 'pdfinfo', (path) => ['-f', '1', '-l', '9999', path]);
  const sizes = [...text.matchAll(/^Page +\d+ size: +([\d.]+) x ([\d.]+) pts/gm)];
  const turns = [...text.matchAll(/^Page +\d+ rot: +(\d+)$/gm)].map(([, degrees]) => Number(degrees));
  return sizes.map(([, width, height], index) => {
    const size = { width: Number(width), height: Number(height) };
    return (turns[index] ?? 0) % 180 === 90 ? { width: size.height, height: size.width } : size;
  });
}

/** Names of embedded files as poppler lists them. */
export async function attachmentNames(pdf: Buffer): Promise<string[]> {
  const text = await answerOf(pdf, 'pdfdetach', (path) => ['-list', path]);
  return [...text.matchAll(/^\d+: (.*)$/gm)].map(([, name = '']) => name);
}

/** The embedded file at this place of poppler's list, from 1, as poppler saves it. */
export function attachment(pdf: Buffer, place: number): Promise<Buffer> {
  return withFiles([pdf], '.pdf', async ([path = ''], folder) => {
    const saved = join(folder, 'saved');
    const { status, text } = await outcomeOf('pdfdetach', ['-save', String(place), '-o', saved, path]);
    if (status !== 0) throw new Error(text);
    return await readFile(saved);
  });
}

export interface FontUse {
  name: string;
  isEmbedded: boolean;
  isSubset: boolean;
  hasUnicode: boolean;
}

/** The fonts of the pages from this one on, as poppler lists them. */
export async function fontsFrom(pdf: Buffer, page: number): Promise<FontUse[]> {
  const text = await answerOf(pdf, 'pdffonts', (path) => ['-f', String(page), path]);
  return text
    .split('\n')
    .slice(2)
    .filter((line) => line !== '')
    .map((line) => {
      const [, embedded, subset, unicode] = /(yes|no) +(yes|no) +(yes|no) +\d+ +\d+$/.exec(line) ?? [];
      return {
        name: line.split(' ')[0] ?? '',
        isEmbedded: embedded === 'yes',
        isSubset: subset === 'yes',
        hasUnicode: unicode === 'yes',
      };
    });
}

/** A page as gray pixels, row by row. */
export interface Picture {
  width: number;
  height: number;
  pixels: Buffer;
}

/** A page as poppler draws it, at this resolution in pixels per inch. */
export function picture(pdf: Buffer, page: number, resolution: number): Promise<Picture> {
  return withFiles([pdf], '.pdf', async ([path = '']) => {
    const args = ['-gray', '-r', String(resolution), '-f', String(page), '-l', String(page), path];
    const file = execFileSync('pdftoppm', args, { maxBuffer: 64 * 1024 * 1024 });
    const [head = '', width = '', height = ''] =
      /^P5\s(\d+)\s(\d+)\s255\s/.exec(file.toString('latin1', 0, 64)) ?? [];
    return { width: Number(width), height: Number(height), pixels: file.subarray(head.length) };
  });
}

/** Complaints of poppler and MuPDF while they draw a page; empty if there are none. */
export function drawingComplaints(pdf: Buffer, page: number): Promise<string> {
  return withFiles([pdf], '.pdf', async ([path = ''], folder) => {
    const number = String(page);
    const drawn = await outcomeOf('pdftoppm', [
      '-r',
      '20',
      '-f',
      number,
      '-l',
      number,
      path,
      join(folder, 'page'),
    ]);
    const args = ['draw', '-q', '-F', 'png', '-r', '20', '-o', join(folder, 'page.png'), path, number];
    const other = await outcomeOf('mutool', args);
    return drawn.text + other.text.replace('warning: ICC support is not available', '').trim();
  });
}

/** Whether a part of a picture is entirely white; the edges are shares of its width and height. */
export function isBlank(
  { width, height, pixels }: Picture,
  edges: [number, number, number, number],
): boolean {
  const [left, top, right, bottom] = edges;
  for (let row = Math.floor(top * height); row < Math.floor(bottom * height); row++) {
    const line = pixels.subarray(
      row * width + Math.floor(left * width),
      row * width + Math.floor(right * width),
    );
    if (line.some((pixel) => pixel < 250)) return false;
  }
  return true;
}
