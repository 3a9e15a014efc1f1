import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Color } from './fixtures/jpeg.ts';
import { officeProfile } from './office.ts';

const TOLERANCE = 12;

/** LibreOffice with a separate profile, which reads the files of a test. */
export class Office {
  readonly #folder = mkdtempSync(join(tmpdir(), 'annotator-office-'));
  readonly #profile = officeProfile(this.#folder);

  convert(document: Buffer, to: 'pdf' | 'docx'): Buffer {
    const source = join(this.#folder, 'document.docx');
    const out = join(this.#folder, 'out');
    writeFileSync(source, document);
    execFileSync('soffice', [this.#profile, '--headless', '--convert-to', to, '--outdir', out, source], {
      stdio: 'ignore',
      timeout: 120_000,
    });
    return readFileSync(join(out, `document.${to}`));
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** An area on a page, in CSS pixels from the upper left corner. */
export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A rendered page with one pixel per CSS pixel. */
export class Page {
  readonly #pixels: Buffer;
  readonly #width: number;

  constructor(pdf: Buffer, number = 1) {
    const pages = ['-f', String(number), '-l', String(number)];
    const ppm = execFileSync('pdftoppm', ['-r', '96', ...pages], {
      input: pdf,
      maxBuffer: 64 * 1024 * 1024,
    });
    const head = /^P6\s+(\d+)\s+\d+\s+255\s/.exec(ppm.toString('latin1', 0, 40));
    if (head === null) throw new Error('pdftoppm returned no picture');
    this.#width = Number(head[1]);
    this.#pixels = ppm.subarray(head[0].length);
  }

  /** The area that a color covers. Undefined if the page does not contain it. */
  areaOf(color: Color): Area | undefined {
    let area: Area | undefined;
    const [red, green, blue] = color;
    const pixels = this.#pixels;
    const differs = (value: number, at: number) => Math.abs(value - (pixels[at] ?? 0)) > TOLERANCE;
    for (let at = 0; at + 2 < pixels.length; at += 3) {
      if (differs(red, at) || differs(green, at + 1) || differs(blue, at + 2)) continue;
      const [x, y] = [(at / 3) % this.#width, Math.floor(at / 3 / this.#width)];
      area = {
        left: Math.min(area?.left ?? x, x),
        top: Math.min(area?.top ?? y, y),
        right: Math.max(area?.right ?? 0, x + 1),
        bottom: Math.max(area?.bottom ?? 0, y + 1),
      };
    }
    return area;
  }
}

/** The words of a page and their positions, in CSS pixels. */
export function wordsOf(pdf: Buffer): (Area & { word: string })[] {
  const html = execFileSync('pdftotext', ['-bbox', '-', '-'], { input: pdf, encoding: 'utf8' });
  const pattern = /xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">([^<]*)</g;
  return [...html.matchAll(pattern)].map(([, left, top, right, bottom, word = '']) => {
    const pixels = (points = '0') => (Number(points) * 96) / 72;
    return { word, left: pixels(left), top: pixels(top), right: pixels(right), bottom: pixels(bottom) };
  });
}
