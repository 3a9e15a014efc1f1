import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isNightly, isWhole } from '@scriptorium/testing/extent';
import { classicPdf, xrefStreamPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { judged } from '../attacks/judged.ts';
import { type Lab, openLab } from '../attacks/lab.ts';
import { Choices } from '../pdf-changes/random.ts';
import { type RandomUpdate, randomUpdate, richBodies } from './random-updates.ts';
import { type SeenPage, WITNESSES } from './witnesses.ts';

const [FIRST, COUNT] = [65, isNightly ? 1_000 : isWhole ? 30 : 12];
const TIMEOUT_MS = 900_000;
/** From 0 to 255. */
const [TOLERANCE, DARK, LOST] = [24, 140, 60];
const PIXELS_MAX = 3;
const MARGIN = 4;
const POINTS = 72 / 50;
const HEIGHT = 600;

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

/** Pixels that changed where the update may show nothing, and pixels of ink that are gone. */
function differences(
  index: number,
  before: SeenPage,
  now: SeenPage | undefined,
  { places, isFilled }: RandomUpdate,
) {
  if (now?.width !== before.width || now.height !== before.height)
    return { outside: Number.POSITIVE_INFINITY, lost: 0 };
  const own = places.filter(([page]) => page === index + 3);
  let [outside, lost] = [0, 0];
  for (const [at, shade] of before.pixels.entries()) {
    const shadeNow = now.pixels[at] ?? 0;
    if (Math.abs(shade - shadeNow) < TOLERANCE) continue;
    const [right, down] = [(at % before.width) * POINTS, Math.floor(at / before.width) * POINTS];
    // The second page is turned.
    const [x, y] = index === 0 ? [right, HEIGHT - down] : [down, right];
    const isIn = ([, left, bottom, end, top]: (typeof own)[number]) =>
      x >= left - MARGIN && x <= end + MARGIN && y >= bottom - MARGIN && y <= top + MARGIN;
    if (!own.some(isIn)) outside++;
    if (!isFilled && shade < DARK && shadeNow > shade + LOST) lost++;
  }
  return { outside, lost };
}

test(
  'a random update that leaves a signature valid hides nothing in four readers',
  async () => {
    const bases = await Promise.all([classicPdf, xrefStreamPdf].map((make) => lab.sign(make(richBodies()))));
    const readers = Object.entries(WITNESSES);
    const signed = await Promise.all(bases.map((base) => Promise.all(readers.map(([, read]) => read(base)))));
    let valid = 0;
    for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
      const choices = new Choices(seed);
      const base = choices.upTo(bases.length);
      const update = randomUpdate(bases[base] ?? Buffer.alloc(0), choices);
      const { verdict } = await judged(lab, update.bytes, 'none');
      if (verdict !== 'valid') continue;
      valid++;
      for (const [index, [reader, read]] of readers.entries()) {
        const now = await read(update.bytes);
        for (const [page, before] of (signed[base]?.[index] ?? []).entries()) {
          const { outside, lost } = differences(page, before, now[page], update);
          const what = { seed, reader, page };
          expect({ ...what, outside: outside > PIXELS_MAX, lost: lost > PIXELS_MAX }).toEqual({
            ...what,
            outside: false,
            lost: false,
          });
        }
      }
    }
    // Otherwise nothing was tried.
    expect(valid).toBeGreaterThan(COUNT / 10);
  },
  TIMEOUT_MS,
);
