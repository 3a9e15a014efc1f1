import { Ref } from '@scriptorium/pdf/read';
import { xrefStreamPdf } from '@scriptorium/testing/fixtures/pdf/build';
import {
  croppedPdf,
  formBodies,
  formPdf,
  packedPdf,
  padded,
  plainPdf,
  rotatedPdf,
  twofoldPdf,
} from '@scriptorium/testing/fixtures/pdf/documents';
import { linearizedPdf } from '@scriptorium/testing/fixtures/pdf/programs';
import type { GoodFile } from '../attack.ts';
import type { Lab, LabSigning } from '../lab.ts';
import { fieldLook, lookedPdf, NUM } from './documents.ts';
import { addAnnotation, changeCatalog, changeObject, updated } from './edit.ts';
import { FOREIGN_FILES } from './foreign-files.ts';
import { OTHER_FIELDS } from './honest-looks.ts';
import { HONEST_UPDATES } from './honest-updates.ts';

const KINDS: Record<string, () => Buffer | Promise<Buffer>> = {
  'with a table': plainPdf,
  'with a cross-reference stream': packedPdf,
  'with hybrid cross-reference data': twofoldPdf,
  'with a form': formPdf,
  'with a form in object streams': () => xrefStreamPdf(formBodies()),
  'that is linearized': () => linearizedPdf('disable'),
  'that is linearized, with object streams': () => linearizedPdf('generate'),
  'with a rotated page': () => rotatedPdf(90),
  'with a cropped page': croppedPdf,
  'with bytes before its header': () => padded(plainPdf()),
};

/** A place away from the text of the page. */
const CORNER = { page: 1, rectangle: { x: 50, y: 50, width: 150, height: 40 }, text: 'Signed' };

const plainly: GoodFile[] = Object.entries(KINDS).map(([kind, make]) => ({
  name: `a file ${kind}, signed`,
  signatures: 1,
  documentModified: 'no',
  make: async (lab) => lab.sign(await make()),
}));

const stamped: GoodFile = {
  name: 'an unsigned file, time-stamped',
  verdict: 'unsigned',
  signatures: 1,
  documentModified: 'no',
  make: (lab) => lab.stamp(plainPdf()),
};

const twice: GoodFile[] = Object.entries(KINDS).map(([kind, make]) => ({
  name: `a file ${kind}, signed by two`,
  signatures: 2,
  documentModified: 'permitted',
  modifications: ['SIGNATURE_ADDED'],
  make: async (lab) => lab.sign(await lab.sign(await make()), { by: lab.bob }),
}));

const leveled: GoodFile[] = (['B-T', 'B-LT', 'B-LTA'] as const).flatMap((level) =>
  [plainPdf, packedPdf].map(
    (make): GoodFile => ({
      name: `a file with a ${make === plainPdf ? 'table' : 'cross-reference stream'}, signed at ${level}`,
      signatures: level === 'B-LTA' ? 2 : 1,
      documentModified: level === 'B-T' ? 'no' : 'permitted',
      modifications:
        level === 'B-T'
          ? []
          : level === 'B-LT'
            ? ['VALIDATION_DATA']
            : ['VALIDATION_DATA', 'DOCUMENT_TIMESTAMP'],
      make: (lab) => lab.sign(make(), { level }),
    }),
  ),
);

const keyed: GoodFile[] = [
  {
    name: 'a file signed with RSA and PKCS #1',
    signatures: 1,
    documentModified: 'no',
    make: (lab) => lab.sign(plainPdf(), { by: lab.bob }),
  },
  {
    name: 'a file signed with RSA and PSS',
    signatures: 1,
    documentModified: 'no',
    make: (lab) => lab.sign(plainPdf(), { by: lab.bob, rsaPadding: 'pss' }),
  },
  {
    name: 'a file signed with the curve P-384',
    signatures: 1,
    documentModified: 'no',
    make: async (lab) =>
      lab.sign(plainPdf(), { by: await lab.pki.issue({ name: 'Grace', keyType: 'p-384' }) }),
  },
  {
    name: 'a file signed with RSA of 4,096 bits and SHA-256',
    signatures: 1,
    documentModified: 'no',
    make: async (lab) =>
      lab.sign(plainPdf(), { by: await lab.pki.issue({ name: 'Grace', keyType: 'rsa-4096' }) }),
  },
];

const noted = (pdf: Buffer): Buffer =>
  updated(pdf, (update) => {
    const keys = '/Contents(Well done)/Rect[350 20 370 40]/F 4/T(Bob)/Name/Comment/M(D:20260102030405Z)';
    addAnnotation(update, `/Subtype/Text${keys}`);
  });

const filled = (pdf: Buffer): Buffer =>
  updated(pdf, (update) => {
    changeObject(update, new Ref(NUM.name, 0), { V: '(Bob)' });
    update.replace(new Ref(8, 0), fieldLook('Bob'));
  });

interface Afterwards {
  name: string;
  signing: LabSigning;
  make?: () => Buffer;
  change: (lab: Lab, pdf: Buffer) => Promise<Buffer> | Buffer;
  signatures?: number;
  modifications: GoodFile['modifications'];
}

