import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ref } from '@scriptorium/pdf/read';
import { Update } from '@scriptorium/pdf/update';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { formBodies, onePage, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { ENCRYPTION_KINDS, encryptedBy } from '@scriptorium/testing/fixtures/pdf/programs';
import { readPdf } from '../../src/pades/read-pdf.ts';
import { codesOf, judged } from '../attacks/judged.ts';
import { type Lab, openLab } from '../attacks/lab.ts';
import { fieldLook, lookedPdf, NUM, twoPagesPdf, whiteLook } from '../attacks/pdf/documents.ts';
import { addAnnotation, changeObject, updated } from '../attacks/pdf/edit.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const ABOUT_LOOKS = ['CONTENT_LOOKS_DIFFERENT', 'CONTENT_NOT_COMPARED', 'READERS_DISAGREE'];
const looksOf = async (pdf: Buffer): Promise<string[]> => {
  const reply = await judged(lab, pdf);
  return [...new Set(codesOf(reply).filter((code) => ABOUT_LOOKS.includes(code)))];
};

/** A bar code of rectangles, which has no text. */
function coded(): Buffer {
  const bodies = [...onePage()];
  const squares = Array.from({ length: 300 }, (_, index) => index).filter((index) => (index * index) % 7 < 3);
  const drawn = squares.map(
    (index) => `${250 + (index % 20) * 4} ${100 + Math.floor(index / 20) * 4} 4 4 re f`,
  );
  bodies[3] = streamBody('', Buffer.from(`BT /F1 12 Tf 50 500 Td (Agreement) Tj ET ${drawn.join(' ')}`));
  return classicPdf(bodies);
}

const look = (update: Update, content: string, box = '[0 0 400 600]'): string =>
  `/AP<</N ${update.add(
    `<</Type/XObject/Subtype/Form/BBox${box}/Length ${content.length}>>\nstream\n${content}\nendstream`,
  )}>>`;

const annotated = async (make: () => Buffer, keys: (update: Update) => string): Promise<Buffer> =>
  updated(await lab.sign(make()), (update) => {
    addAnnotation(update, keys(update));
  });

/** Far from what they draw. */
const ASIDE = '/F 4/Rect[10 10 20 20]';
const ALL = '/F 4/Rect[0 0 400 600]';

describe('a page looks different from what was signed', () => {
  test.each<[string, () => Buffer, (update: Update) => string]>([
    [
      'white ink without an appearance, over a headline',
      plainPdf,
      () => `/Subtype/Ink${ASIDE}/InkList[[45 505 120 505]]/C[1 1 1]/BS<</W 14>>`,
    ],
    [
      'a line without an appearance',
      plainPdf,
      () => `/Subtype/Line${ASIDE}/L[45 505 120 505]/C[1 1 1]/BS<</W 14>>`,
    ],
    [
      'a polygon without an appearance',
      plainPdf,
      () => `/Subtype/Polygon${ASIDE}/Vertices[45 495 120 495 120 515 45 515]/IC[1 1 1]`,
    ],
    [
      'a polyline without an appearance',
      plainPdf,
      () => `/Subtype/PolyLine${ASIDE}/Vertices[45 505 120 505]/C[0 0 0]/BS<</W 14>>`,
    ],
    [
      'a black highlight without an appearance',
      plainPdf,
      () => `/Subtype/Highlight${ASIDE}/QuadPoints[45 515 120 515 45 495 120 495]/C[0 0 0]`,
    ],
    [
      'a frame of a link as wide as a headline',
      plainPdf,
      () => '/Subtype/Link/Rect[50 530 120 540]/Border[0 0 60]/C[1 1 1]/A<</S/GoTo/D[0/Fit]>>',
    ],
    [
      'an opaque stamp on a bar code',
      coded,
      (update) => `/Subtype/Stamp/F 4/Rect[250 100 330 160]/AP<</N ${update.add(whiteLook(80, 60))}>>`,
    ],
    [
      'a stamp that is seen only when printed',
      coded,
      (update) => `/Subtype/Stamp/F 36/Rect[250 100 330 160]/AP<</N ${update.add(whiteLook(80, 60))}>>`,
    ],
    [
      'white ink over the page, with an appearance',
      plainPdf,
      (update) => `/Subtype/Ink${ALL}${look(update, '1 1 1 RG 9 w 45 505 m 120 505 l S')}`,
    ],
  ])('with %s', async (_, make, keys) => {
    expect(await looksOf(await annotated(make, keys))).toEqual(['CONTENT_LOOKS_DIFFERENT']);
  });

  test('with a field whose new look conceals the page below it', async () => {
    const bodies = [...onePage()];
    bodies[0] = '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]/DA(/Helv 12 Tf 0 g)>>>>';
    bodies[2] = String(bodies[2]).replace('/Parent', '/Annots[6 0 R]/Parent');
    const field =
      '<</Type/Annot/Subtype/Widget/FT/Tx/T(Name)/DA(/Helv 12 Tf 0 g)/F 4/Rect[40 490 190 510]/P 3 0 R/AP<</N 7 0 R>>>>';
    const signed = await lab.sign(classicPdf([...bodies, field, fieldLook('')]));
    const filled = (content: string) =>
      updated(signed, (update) => {
        changeObject(update, new Ref(6, 0), { V: '(Bob)' });
        update.replace(new Ref(7, 0), content);
      });
    expect(await looksOf(filled(fieldLook('     Bob')))).toEqual([]);
    expect(await looksOf(filled(whiteLook(150, 20)))).toEqual(['CONTENT_LOOKS_DIFFERENT']);
  });

  test('with a field that concealed the page below it, and no longer does', async () => {
    const bodies = [...formBodies()];
    const box =
      '<</Type/Annot/Subtype/Widget/FT/Btn/T(Box)/F 4/Rect[40 490 190 510]/P 3 0 R/AP<</N<</On 8 0 R/Off 9 0 R>>>>/V/On/AS/On>>';
    bodies[5] = box;
    const signed = await lab.sign(classicPdf([...bodies, whiteLook(150, 20), fieldLook('')]));
    const ticked = (state: string) =>
      updated(signed, (update) => changeObject(update, new Ref(6, 0), { V: state, AS: state }));
    expect(await looksOf(ticked('/Off'))).toEqual(['CONTENT_LOOKS_DIFFERENT']);
  });

  test('with a stamp that was signed, and is gone or looks otherwise', async () => {
    const stamp = (update: Update, text: string) =>
      look(update, `BT /F1 12 Tf 5 5 Td (${text}) Tj ET`, '[0 0 90 20]');
    const bodies = [
      ...onePage('/Annots[6 0 R]', '', [
        '<</Type/Annot/Subtype/Stamp/F 4/Rect[200 300 290 320]/AP<</N 7 0 R>>>>',
        streamBody('/Type/XObject/Subtype/Form/BBox[0 0 90 20]', Buffer.from('0 0 1 rg 0 0 90 20 re f')),
      ]),
    ];
    const signed = await lab.sign(classicPdf(bodies));
    const changed = (change: (update: Update) => void) => looksOf(updated(signed, change));
    expect(
      await changed((update) => changeObject(update, new Ref(6, 0), { M: '(D:20260101000000Z)' })),
    ).toEqual([]);
    expect(await changed((update) => changeObject(update, new Ref(3, 0), { Annots: '[9 0 R]' }))).toEqual([
      'CONTENT_LOOKS_DIFFERENT',
    ]);
    expect(
      await changed((update) =>
        changeObject(update, new Ref(6, 0), { AP: stamp(update, 'Rejected').slice('/AP'.length) }),
      ),
    ).toEqual(['CONTENT_LOOKS_DIFFERENT']);
  });

  test('with many updates that each fade it a little', async () => {
    let pdf = await lab.sign(plainPdf());
    for (let round = 0; round < 12; round++)
      pdf = updated(pdf, (update) => {
        const faint = update.add(
          '<</Type/XObject/Subtype/Form/BBox[0 0 90 30]/Resources<</ExtGState<</G<</ca .07>>>>>>/Length 27>>\nstream\n/G gs 1 1 1 rg 0 0 90 30 re f\nendstream',
        );
        addAnnotation(update, `/Subtype/Stamp/F 4/Rect[45 490 135 520]/AP<</N ${faint}>>`);
      });
    expect(await looksOf(pdf)).toEqual(['CONTENT_LOOKS_DIFFERENT']);
  });
});

describe('a page looks as it was signed', () => {
  test.each<[string, (update: Update) => string]>([
    [
      'a signature drawn across its text',
      (update) => `/Subtype/Ink${ALL}${look(update, '0 0 .6 RG 1.2 w 45 495 m 60 530 80 480 120 520 c S')}`,
    ],
    [
      'a yellow highlight',
      () => `/Subtype/Highlight/F 4/Rect[45 495 120 515]/QuadPoints[45 515 120 515 45 495 120 495]/C[1 1 0]`,
    ],
    [
      'an underline',
      () => `/Subtype/Underline/F 4/Rect[45 495 120 515]/QuadPoints[45 515 120 515 45 495 120 495]/C[1 0 0]`,
    ],
    [
      'a note without an appearance in an empty corner',
      () => '/Subtype/Text/F 4/Rect[350 20 370 40]/Contents(Well done)',
    ],
    [
      'ink without an appearance where the page is empty',
      () => `/Subtype/Ink/F 4/Rect[100 100 200 200]/InkList[[100 100 200 200]]/C[0 0 1]`,
    ],
    [
      'a stamp where the page is empty',
      (update) => `/Subtype/Stamp/F 4/Rect[100 100 200 200]/AP<</N ${update.add(whiteLook(100, 100))}>>`,
    ],
  ])('with %s', async (_, keys) => {
    expect(await looksOf(await annotated(plainPdf, keys))).toEqual([]);
  });

  test('with a note without an appearance that was opened', async () => {
    const note = '<</Type/Annot/Subtype/Text/F 4/Rect[350 20 370 40]/Contents(Well done)>>';
    const signed = await lab.sign(classicPdf(onePage('/Annots[6 0 R]', '', [note])));
    expect(
      await looksOf(updated(signed, (update) => changeObject(update, new Ref(6, 0), { Open: 'true' }))),
    ).toEqual([]);
  });

  test('with a field that is filled in', async () => {
    const filled = updated(await lab.sign(lookedPdf()), (update) => {
      changeObject(update, new Ref(NUM.name, 0), { V: '(Bob)' });
      update.replace(new Ref(8, 0), fieldLook('Bob'));
    });
    expect(await judged(lab, filled)).toMatchObject({ verdict: 'valid' });
  });
});

test('each signature is compared with what it signed', async () => {
  const first = await lab.sign(plainPdf());
  const covered = updated(first, (update) => {
    addAnnotation(update, `/Subtype/Ink${ASIDE}/InkList[[45 505 120 505]]/C[1 1 1]/BS<</W 14>>`);
  });
  const { signatures } = await judged(lab, await lab.sign(covered, { by: lab.bob }));
  expect(
    signatures.map(({ reasons }) => reasons.some(({ code }) => code === 'CONTENT_LOOKS_DIFFERENT')),
  ).toEqual([true, false]);
});

const CORNER = { page: 1, rectangle: { x: 50, y: 50, width: 150, height: 40 }, text: 'Bob' };

test('a signature or time-stamp that is not seen changes no page', async () => {
  const signed = await lab.sign(plainPdf());
  const twice = await lab.stamp(await lab.sign(signed, { by: lab.bob }));
  const reply = await judged(lab, twice, 'embedded', { pictures: true });
  expect({ verdict: reply.verdict, pictures: reply.pictures }).toEqual({ verdict: 'valid', pictures: [] });
});

test('pages that no update touched are not rendered', async () => {
  const pictures = async (pdf: Buffer) => (await judged(lab, pdf, 'embedded', { pictures: true })).pictures;
  const signed = await lab.sign(twoPagesPdf());
  expect(await pictures(signed)).toEqual([]);
  const twice = await lab.sign(signed, { by: lab.bob, appearance: CORNER });
  const shown = (await pictures(twice))?.map(({ revision, page }) => ({ revision, page }));
  expect(shown).toEqual([
    { revision: 2, page: 1 },
    { revision: 3, page: 1 },
  ]);
});

test('a reader that finds another number of pages leaves a doubt', async () => {
  const bodies = [...onePage()];
  bodies[1] = String(bodies[1]).replace('/Count 1', '/Count 0');
  const twice = await lab.sign(await lab.sign(classicPdf(bodies)), { by: lab.bob, appearance: CORNER });
  const { signatures } = await judged(lab, twice);
  expect(signatures[0]?.reasons).toContainEqual({
    code: 'READERS_DISAGREE',
    severity: 'doubt',
    message: 'Readers disagree: PDFium finds 1 pages, where we find 0.',
  });
});

test('more pages than are compared leave a doubt', async () => {
  const pages = Array.from({ length: 201 }, (_, index) => index + 3);
  const all = ['<</Type/Catalog/Pages 2 0 R>>', '', ...pages.map(() => '<</Type/Page/Parent 2 0 R>>')];
  all[1] = `<</Type/Pages/Kids[${pages.map((num) => `${num} 0 R`).join(' ')}]/Count 201/MediaBox[0 0 40 60]>>`;
  const noted = updated(await lab.sign(classicPdf(all)), (update) => {
    for (const num of pages.slice(1)) {
      const note = update.add('<</Type/Annot/Subtype/Text/F 4/Rect[5 5 9 9]>>');
      changeObject(update, new Ref(num, 0), { Annots: `[${note}]` });
    }
    addAnnotation(update, '/Subtype/Text/F 4/Rect[5 5 9 9]');
  });
  const { reason } = await judged(lab, noted);
  expect(reason).toBe(
    'Changed pages were not compared with the signed ones: more than 200 pages would have to be rendered.',
  );
});

test.each(ENCRYPTION_KINDS)('a document encrypted by %s is compared', async (kind) => {
  const password = 'pässword';
  const signed = await lab.sign(await encryptedBy(plainPdf(), { kind, user: password }), { password });
  const inked = (points: string) => {
    const update = new Update(readPdf(signed, password).document);
    addAnnotation(update, `/Subtype/Ink/F 4/Rect[100 100 200 200]/InkList[[${points}]]/C[0 0 1]`);
    return update.finish().bytes;
  };
  const looks = async (pdf: Buffer) =>
    codesOf(await judged(lab, pdf, 'embedded', { password })).filter((code) => ABOUT_LOOKS.includes(code));
  expect(await looks(inked('100 100 200 200'))).toEqual([]);
  expect(await looks(inked('45 505 120 505'))).toEqual(['CONTENT_LOOKS_DIFFERENT']);
});
