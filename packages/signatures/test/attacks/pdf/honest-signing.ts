import type { Update } from '@scriptorium/pdf/update';
import type { ModificationCode } from '../../../src/reasons.ts';
import { CONTRACT } from './contract-pdf.ts';
import { fieldLook } from './documents.ts';
import { changeObject, updated } from './edit.ts';
import { type HonestChange, keys, listWith, ref } from './honest-change.ts';

const { form, name, city, paid, amount, document, structure, parentTree, page } = CONTRACT;

const look = (update: Update, text: string) => `<</N ${update.add(fieldLook(text))}>>`;
const filledWith =
  (num: number, value: string, more: Record<string, string | undefined> = {}) =>
  (update: Update) =>
    changeObject(update, ref(num), { V: `(${value})`, AP: look(update, value), ...more });
/** Adds an empty signature field with a structure element, as tagging writers do. */
function taggedField(update: Update, tree: (element: string) => string, kid: (item: string) => string): void {
  const element = update.reserve();
  const widget = update.add(
    `<</Type/Annot/Subtype/Widget/FT/Sig/T(Tagged)/TU(Signature)/F 4/Rect[50 180 250 230]/P ${page} 0 R/StructParent 1>>`,
  );
  const reference = kid(`<</Type/OBJR/Obj ${widget}/Pg ${page} 0 R>>`);
  update.replace(element, `<</Type/StructElem/S/Form/P ${document} 0 R/Pg ${page} 0 R/K ${reference}>>`);
  changeObject(update, ref(document), { K: listWith(update, document, 'K', element.toString()) });
  changeObject(update, ref(structure), { ParentTreeNextKey: '2' });
  update.replace(ref(parentTree), tree(element.toString()));
  changeObject(update, ref(page), { Annots: listWith(update, page, 'Annots', widget.toString()) });
  changeObject(update, ref(form), {
    Fields: listWith(update, form, 'Fields', widget.toString()),
    SigFlags: '3',
  });
}

const TAGGED: readonly ModificationCode[] = ['SIGNATURE_FIELD_ADDED', 'LOGICAL_STRUCTURE'];
const tagged = (
  what: string,
  tree: (element: string, update: Update) => string,
  kid: (item: string, update: Update) => string,
): HonestChange[] => {
  const change = (update: Update) =>
    taggedField(
      update,
      (element) => tree(element, update),
      (item) => kid(item, update),
    );
  return [
    { name: `given a tagged signature field, ${what}`, least: 2, modifications: TAGGED, change },
    {
      name: `given a tagged signature field, ${what}, which another signs`,
      least: 2,
      modifications: [...TAGGED, 'SIGNATURE_ADDED'],
      signatures: 2,
      make: (lab, pdf) => lab.sign(updated(pdf, change), { by: lab.bob, field: 'Tagged' }),
    },
  ];
};

