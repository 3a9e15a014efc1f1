import { Ref } from '@scriptorium/pdf/read';
import type { Update } from '@scriptorium/pdf/update';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { appended, formXObject } from '../../pdf-changes/revisions.ts';
import type { AttackClass } from '../attack.ts';
import { addAnnotation, changeObject, shownText, updated } from './edit.ts';

const FORBIDDEN = ['MODIFICATION_FORBIDDEN'] as const;
const DOUBTFUL = ['MODIFICATION_DOUBTFUL'] as const;
const FORGED = 'Ada owes Bob the moon';
const HELVETICA = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';
const RESOURCES = '/Resources<</Font<</F1 5 0 R>>>>';

const ref = (num: number) => new Ref(num, 0);
const text = (words: string) => `BT /F1 12 Tf 60 220 Td (${words}) Tj ET`;
const content = (data: string) => streamBody('', Buffer.from(data, 'latin1'));
const textForm = (words: string) => formXObject(`BT /F1 12 Tf (${words}) Tj ET`, `/Font<</F1 ${HELVETICA}>>`);

/** A file whose page, object 3, shows `Agreement`. Adds objects from 6 on, and replaces others by number. */
function prepared(more: readonly (string | Buffer)[], others: Record<number, string | Buffer> = {}): Buffer {
  const bodies = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 400 600]>>',
    `<</Type/Page/Parent 2 0 R/Contents 4 0 R${RESOURCES}/Annots[]>>`,
    content(text('Agreement')),
    HELVETICA,
    ...more,
  ];
  return classicPdf(bodies.map((body, index) => others[index + 1] ?? body));
}

const page = (keys: string) => `<</Type/Page/Contents 4 0 R/Annots[]${keys}>>`;

/** Replaces the content of a page that refers to it this way. */
const named = (how: string, reference: string) => ({
  name: `the content of the page is replaced, referenced with ${how}`,
  codes: FORBIDDEN,
  shows: FORGED,
  make: async (lab: Parameters<AttackClass['attacks'][number]['make']>[0]) => {
    const pdf = prepared([content(text('Agreement'))], {
      3: `<</Type/Page/Parent 2 0 R/Contents ${reference}${RESOURCES}/Annots[]>>`,
    });
    return updated(await lab.sign(pdf), (update) => update.replace(ref(6), shownText(FORGED)));
  },
});

/** Adds an annotation of this type over the text of a signed page. */
const over = (name: string, keys: string, look: string, resources = '') => ({
  name,
  verdict: 'indeterminate' as const,
  codes: DOUBTFUL,
  make: async (lab: Parameters<AttackClass['attacks'][number]['make']>[0]) =>
    updated(await lab.sign(prepared([])), (update: Update) => {
      const form = formXObject(look, resources).toString('latin1');
      addAnnotation(update, `${keys}/AP<</N ${update.add(form)}>>`);
    }),
});

/** Adds a note to a signed file that some readers repair. */
const repaired = (name: string, pdf: () => Buffer) => ({
  name,
  verdict: 'indeterminate' as const,
  codes: ['STRUCTURE_REPAIRED'] as const,
  make: async (lab: Parameters<AttackClass['attacks'][number]['make']>[0]) =>
    updated(await lab.sign(pdf()), (update) =>
      addAnnotation(update, '/Subtype/Text/Contents(Read)/F 4/Rect[360 560 380 580]'),
    ),
});
const CATALOG = '<</Type/Catalog/Pages 2 0 R/ViewerPreferences 6 0 R>>';

const WHITE = '1 g 0 0 200 60 re f';
const AT = '/Rect[50 210 200 240]';

