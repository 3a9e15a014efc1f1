import { Ref } from '@scriptorium/pdf/read';
import { formPdf, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { readPdf } from '../../../src/pades/read-pdf.ts';
import type { AttackClass } from '../attack.ts';
import type { Lab } from '../lab.ts';
import { NUM } from './documents.ts';
import { changeCatalog, changeObject, dictOf, replaced, shownText, updated } from './edit.ts';
import { signedOddly } from './odd-signing.ts';

const FIELD = new Ref(NUM.signature, 0);
const REPLACED = ['SIGNATURE_REPLACED', 'SIGNATURE_UNLISTED', 'MODIFICATION_FORBIDDEN'] as const;
const FORGED = 'Ada owes Bob the moon';

const inField = (lab: Lab) => lab.sign(formPdf(), { field: 'Signature', name: 'Ada Lovelace' });

/** Returns the reference of a field's signature dictionary. */
function signatureRef(pdf: Buffer, field: string): Ref {
  const found = readPdf(pdf).form.signatureFields.find(({ name }) => name === field)?.signatureRef;
  if (!found) throw new Error(`${field} is not signed`);
  return found;
}

/** Two signatures, of Ada in `Signature1` and Bob in `Signature2`. */
const signedTwice = async (lab: Lab): Promise<Buffer> =>
  lab.sign(await lab.sign(plainPdf()), { by: lab.bob });

export const replacedSignature: AttackClass = {
  name: 'Replaced signature',
  source: 'Mainka et al., Shadow Attacks, NDSS 2021; ISO 32000-2, 12.8.1',
  attacks: [
    {
      name: 'the field is emptied and signed by another',
      codes: REPLACED,
      shows: FORGED,
      async make(lab) {
        const emptied = updated(await inField(lab), (update) => {
          changeObject(update, FIELD, { V: undefined });
          update.replace(new Ref(NUM.content, 0), shownText(FORGED));
        });
        return lab.sign(emptied, { field: 'Signature', by: lab.bob });
      },
    },
    {
      name: 'the signature is removed from its field',
      codes: REPLACED,
      make: async (lab) =>
        updated(await inField(lab), (update) => changeObject(update, FIELD, { V: undefined })),
    },
    {
      name: 'the field is removed from the form and the page',
      codes: REPLACED,
      make: async (lab) =>
        updated(await inField(lab), (update) => {
          changeObject(update, new Ref(NUM.page, 0), { Annots: '[6 0 R]' });
          changeCatalog(update, { AcroForm: '<</Fields[6 0 R]/DA(/Helv 12 Tf 0 g)>>' });
        }),
    },
    {
      name: 'the field is removed from the form, but the page still shows it',
      codes: REPLACED,
      make: async (lab) =>
        updated(await inField(lab), (update) => changeCatalog(update, { AcroForm: '<</Fields[6 0 R]>>' })),
    },
    {
      name: 'the whole form is removed',
      codes: REPLACED,
      make: async (lab) =>
        updated(await inField(lab), (update) => changeCatalog(update, { AcroForm: undefined })),
    },
    {
      name: 'the signature dictionary is replaced by one that names another signer and reason',
      codes: [...REPLACED, 'BYTE_RANGE_GAP'],
      async make(lab) {
        const pdf = await inField(lab);
        return updated(pdf, (update) =>
          changeObject(update, signatureRef(pdf, 'Signature'), { Name: '(Mallory)' }),
        );
      },
    },
    {
      name: 'the field names a copy of the signature dictionary with another signer',
      codes: [...REPLACED, 'BYTE_RANGE_GAP'],
      async make(lab) {
        const pdf = await inField(lab);
        return updated(pdf, (update) => {
          const dict = dictOf(update, signatureRef(pdf, 'Signature'));
          const text = dict.source
            .toString('latin1', dict.start, dict.end)
            .replace('Ada Lovelace', 'Mallory');
          changeObject(update, FIELD, { V: update.add(text).toString() });
        });
      },
    },
    {
      name: 'the signatures of two fields are swapped',
      codes: REPLACED,
      async make(lab) {
        const pdf = await signedTwice(lab);
        const { signatureFields } = readPdf(pdf).form;
        return updated(pdf, (update) => {
          const [first, second] = signatureFields;
          if (!first || !second) throw new Error('there are not two signatures');
          changeObject(update, first.ref, { V: `${second.signatureRef}` });
          changeObject(update, second.ref, { V: `${first.signatureRef}` });
        });
      },
    },
    {
      name: 'a second field shows the signature of the first one as its own',
      codes: [...REPLACED, 'BYTE_RANGE_GAP'],
      async make(lab) {
        const pdf = await lab.sign(formPdf(), { field: 'Other' });
        return updated(pdf, (update) => changeObject(update, FIELD, { V: `${signatureRef(pdf, 'Other')}` }));
      },
    },
    {
      name: 'the second of two signatures is cut off and replaced by another update',
      codes: ['MODIFICATION_FORBIDDEN'],
      shows: FORGED,
      async make(lab) {
        const first = await lab.sign(plainPdf());
        await lab.sign(first, { by: lab.bob });
        return updated(first, (update) => update.replace(new Ref(NUM.content, 0), shownText(FORGED)));
      },
    },
    {
      name: 'the widget of a field gets another value than the field',
      codes: REPLACED,
      async make(lab) {
        const pdf = await signedTwice(lab);
        const [first, second] = readPdf(pdf).form.signatureFields;
        return updated(pdf, (update) => {
          if (!first || !second) throw new Error('there are not two signatures');
          const kid = update.add(
            `<</Type/Annot/Subtype/Widget/Parent ${first.ref}/V ${second.signatureRef}/Rect[0 0 0 0]/F 132>>`,
          );
          changeObject(update, first.ref, { Kids: `[${kid}]` });
        });
      },
    },
    {
      name: 'only a page shows the field of the signature, which the form never had',
      codes: ['SIGNATURE_UNLISTED'],
      make: (lab) =>
        signedOddly(lab, formPdf(), {
          field: 'Signature',
          edit: ({ bytes }) => {
            const fields = '/Fields[6 0 R 7 0 R]';
            return replaced(bytes, fields, '/Fields[6 0 R]', bytes.lastIndexOf(fields));
          },
        }),
    },
  ],
};
