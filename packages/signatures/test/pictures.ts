import { readFile } from 'node:fs/promises';
import { outcomeOf, withFiles } from '@scriptorium/testing/judges/programs';

/** The first page of a PDF rendered by poppler, one pixel per point. */
export interface Picture {
  width: number;
  height: number;
  /** Red, green and blue at a position in points from the lower left corner. */
  at(x: number, y: number): [number, number, number];
  /** Returns the number of pixels in a rectangle that are darker than half. */
  ink(area: { x: number; y: number; width: number; height: number }): number;
}

/** Renders the crop box of the first page; a binary PPM has 8 bits per sample. */
export function pictureOf(pdf: Uint8Array): Promise<Picture> {
  return withFiles([pdf], '.pdf', async ([path], folder) => {
    const { status, text } = await outcomeOf('pdftoppm', [
      '-r',
      '72',
      '-cropbox',
      '-singlefile',
      path ?? '',
      `${folder}/page`,
    ]);
    if (status !== 0) throw new Error(`the page cannot be rendered: ${text}`);
    const file = await readFile(`${folder}/page.ppm`);
    const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(file.toString('latin1', 0, 40));
    if (!head) throw new Error('the picture has another format');
    const [width, height] = [Number(head[1]), Number(head[2])];
    const at = (x: number, y: number): [number, number, number] => {
      const start = head[0].length + 3 * ((height - 1 - Math.floor(y)) * width + Math.floor(x));
      return [file[start] ?? 0, file[start + 1] ?? 0, file[start + 2] ?? 0];
    };
    const ink = (area: { x: number; y: number; width: number; height: number }): number => {
      let dark = 0;
      for (let x = area.x; x < area.x + area.width; x++) {
        for (let y = area.y; y < area.y + area.height; y++)
          if (at(x, y).every((sample) => sample < 128)) dark++;
      }
      return dark;
    };
    return { width, height, at, ink };
  });
}