export const readersDiffer: AttackClass = {
  name: 'Differences between readers',
  source: 'Mainka et al., Shadow Attacks, NDSS 2021; ISO 32000-2, 7.3.10, 7.5.7 and 7.7.3.4',
  attacks: [
    named('a comment within the reference', '6%\n0 R'),
    repaired('an entry of the signed file that only few readers need leads elsewhere', () => {
      const pdf = prepared(['<</HideToolbar true>>'], { 1: CATALOG });
      const at = String(pdf.indexOf('6 0 obj')).padStart(10, '0');
      return Buffer.from(pdf.toString('latin1').replace(at, '0000000001'), 'latin1');
    }),
    repaired('the length of a stream of the signed file is missing', () =>
      prepared([Buffer.from('<</Length 99 0 R>>\nstream\nx\nendstream', 'latin1')], {
        1: CATALOG.replace('ViewerPreferences', 'Metadata'),
      }),
    ),
    named('many zeros before the number', '000000000006 0 R'),
    {
      name: 'the page is its own list of images, and its tab order is an image',
      codes: FORBIDDEN,
      async make(lab) {
        const pdf = prepared([textForm('Agreement'), textForm(FORGED)], {
          3: page('/Parent 2 0 R/Resources<</XObject 3 0 R>>/Tabs 6 0 R'),
          4: content('/Tabs Do'),
        });
        return updated(await lab.sign(pdf), (update) => changeObject(update, ref(3), { Tabs: '7 0 R' }));
      },
    },
    {
      name: 'the catalog is the list of images of the page, and its metadata is an image',
      codes: FORBIDDEN,
      async make(lab) {
        const pdf = prepared([textForm('Agreement')], {
          1: '<</Type/Catalog/Pages 2 0 R/Metadata 6 0 R>>',
          3: page('/Parent 2 0 R/Resources<</XObject 1 0 R>>'),
          4: content('/Metadata Do'),
        });
        const signed = await lab.sign(pdf, { certify: 'noChanges' });
        return updated(signed, (update) => update.replace(ref(6), textForm(FORGED)));
      },
    },
    {
      name: 'the page inherits its size from a parent that the page tree does not have',
      codes: FORBIDDEN,
      async make(lab) {
        const pdf = prepared([`<</Type/Pages${RESOURCES}/MediaBox[0 0 400 600]/Kids[]/Count 0>>`], {
          3: page('/Parent 6 0 R'),
        });
        return updated(await lab.sign(pdf), (update) =>
          changeObject(update, ref(6), { MediaBox: '[0 0 400 100]' }),
        );
      },
    },
    {
      name: 'the content claims a length that reaches into what is appended',
      codes: FORBIDDEN,
      async make(lab) {
        const length = 40_000;
        const body = `<</Length ${length}>>\nstream\n${text('Agreement')}\nendstream`;
        const signed = await lab.sign(prepared([], { 4: body }));
        const end = signed.indexOf('stream\n', signed.indexOf('4 0 obj')) + 'stream\n'.length + length;
        const head = (bytes: number) => `<</Length ${bytes}>>\nstream\n`;
        const rest = end - signed.length - '30 0 obj\n'.length - head(10_000).length;
        return appended(signed, [{ num: 30, body: `${head(rest)}${text(FORGED).padEnd(rest)}\nendstream` }]);
      },
    },
    {
      name: 'the text of a square is replaced',
      verdict: 'indeterminate',
      codes: DOUBTFUL,
      shows: FORGED,
      async make(lab) {
        const pdf = prepared(
          ['<</Type/Annot/Subtype/Square/F 4/Rect[50 400 300 460]/AP<</N 7 0 R>>>>', textForm('Agreed')],
          {
            3: `<</Type/Page/Parent 2 0 R/Contents 4 0 R${RESOURCES}/Annots[6 0 R]>>`,
          },
        );
        return updated(await lab.sign(pdf), (update) => update.replace(ref(7), textForm(FORGED)));
      },
    },
    over('a stamp has a rectangle of five numbers', '/Subtype/Stamp/Rect[50 210 200 240 0]', WHITE),
    over('a stamp has flags that are not an integer', `/Subtype/Stamp/F 2.5${AT}`, WHITE),
    over('a stamp hides the text by a broad line', `/Subtype/Stamp${AT}`, '1 G 100 w 0 30 m 200 30 l S'),
    over('a stamp hides the text by its margin', '/Subtype/Stamp/Rect[50 20 300 240]', WHITE),
    over('a stamp hides the text by its foot', '/Subtype/Stamp/Rect[50 216 300 316]', WHITE),
    over(
      'a highlight defines a blend mode but does not use it',
      `/Subtype/Highlight${AT}`,
      WHITE,
      '/ExtGState<</G<</BM/Multiply>>>>',
    ),
    over(
      'a highlight is blended with white',
      `/Subtype/Highlight${AT}`,
      `/G gs ${WHITE}`,
      '/ExtGState<</G<</BM/Lighten>>>>',
    ),
  ],
};
