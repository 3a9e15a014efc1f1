import { Ref } from '@scriptorium/pdf/read';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { formBodies, formPdf, onePage, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { readPdf } from '../../../src/pades/read-pdf.ts';
import type { AttackClass } from '../attack.ts';
import { fieldLook, lookedPdf, NUM, textLook } from './documents.ts';
import {
  addAnnotation,
  changeCatalog,
  changeObject,
  firstPage,
  lastStartxref,
  numMaxOf,
  shownText,
  tableOf,
  updated,
  written,
} from './edit.ts';

const ref = (num: number) => new Ref(num, 0);
const FORBIDDEN = ['MODIFICATION_FORBIDDEN'] as const;
const FORGED = 'Ada owes Bob the moon';

/** A field with a separate widget, object 8, and an appearance, object 9. */
const splitFieldPdf = (): Buffer => {
  const bodies = [...formBodies()];
  bodies[2] = String(bodies[2]).replace('/Annots[6 0 R', '/Annots[8 0 R');
  bodies[5] = '<</FT/Tx/T(Name)/V(Ada)/DA(/Helv 12 Tf 0 g)/Kids[8 0 R]>>';
  const widget =
    '<</Type/Annot/Subtype/Widget/Parent 6 0 R/F 4/Rect[50 400 200 420]/P 3 0 R/AP<</N 9 0 R>>>>';
  return classicPdf([...bodies, widget, fieldLook('Ada')]);
};

export const smuggledChanges: AttackClass = {
  name: 'Changes disguised as permitted ones',
  source: 'pyHanko, difference analysis; Mainka et al., Shadow Attacks, NDSS 2021',
  attacks: [
    {
      name: 'the content of the page is replaced, and named as a certificate of the store',
      codes: FORBIDDEN,
      shows: FORGED,
      make: async (lab) =>
        updated(await lab.sign(plainPdf(), { certify: 'noChanges' }), (update) => {
          update.replace(ref(NUM.content), shownText(FORGED));
          changeCatalog(update, { DSS: '<</Certs[4 0 R]>>' });
        }),
    },
    {
      name: 'the content of the page is replaced, and named as the metadata of the document',
      codes: FORBIDDEN,
      shows: FORGED,
      make: async (lab) =>
        updated(await lab.sign(plainPdf(), { certify: 'noChanges' }), (update) => {
          update.replace(ref(NUM.content), shownText(FORGED));
          changeCatalog(update, { Metadata: '4 0 R' });
        }),
    },
    {
      name: 'the metadata of the document is also the content of the page',
      codes: FORBIDDEN,
      shows: FORGED,
      async make(lab) {
        const pdf = await lab.sign(classicPdf(onePage('', '/Metadata 4 0 R')), { certify: 'noChanges' });
        return updated(pdf, (update) => update.replace(ref(NUM.content), shownText(FORGED)));
      },
    },
    {
      name: 'the font of the page is also the document information',
      codes: FORBIDDEN,
      async make(lab) {
        const pdf = await lab.sign(classicPdf(onePage(), '/Info 5 0 R'), { certify: 'noChanges' });
        return updated(pdf, (update) => changeObject(update, ref(NUM.font), { BaseFont: '/Symbol' }));
      },
    },
    {
      name: 'a table hides the new content in its hybrid stream, for readers that use it',
      codes: [...FORBIDDEN, 'STRUCTURE_BROKEN'],
      async make(lab) {
        const pdf = await lab.sign(plainPdf());
        const { text, offsets } = written([{ num: NUM.content, body: shownText(FORGED) }], pdf.length);
        const row = Buffer.alloc(7);
        row.writeUInt8(1, 0);
        row.writeUInt32BE(offsets[0] ?? 0, 1);
        const size = numMaxOf(pdf) + 2;
        const keys = `/Type/XRef/Size ${size}/W[1 4 2]/Index[${NUM.content} 1]/Root 1 0 R`;
        const beside = `${size - 1} 0 obj\n${streamBody(keys, row).toString('latin1')}\nendobj\n`;
        const start = pdf.length + text.length;
        const trailer = `trailer\n<</Size ${size}/Root 1 0 R/Prev ${lastStartxref(pdf)}/XRefStm ${start}>>\n`;
        const table = 'xref\n0 1\n0000000000 65535 f\r\n';
        const tail = `${beside}${table}${trailer}startxref\n${start + beside.length}\n%%EOF\n`;
        return Buffer.concat([pdf, Buffer.from(text + tail, 'latin1')]);
      },
    },
    {
      name: 'the table of an update lists an existing signature at its old position',
      codes: ['SIGNATURE_REPLACED', ...FORBIDDEN],
      async make(lab) {
        const pdf = await lab.sign(formPdf(), { field: 'Signature' });
        const [field] = readPdf(pdf).form.signatureFields;
        const first = pdf.indexOf(`${NUM.signature} 0 obj`, 0, 'latin1');
        if (!field) throw new Error('there is no field');
        const trailer = `trailer\n<</Size ${numMaxOf(pdf) + 1}/Root 1 0 R/Prev ${lastStartxref(pdf)}>>\n`;
        const tail = `${tableOf([{ num: field.ref.num, offset: first }])}${trailer}startxref\n${pdf.length}\n%%EOF\n`;
        return Buffer.concat([pdf, Buffer.from(tail, 'latin1')]);
      },
    },
    {
      name: 'the widget of a visible signature is removed from its page, but its field stays',
      codes: FORBIDDEN,
      async make(lab) {
        const appearance = { page: 1, rectangle: { x: 50, y: 50, width: 150, height: 40 }, text: 'Ada' };
        const pdf = await lab.sign(plainPdf(), { appearance });
        return updated(pdf, (update) => changeObject(update, ref(NUM.page), { Annots: '[]' }));
      },
    },
    {
      name: 'a second signature shows a text over a filled field',
      codes: ['MODIFICATION_DOUBTFUL', ...FORBIDDEN],
      verdict: 'indeterminate',
      shows: 'Mallory',
      make: async (lab) =>
        lab.sign(await lab.sign(lookedPdf(), { certify: 'formFilling' }), {
          by: lab.bob,
          appearance: { page: 1, rectangle: { x: 50, y: 400, width: 150, height: 20 }, text: 'Mallory' },
        }),
    },
    {
      name: 'a field gets a second widget over the text of the page',
      codes: FORBIDDEN,
      shows: 'Disagreement',
      make: async (lab) =>
        updated(await lab.sign(splitFieldPdf(), { certify: 'formFilling' }), (update) => {
          const look = update.add(textLook('Disagreement', 200, 25));
          const widget = addAnnotation(
            update,
            `/Subtype/Widget/Parent 6 0 R/F 4/Rect[45 490 245 515]/AP<</N ${look}>>`,
          );
          changeObject(update, ref(NUM.name), { V: '(Disagreement)', Kids: `[8 0 R ${widget}]` });
        }),
    },
    {
      name: 'a signed annotation shows another text',
      codes: ['MODIFICATION_DOUBTFUL', ...FORBIDDEN],
      verdict: 'indeterminate',
      shows: 'Ada agrees not',
      async make(lab) {
        const noted = updated(plainPdf(), (update) => {
          const look = update.add(textLook('Ada agrees', 150, 20));
          addAnnotation(
            update,
            `/Subtype/FreeText/Contents(Ada agrees)/F 4/Rect[50 300 200 320]/AP<</N ${look}>>`,
          );
        });
        return updated(await lab.sign(noted, { certify: 'annotations' }), (update) => {
          const annots = firstPage(update).dict.get('Annots');
          const [note] = Array.isArray(annots) ? annots : [];
          const look = update.add(textLook('Ada agrees not', 150, 20));
          changeObject(update, note as Ref, { Contents: '(Ada agrees not)', AP: `<</N ${look}>>` });
        });
      },
    },
    {
      name: 'the appearance of a signature is replaced by one that names another signer',
      codes: FORBIDDEN,
      shows: 'Mallory',
      async make(lab) {
        const appearance = { page: 1, rectangle: { x: 50, y: 50, width: 150, height: 40 }, text: 'Ada' };
        const pdf = await lab.sign(plainPdf(), { appearance });
        return updated(pdf, (update) => {
          const [field] = readPdf(pdf).form.signatureFields;
          if (!field) throw new Error('there is no field');
          changeObject(update, field.ref, { AP: `<</N ${update.add(textLook('Mallory', 150, 40))}>>` });
        });
      },
    },
    {
      name: 'the indirect appearance of a signature is replaced',
      codes: FORBIDDEN,
      shows: 'Mallory',
      async make(lab) {
        const appearance = { page: 1, rectangle: { x: 50, y: 50, width: 150, height: 40 }, text: 'Ada' };
        const pdf = await lab.sign(plainPdf(), { appearance });
        return updated(pdf, (update) => {
          const [field] = readPdf(pdf).form.signatureFields;
          const looks = field && update.document.dict(field.object.value, 'AP');
          const look = looks?.get('N');
          if (!(look instanceof Ref)) throw new Error('there is no appearance');
          update.replace(look, textLook('Mallory', 150, 40));
        });
      },
    },
  ],
};
