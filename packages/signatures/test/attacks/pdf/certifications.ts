import { Ref } from '@scriptorium/pdf/read';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { formBodies, formPdf, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { readPdf } from '../../../src/pades/read-pdf.ts';
import type { AttackClass } from '../attack.ts';
import { fieldLook, lookedPdf, NUM } from './documents.ts';
import { addAnnotation, changeCatalog, changeObject, dictOf, updated } from './edit.ts';
import { signedOddly } from './odd-signing.ts';

const NAME = new Ref(NUM.name, 0);
const FORBIDDEN = ['MODIFICATION_FORBIDDEN'] as const;
const NOTE = '/Subtype/Text/Contents(No)/Rect[10 10 30 30]';

/** Returns the certification's own dictionary. */
function certification(pdf: Buffer): Ref {
  const found = readPdf(pdf).form.signatureFields[0]?.signatureRef;
  if (!found) throw new Error('there is no certification');
  return found;
}

/** Replaces all occurrences of a name with another of the same length. */
const renamed = (pdf: Buffer, before: string, name: string): Buffer =>
  Buffer.from(pdf.toString('latin1').replaceAll(before, name), 'latin1');

const SIG_REF = '<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/P 1/V/1.2>>>>';

export const certificationBypass: AttackClass = {
  name: 'Certification and locks',
  source: 'Rohlmann et al., Breaking the Specification, S&P 2021; ISO 32000-2, 12.8.2.2 and 12.8.2.4',
  attacks: [
    {
      name: 'the certification is removed from the permissions, and a note is added',
      codes: FORBIDDEN,
      make: async (lab) =>
        updated(await lab.sign(plainPdf(), { certify: 'noChanges' }), (update) => {
          changeCatalog(update, { Perms: undefined });
          addAnnotation(update, NOTE);
        }),
    },
    {
      name: 'the certification is removed from the permissions',
      codes: [...FORBIDDEN, 'CERTIFICATION_INVALID'],
      make: async (lab) =>
        updated(await lab.sign(plainPdf(), { certify: 'noChanges' }), (update) =>
          changeCatalog(update, { Perms: undefined }),
        ),
    },
    {
      name: 'the permissions name another dictionary that permits annotations, and one is added',
      codes: FORBIDDEN,
      make: async (lab) =>
        updated(await lab.sign(plainPdf(), { certify: 'noChanges' }), (update) => {
          const reference = SIG_REF.replace('/P 1', '/P 3');
          const other = update.add(`<</Type/Sig/Filter/Adobe.PPKLite/Reference[${reference}]>>`);
          changeCatalog(update, { Perms: `<</DocMDP ${other}>>` });
          addAnnotation(update, NOTE);
        }),
    },
    {
      name: 'the level of the certification is raised in a copy of its dictionary, and a note is added',
      codes: [...FORBIDDEN, 'SIGNATURE_REPLACED', 'BYTE_RANGE_GAP'],
      async make(lab) {
        const pdf = await lab.sign(plainPdf(), { certify: 'noChanges' });
        return updated(pdf, (update) => {
          const ref = certification(pdf);
          const { source, start, end } = dictOf(update, ref);
          update.replace(ref, source.toString('latin1', start, end).replace('/P 1', '/P 3'));
          addAnnotation(update, NOTE);
        });
      },
    },
    {
      name: 'the level of the certification is an indirect object, which is raised',
      codes: [...FORBIDDEN, 'SIGNATURE_REPLACED'],
      async make(lab) {
        const original = classicPdf([...formBodies(), SIG_REF]);
        const pdf = await signedOddly(lab, original, {
          certify: 'noChanges',
          edit: ({ bytes }) => {
            const direct = bytes.toString('latin1').match(/\/Reference\[.*?\]/s)?.[0] ?? '';
            const copy = Buffer.from(bytes);
            copy.write('/Reference[8 0 R]'.padEnd(direct.length), bytes.indexOf(direct), 'latin1');
            return copy;
          },
        });
        return updated(pdf, (update) => {
          update.replace(new Ref(8, 0), SIG_REF.replace('/P 1', '/P 3'));
          addAnnotation(update, NOTE);
        });
      },
    },
    {
      name: 'the permissions name a signature without a certification',
      codes: ['CERTIFICATION_INVALID', 'MODIFICATION_FORBIDDEN'],
      async make(lab) {
        const pdf = await lab.sign(plainPdf());
        return updated(pdf, (update) =>
          changeCatalog(update, { Perms: `<</DocMDP ${certification(pdf)}>>` }),
        );
      },
    },
    {
      name: 'a later signature becomes the certification',
      codes: ['CERTIFICATION_INVALID', 'MODIFICATION_FORBIDDEN'],
      async make(lab) {
        const pdf = await lab.sign(await lab.sign(plainPdf()), { by: lab.bob });
        const later = readPdf(pdf).form.signatureFields[1]?.signatureRef;
        return updated(pdf, (update) => changeCatalog(update, { Perms: `<</DocMDP ${later}>>` }));
      },
    },
    {
      name: 'a field is filled in although no changes are permitted',
      codes: FORBIDDEN,
      make: async (lab) =>
        updated(await lab.sign(formPdf(), { certify: 'noChanges' }), (update) =>
          changeObject(update, NAME, { V: '(Mallory)' }),
        ),
    },
    {
      name: 'a second person signs although no changes are permitted',
      codes: FORBIDDEN,
      async make(lab) {
        const open = await lab.sign(plainPdf(), { certify: 'noChanges' });
        // Our own signer refuses, so the certification is hidden from it until it has prepared the file.
        return signedOddly(lab, renamed(open, '/Perms', '/Parms'), {
          edit: ({ bytes }) => renamed(bytes, '/Parms', '/Perms'),
        });
      },
    },
    {
      name: 'a locked field is filled in',
      codes: FORBIDDEN,
      modification: 'FIELD_LOCKED',
      make: async (lab) =>
        updated(await lab.sign(lookedPdf(), { lock: { action: 'include', fields: ['Name'] } }), (update) => {
          changeObject(update, NAME, { V: '(Mallory)' });
          update.replace(new Ref(8, 0), fieldLook('Mallory'));
        }),
    },
    {
      name: 'a field is filled in where all fields are locked',
      codes: FORBIDDEN,
      modification: 'FIELD_LOCKED',
      make: async (lab) =>
        updated(await lab.sign(lookedPdf(), { lock: { action: 'all' } }), (update) => {
          changeObject(update, NAME, { V: '(Mallory)' });
          update.replace(new Ref(8, 0), fieldLook('Mallory'));
        }),
    },
    {
      name: 'a locked field is renamed and filled in',
      codes: FORBIDDEN,
      make: async (lab) =>
        updated(await lab.sign(lookedPdf(), { lock: { action: 'include', fields: ['Name'] } }), (update) => {
          changeObject(update, NAME, { T: '(Nome)', V: '(Mallory)' });
          update.replace(new Ref(8, 0), fieldLook('Mallory'));
        }),
    },
    {
      name: 'only the appearance of a locked field is changed',
      codes: FORBIDDEN,
      shows: 'Mallory',
      make: async (lab) =>
        updated(await lab.sign(lookedPdf(), { lock: { action: 'include', fields: ['Name'] } }), (update) =>
          update.replace(new Ref(8, 0), fieldLook('Mallory')),
        ),
    },
  ],
};
