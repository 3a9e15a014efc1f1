import { Ref } from '@scriptorium/pdf/read';
import { literal, type Update } from '@scriptorium/pdf/update';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { formPdf, onePage, packedPdf, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { readPdf } from '../../../src/pades/read-pdf.ts';
import type { ModificationCode } from '../../../src/reasons.ts';
import type { Attack, AttackClass } from '../attack.ts';
import { fieldLook, NUM, sharedLookPdf, twoPagesPdf } from './documents.ts';
import { changeCatalog, changeObject, dictOf, shownText, updated } from './edit.ts';

const ref = (num: number) => new Ref(num, 0);
const FORBIDDEN = ['MODIFICATION_FORBIDDEN'] as const;
const FORGED = 'Ada owes Bob the moon';
const SCRIPT = '<</Type/Action/S/JavaScript/JS(app.alert\\(1\\))>>';

const afterwards = (
  name: string,
  change: (update: Update) => void,
  {
    modification,
    make = plainPdf,
    shows,
  }: { modification?: ModificationCode; make?: () => Buffer; shows?: string } = {},
): Attack => ({
  name,
  codes: FORBIDDEN,
  ...(modification && { modification }),
  ...(shows && { shows }),
  make: async (lab) =>
    updated(await lab.sign(make(), make === formPdf ? { field: 'Signature' } : {}), change),
});

const keys = (num: number, changes: Record<string, string | undefined>) => (update: Update) =>
  changeObject(update, ref(num), changes);

const embeddedFile = (update: Update): string => {
  const file = update.add('<</Type/EmbeddedFile/Length 4>>\nstream\nevil\nendstream');
  return `<</Type/Filespec/F(evil.exe)/EF<</F ${file}>>>>`;
};

export const laterChanges: AttackClass = {
  name: 'Changes after the last signature',
  source: 'ISO 32000-2, 12.8.2.2; Mainka et al., Shadow Attacks, NDSS 2021',
  attacks: [
    afterwards(
      'a page is added',
      (update) => {
        const content = update.add(shownText(FORGED));
        const page = update.add(
          `<</Type/Page/Parent 2 0 R/Contents ${content}/Resources<</Font<</F1 5 0 R>>>>>>`,
        );
        changeObject(update, ref(NUM.pages), { Kids: `[3 0 R ${page}]`, Count: '2' });
      },
      { modification: 'PAGE_TREE', shows: FORGED },
    ),
    afterwards('a page is removed', keys(NUM.pages, { Kids: '[3 0 R]', Count: '1' }), {
      modification: 'PAGE_TREE',
      make: twoPagesPdf,
    }),
    afterwards('pages change places', keys(NUM.pages, { Kids: '[6 0 R 3 0 R]' }), {
      modification: 'PAGE_TREE',
      make: twoPagesPdf,
    }),
    afterwards('one page replaces another', keys(NUM.pages, { Kids: '[3 0 R 3 0 R]' }), {
      make: twoPagesPdf,
    }),
    afterwards('the page is cropped', keys(NUM.page, { CropBox: '[0 0 400 450]' })),
    afterwards('the size that pages inherit is changed', keys(NUM.pages, { MediaBox: '[0 0 400 450]' })),
    afterwards('the page is rotated', keys(NUM.page, { Rotate: '180' })),
    afterwards(
      'the page is given another content',
      (update) => changeObject(update, ref(NUM.page), { Contents: update.add(shownText(FORGED)).toString() }),
      { modification: 'PAGE_CONTENT', shows: FORGED },
    ),
    afterwards(
      'the page is given a second content',
      (update) =>
        changeObject(update, ref(NUM.page), { Contents: `[4 0 R ${update.add(shownText(FORGED))}]` }),
      { shows: FORGED },
    ),
    afterwards('a font of the page is replaced', (update) => {
      const font = update.add('<</Type/Font/Subtype/Type1/BaseFont/Symbol>>');
      changeObject(update, ref(NUM.page), { Resources: `<</Font<</F1 ${font}>>>>` });
    }),
    afterwards(
      'a script runs when the document is opened',
      (update) => changeCatalog(update, { OpenAction: SCRIPT }),
      { modification: 'ACTION' },
    ),
    afterwards(
      'a script runs when the document is printed',
      (update) => changeCatalog(update, { AA: `<</WP ${SCRIPT}>>` }),
      { modification: 'ACTION' },
    ),
    afterwards('a script runs when the page is shown', keys(NUM.page, { AA: `<</O ${SCRIPT}>>` }), {
      modification: 'ACTION',
    }),
    afterwards('a script is added by name', (update) =>
      changeCatalog(update, { Names: `<</JavaScript<</Names[(a)${SCRIPT}]>>>>` }),
    ),
    afterwards('a script is added to a field', keys(NUM.name, { AA: `<</K ${SCRIPT}>>` }), { make: formPdf }),
    afterwards(
      'a script is added to a field with its new value',
      keys(NUM.name, { V: '(Bob)', AA: `<</F ${SCRIPT}>>` }),
      {
        make: formPdf,
      },
    ),
    afterwards(
      'a file is embedded',
      (update) =>
        changeCatalog(update, { Names: `<</EmbeddedFiles<</Names[(evil)${embeddedFile(update)}]>>>>` }),
      { modification: 'ATTACHMENT' },
    ),
    afterwards('a file is associated', (update) =>
      changeCatalog(update, { AF: `[${embeddedFile(update)}]` }),
    ),
    afterwards('the document becomes a portfolio', (update) =>
      changeCatalog(update, { Collection: '<</Type/Collection/D(evil)>>' }),
    ),
    afterwards('layers are added', (update) => {
      const layer = update.add('<</Type/OCG/Name(Text)>>');
      changeCatalog(update, { OCProperties: `<</OCGs[${layer}]/D<</OFF[${layer}]>>>>` });
    }),
    afterwards(
      'a form that is drawn by XFA is added',
      (update) => {
        const xfa = update.add('<</Length 6>>\nstream\n<xdp/>\nendstream');
        changeCatalog(update, { AcroForm: `<</Fields[6 0 R 7 0 R]/XFA ${xfa}>>` });
      },
      { make: formPdf },
    ),
    afterwards(
      'the reader is asked to redraw the fields with another default appearance',
      (update) => {
        const font = update.add('<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>');
        changeCatalog(update, {
          AcroForm: `<</SigFlags 3/Fields[6 0 R 7 0 R]/NeedAppearances true/DR<</Font<</Helv ${font}>>>>>>`,
        });
      },
      { make: formPdf },
    ),
    afterwards(
      'a text field is added',
      (update) => {
        const field = update.add(
          '<</Type/Annot/Subtype/Widget/FT/Tx/T(More)/V(Ada owes Bob the moon)/F 4/Rect[50 300 200 320]/P 3 0 R>>',
        );
        changeObject(update, ref(NUM.page), { Annots: `[6 0 R 7 0 R ${field}]` });
        changeCatalog(update, { AcroForm: `<</SigFlags 3/Fields[6 0 R 7 0 R ${field}]>>` });
      },
      { make: formPdf },
    ),
    afterwards(
      'a field is removed',
      (update) => {
        changeObject(update, ref(NUM.page), { Annots: '[7 0 R]' });
        changeCatalog(update, { AcroForm: '<</SigFlags 3/Fields[7 0 R]>>' });
      },
      { make: formPdf },
    ),
    afterwards('a text field becomes a button with an action', keys(NUM.name, { FT: '/Btn', A: SCRIPT }), {
      make: formPdf,
    }),
    afterwards('links get other targets through a new base address', (update) =>
      changeCatalog(update, { URI: '<</Base(https://evil.example/)>>' }),
    ),
    afterwards('page labels are changed', (update) =>
      changeCatalog(update, { PageLabels: '<</Nums[0<</P(Draft)>>]>>' }),
    ),
    afterwards('the tags of the document are given other texts', (update) =>
      changeCatalog(update, { StructTreeRoot: `<</Type/StructTreeRoot/K<</S/P/ActualText(${FORGED})>>>>` }),
    ),
  ],
};

/** Returns the number of the object stream that contains an object. */
function packOf(pdf: Buffer, num: number): number {
  const entry = readPdf(pdf).document.xref.find(num);
  if (entry?.kind !== 'packed') throw new Error(`object ${num} is not packed`);
  return entry.stream;
}

/** Replaces an object stream in an update, with its objects changed. */
function replaceStream(update: Update, stream: number, change: (text: string) => string): void {
  const { document } = update;
  const texts = [...document.packed(stream).values()].map(({ num, source, start, end }) => ({
    num,
    text: change(source.toString('latin1', start, end)),
  }));
  let at = 0;
  const index = texts.map(({ num, text }) => {
    const entry = `${num} ${at}`;
    at += text.length + 1;
    return entry;
  });
  const head = `${index.join(' ')}\n`;
  const data = Buffer.from(head + texts.map(({ text }) => text).join('\n'), 'latin1');
  update.replace(ref(stream), literal.stream(`/Type/ObjStm/N ${texts.length}/First ${head.length}`, data));
}

const LENGTH_DATA = 'BT /F1 12 Tf 50 500 Td (Agreement) Tj ET';

export const sharedObjects: AttackClass = {
  name: 'Overridden shared objects',
  source: 'pyHanko, difference analysis; Mainka et al., Shadow Attacks, NDSS 2021',
  attacks: [
    {
      name: 'the page also draws the appearance of a filled field',
      codes: FORBIDDEN,
      make: async (lab) =>
        updated(await lab.sign(sharedLookPdf(), { certify: 'formFilling' }), (update) => {
          changeObject(update, ref(NUM.name), { V: '(Mallory)' });
          update.replace(ref(8), fieldLook('Mallory'));
        }),
    },
    {
      name: 'the replaced font of the fields is also the font of the page',
      codes: FORBIDDEN,
      make: async (lab) =>
        updated(await lab.sign(formPdf(), { certify: 'formFilling' }), (update) => {
          changeObject(update, ref(NUM.name), { V: '(Mallory)' });
          changeObject(update, ref(NUM.font), { BaseFont: '/Symbol' });
        }),
    },
    {
      name: 'the appearance of a filled field is the content of the page',
      codes: FORBIDDEN,
      shows: FORGED,
      make: async (lab) =>
        updated(await lab.sign(formPdf(), { certify: 'formFilling' }), (update) => {
          changeObject(update, ref(NUM.name), { V: '(Mallory)', AP: '<</N 4 0 R>>' });
          update.replace(ref(NUM.content), shownText(FORGED));
        }),
    },
    {
      name: 'an object stream is replaced by one whose page tree has another page',
      codes: [...FORBIDDEN, 'STRUCTURE_BROKEN'],
      shows: FORGED,
      async make(lab) {
        const pdf = await lab.sign(packedPdf());
        return updated(pdf, (update) => {
          const content = update.add(shownText(FORGED));
          const page = update.add(
            `<</Type/Page/Parent 2 0 R/Contents ${content}/Resources<</Font<</F1 5 0 R>>>>>>`,
          );
          replaceStream(update, packOf(pdf, NUM.font), (text) =>
            text.replace('/Kids[3 0 R]', `/Kids[${page}]`),
          );
        });
      },
    },
    {
      name: 'an object stream is replaced by one with another font',
      codes: [...FORBIDDEN, 'STRUCTURE_BROKEN'],
      async make(lab) {
        const pdf = await lab.sign(packedPdf());
        return updated(pdf, (update) =>
          replaceStream(update, packOf(pdf, NUM.font), (text) => text.replace('/Helvetica', '/Symbol')),
        );
      },
    },
    {
      name: 'the length of the content is an indirect object, which is changed',
      codes: [...FORBIDDEN, 'STRUCTURE_BROKEN'],
      async make(lab) {
        const bodies = [...onePage()];
        bodies[3] = `<</Length 6 0 R>>\nstream\n${LENGTH_DATA} BT 50 400 Td (${FORGED}) Tj ET\nendstream`;
        const pdf = await lab.sign(classicPdf([...bodies, String(LENGTH_DATA.length)]));
        return updated(pdf, (update) => update.replace(ref(6), String(LENGTH_DATA.length + 45)));
      },
    },
    {
      name: 'the list of fonts is an indirect object, which is changed',
      codes: FORBIDDEN,
      async make(lab) {
        const bodies = [...onePage()];
        bodies[2] = '<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources 6 0 R>>';
        const pdf = await lab.sign(classicPdf([...bodies, '<</Font<</F1 5 0 R>>>>']));
        return updated(pdf, (update) => {
          const font = update.add('<</Type/Font/Subtype/Type1/BaseFont/Symbol>>');
          update.replace(ref(6), `<</Font<</F1 ${font}>>>>`);
        });
      },
    },
    {
      name: 'a field gets a page as its appearance',
      codes: FORBIDDEN,
      make: async (lab) =>
        updated(await lab.sign(formPdf(), { certify: 'formFilling' }), (update) => {
          const dict = dictOf(update, ref(NUM.page));
          const page = dict.source.toString('latin1', dict.start, dict.end);
          changeObject(update, ref(NUM.name), { V: '(Mallory)', Parent: '3 0 R' });
          update.replace(ref(NUM.page), page.replace('/Contents 4 0 R', ''));
        }),
    },
  ],
};