const afterwards = ({
  name,
  signing,
  make = plainPdf,
  change,
  signatures = 1,
  modifications,
}: Afterwards): GoodFile => ({
  name,
  signatures,
  documentModified: 'permitted',
  ...(modifications && { modifications }),
  make: async (lab) => change(lab, await lab.sign(make(), signing)),
});

const FORM_FILLING = { certify: 'formFilling' } as const;
const ANNOTATIONS = { certify: 'annotations' } as const;
const NO_CHANGES = { certify: 'noChanges' } as const;

const certified: GoodFile[] = [NO_CHANGES, FORM_FILLING, ANNOTATIONS].map((signing, index) => ({
  name: `a file certified at ${index + 1}`,
  signatures: 1,
  documentModified: 'no',
  make: (lab) => lab.sign(formPdf(), signing),
}));

const permitted: GoodFile[] = [
  ...([{}, FORM_FILLING, ANNOTATIONS] as LabSigning[]).flatMap((signing): GoodFile[] => {
    const what = signing.certify ? `certified at ${signing === FORM_FILLING ? 2 : 3}` : 'signed';
    return [
      afterwards({
        name: `a file ${what}, then invisibly signed by another`,
        signing,
        change: (lab, pdf) => lab.sign(pdf, { by: lab.bob }),
        signatures: 2,
        modifications: ['SIGNATURE_ADDED'],
      }),
      afterwards({
        name: `a file ${what}, then signed by another in an empty corner`,
        signing,
        change: (lab, pdf) => lab.sign(pdf, { by: lab.bob, appearance: CORNER }),
        signatures: 2,
        modifications: ['SIGNATURE_ADDED'],
      }),
      afterwards({
        name: `a file ${what}, then signed by another in the empty field`,
        signing,
        make: formPdf,
        change: (lab, pdf) => lab.sign(pdf, { by: lab.bob, field: 'Signature', appearance: CORNER }),
        signatures: 2,
        modifications: ['SIGNATURE_ADDED'],
      }),
      afterwards({
        name: `a file ${what}, then filled in`,
        signing,
        make: lookedPdf,
        change: (_, pdf) => filled(pdf),
        modifications: ['FIELD_VALUE'],
      }),
    ];
  }),
  ...([NO_CHANGES, FORM_FILLING, ANNOTATIONS] as LabSigning[]).map((signing, index) =>
    afterwards({
      name: `a file certified at ${index + 1}, with validation data and time-stamped twice`,
      signing: { ...signing, level: 'B-LTA' },
      change: (lab, pdf) => lab.stamp(pdf),
      signatures: 3,
      modifications: ['VALIDATION_DATA', 'DOCUMENT_TIMESTAMP'],
    }),
  ),
  afterwards({
    name: 'a file certified at 3, then given a note in an empty corner',
    signing: ANNOTATIONS,
    change: (_, pdf) => noted(pdf),
    modifications: ['ANNOTATION_ADDED'],
  }),
  afterwards({
    name: 'a file signed, then given metadata',
    signing: {},
    change: (_, pdf) =>
      updated(pdf, (update) => {
        const data = '<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"/><?xpacket end="w"?>';
        const metadata = update.add(
          `<</Type/Metadata/Subtype/XML/Length ${data.length}>>\nstream\n${data}\nendstream`,
        );
        changeCatalog(update, { Metadata: metadata.toString() });
      }),
    modifications: ['METADATA'],
  }),
  afterwards({
    name: 'a file in which one field is locked, another filled in',
    signing: { lock: { action: 'include', fields: ['Signature'] } },
    make: lookedPdf,
    change: (_, pdf) => filled(pdf),
    modifications: ['FIELD_VALUE'],
  }),
  afterwards({
    name: 'a file in which all fields but one are locked, and that one filled in',
    signing: { lock: { action: 'exclude', fields: ['Name'] } },
    make: lookedPdf,
    change: (_, pdf) => filled(pdf),
    modifications: ['FIELD_VALUE'],
  }),
  afterwards({
    name: 'a file that three signed at B-LT',
    signing: { level: 'B-LT' },
    change: async (lab, pdf) =>
      lab.sign(await lab.sign(pdf, { by: lab.bob, level: 'B-LT' }), { level: 'B-LT' }),
    signatures: 3,
    modifications: ['SIGNATURE_ADDED', 'VALIDATION_DATA'],
  }),
];

const unsigned: GoodFile[] = Object.entries(KINDS).map(([kind, make]) => ({
  name: `a file ${kind}, not signed`,
  verdict: 'unsigned',
  signatures: 0,
  documentModified: 'no',
  make,
}));

export const GOOD_FILES: readonly GoodFile[] = [
  ...plainly,
  ...twice,
  ...leveled,
  ...keyed,
  ...certified,
  ...permitted,
  ...HONEST_UPDATES,
  ...OTHER_FIELDS,
  ...FOREIGN_FILES,
  ...unsigned,
  stamped,
];