export const SIGNATURES: HonestChange[] = [
  {
    name: 'signed by another',
    least: 2,
    modifications: ['SIGNATURE_ADDED'],
    signatures: 2,
    make: (lab, pdf) => lab.sign(pdf, { by: lab.bob }),
  },
  {
    name: 'signed by another in the empty field',
    least: 2,
    modifications: ['SIGNATURE_ADDED'],
    signatures: 2,
    make: (lab, pdf) =>
      lab.sign(pdf, {
        by: lab.bob,
        field: 'Signature',
        appearance: { page: 1, rectangle: { x: 0, y: 0, width: 9, height: 9 }, text: 'Bob' },
      }),
  },
  {
    name: 'time-stamped',
    least: 1,
    modifications: ['DOCUMENT_TIMESTAMP'],
    signatures: 2,
    make: (lab, pdf) => lab.stamp(pdf),
  },
  ...tagged(
    'in a list',
    (element) => `<</Nums[0[23 0 R 24 0 R]1 ${element}]>>`,
    (item) => item,
  ),
  ...tagged(
    'by objects of their own',
    (element) => `<</Nums[0[23 0 R 24 0 R]1 ${element}]>>`,
    (item, update) => `[${update.add(item)}]`,
  ),
  ...tagged(
    'in a tree that is cut anew',
    (element, update) => {
      const left = update.add('<</Limits[0 0]/Nums[0[23 0 R 24 0 R]]>>');
      return `<</Kids[${left} ${update.add(`<</Limits[1 1]/Nums[1 ${element}]>>`)}]>>`;
    },
    (item) => item,
  ),
  {
    name: 'given a signature field and its widget apart, with a list of their own',
    least: 2,
    modifications: ['SIGNATURE_FIELD_ADDED', 'SIGNATURE_ADDED'],
    signatures: 2,
    make: (lab, pdf) =>
      lab.sign(
        updated(pdf, (update) => {
          const kids = update.reserve();
          const field = update.add(`<</FT/Sig/T(Apart)/Kids ${kids}>>`);
          const widget = update.add(
            `<</Type/Annot/Subtype/Widget/Parent ${field}/F 4/Rect[50 180 250 230]/P ${page} 0 R>>`,
          );
          update.replace(kids, `[${widget}]`);
          changeObject(update, ref(page), { Annots: listWith(update, page, 'Annots', widget.toString()) });
          changeObject(update, ref(form), {
            Fields: listWith(update, form, 'Fields', field.toString()),
            SigFlags: '3',
          });
        }),
        { by: lab.bob, field: 'Apart' },
      ),
  },
];

export const FILLING: HonestChange[] = [
  { name: 'filled in', change: filledWith(name, 'Bob') },
  {
    name: 'filled in by two fields',
    change: (update: Update) => [name, city].forEach((num) => void filledWith(num, 'Graz')(update)),
  },
  {
    name: 'filled in, the look written over the old one',
    change: (update: Update) => {
      keys(name, { V: '(Bob)' })(update);
      update.replace(ref(CONTRACT.nameLook), fieldLook('Bob'));
    },
  },
  {
    name: 'filled in with a default appearance',
    change: filledWith(name, 'Bob', { DA: '(/Helv 12 Tf 0 g)' }),
  },
  {
    name: 'filled in with an alignment and a style',
    change: filledWith(name, 'Bob', { Q: '1', DS: '(font: 12pt)' }),
  },
  { name: 'emptied', change: filledWith(name, '') },
  { name: 'filled in with a date of the change', change: filledWith(name, 'Bob', { M: '(D:20260101)' }) },
  {
    name: 'filled in with a text in Unicode',
    change: filledWith(name, '', { V: '<FEFF0042006F0062>', AP: undefined }),
  },
  { name: 'ticked', change: keys(paid, { V: '/Yes', AS: '/Yes' }) },
  {
    name: 'filled in with a rich text',
    change: filledWith(amount, '200', { RV: '(<body><p>200</p></body>)' }),
  },
  { name: 'filled in without the rich text', change: filledWith(amount, '200', { RV: undefined }) },
  {
    name: 'filled in with a look under the pointer of the same text',
    change: (update: Update) => {
      const both = update.add(fieldLook('Bob'));
      changeObject(update, ref(name), {
        V: '(Bob)',
        AP: `<</N ${both}/R ${update.add(fieldLook('Bob'))}/D ${both}>>`,
      });
    },
  },
  {
    name: 'ticked, its looks written anew as they were',
    change: (update: Update) => {
      const copies = [CONTRACT.paidOn, CONTRACT.paidOff].map((num) => {
        const stream = update.document.object(ref(num));
        return update.add(stream?.source.subarray(stream.start, stream.end) ?? '');
      });
      changeObject(update, ref(paid), {
        V: '/Yes',
        AS: '/Yes',
        AP: `<</N<</Yes ${copies[0]}/Off ${copies[1]}>>>>`,
      });
    },
  },
].map((each) => ({ ...each, least: 2, modifications: ['FIELD_VALUE'] }));
