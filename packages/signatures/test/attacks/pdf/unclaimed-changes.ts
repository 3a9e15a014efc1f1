import { Ref } from '@scriptorium/pdf/read';
import type { Update } from '@scriptorium/pdf/update';
import type { ReasonCode } from '../../../src/reasons.ts';
import type { Attack, AttackClass } from '../attack.ts';
import type { LabSigning } from '../lab.ts';
import { CONTRACT, contractPdf, xmp } from './contract-pdf.ts';
import { fieldLook } from './documents.ts';
import { addAnnotation, changeCatalog, changeObject, dictOf, updated } from './edit.ts';

const ref = (num: number) => new Ref(num, 0);
const FORBIDDEN: readonly ReasonCode[] = ['MODIFICATION_FORBIDDEN'];
const SOURCE = 'attacks on files that this service signed, 2026';

interface Options {
  signing?: LabSigning;
  /** The verdict and its reason if the change is doubtful, not forbidden. */
  isDoubtful?: boolean;
}

export const after = (
  name: string,
  change: (update: Update) => void,
  { signing = {}, isDoubtful = false }: Options = {},
): Attack => ({
  name,
  ...(isDoubtful ? { verdict: 'indeterminate', codes: ['MODIFICATION_DOUBTFUL'] } : { codes: FORBIDDEN }),
  make: async (lab) => updated(await lab.sign(contractPdf(), signing), change),
});

const keys = (num: number, changes: Record<string, string | undefined>) => (update: Update) =>
  changeObject(update, ref(num), changes);

const { buyer, name, city, paid, amount, note, document, paragraph, figure, structure } = CONTRACT;

/** Makes one attack per kind of signature: each must forbid the change of the form. */
const ofForm = (what: string, change: (update: Update) => void): Attack[] =>
  (
    [
      ['signed', {}],
      ['certified for form filling', { certify: 'formFilling' }],
      ['signed with all fields locked', { lock: { action: 'all' } }],
    ] as [string, LabSigning][]
  ).map(([kind, signing]) => after(`${what}, in a file ${kind}`, change, { signing }));

const formTree: AttackClass = {
  name: 'The tree of the form',
  source: SOURCE,
  attacks: [
    ...ofForm('a node of the form is renamed', keys(buyer, { T: '(seller)' })),
    ...ofForm('the kids of a node change places', keys(buyer, { Kids: '[11 0 R 10 0 R]' })),
    ...ofForm('a kid leaves its node', keys(buyer, { Kids: '[10 0 R]' })),
    ...ofForm('a node has no kids any more', keys(buyer, { Kids: undefined })),
    ...ofForm('a kid is in its node twice', keys(buyer, { Kids: '[10 0 R 11 0 R 10 0 R]' })),
    ...ofForm('a node is called otherwise for users', keys(buyer, { TU: '(The seller)' })),
    ...ofForm('a node gets a type', keys(buyer, { FT: '/Btn' })),
    ...ofForm(
      'a field moves to the top of the form',
      keys(CONTRACT.form, { Fields: '[7 0 R 11 0 R 12 0 R 13 0 R 19 0 R]' }),
    ),
    ...ofForm('a field gets another parent', (update) => {
      const node = update.add(`<</T(seller)/Kids[${name} 0 R]>>`);
      changeObject(update, ref(name), { Parent: node.toString() });
    }),
    ...ofForm('two kids change names', (update) => {
      changeObject(update, ref(name), { T: '(city)' });
      changeObject(update, ref(city), { T: '(name)' });
    }),
    ...ofForm(
      'a node takes the place of an annotation',
      keys(buyer, { Type: '/Annot', Subtype: '/Text', T: '(seller)' }),
    ),
    ...ofForm(
      'the fields of the form change places',
      keys(CONTRACT.form, { Fields: '[12 0 R 7 0 R 13 0 R 19 0 R]' }),
    ),
  ],
};

const looked =
  (changes: Record<string, string | undefined>, look: string, num: number = amount) =>
  (update: Update) =>
    changeObject(update, ref(num), { ...changes, AP: `<</N ${update.add(fieldLook(look))}>>` });

const valueAndLook: AttackClass = {
  name: 'A value and its look that differ',
  source: SOURCE,
  attacks: [
    after('a value changes and its look does not', keys(name, { V: '(Eve)' }), { isDoubtful: true }),
    after('a value is taken away and its look stays', keys(name, { V: undefined }), { isDoubtful: true }),
    after(
      'a value and its look change to different ones',
      looked({ V: '(1000000)', RV: undefined }, '100 '),
      { isDoubtful: true },
    ),
    after('only a part of the value is shown', looked({ V: '(1000000)', RV: undefined }, '1000'), {
      isDoubtful: true,
    }),
    after('more than the value is shown', looked({ V: '(10)', RV: undefined }, '1000'), { isDoubtful: true }),
    after('a rich text changes alone', keys(amount, { RV: '(<body><p>1000000</p></body>)' })),
    after(
      'a rich text says something else than the new value',
      looked({ V: '(200)', RV: '(<body><p>1000000</p></body>)' }, '200'),
    ),
    after('a look changes and its value does not', looked({}, '1000000')),
    after('a look under the pointer says something else', (update) =>
      changeObject(update, ref(amount), { AP: `<</N 17 0 R/R ${update.add(fieldLook('1000000'))}>>` }),
    ),
    after('a look under the finger says something else', (update) =>
      changeObject(update, ref(amount), { AP: `<</N 17 0 R/D ${update.add(fieldLook('1000000'))}>>` }),
    ),
    after('a box is on by its value and off to the eye', keys(paid, { V: '/Yes' }), { isDoubtful: true }),
    after('a box is on to the eye and off by its value', keys(paid, { AS: '/Yes' }), { isDoubtful: true }),
    after(
      'a box looks on while it is off',
      keys(paid, { V: '/Off', AP: '<</N<</Yes 16 0 R/Off 15 0 R>>>>' }),
      { isDoubtful: true },
    ),
    after(
      'a box is filled in, and looks off while it is on',
      keys(paid, { V: '/Yes', AS: '/Yes', AP: '<</N<</Yes 16 0 R/Off 15 0 R>>>>' }),
      { isDoubtful: true },
    ),
    after(
      'the look of the other state of a box is replaced',
      (update) => {
        update.replace(ref(CONTRACT.paidOff), fieldLook('x'));
      },
      { isDoubtful: true },
    ),
  ],
};

const element = (extra: string) => `<</Type/StructElem/S/Span/P ${document} 0 R${extra}>>`;
const grown = (extra: string) => (update: Update) =>
  changeObject(update, ref(document), { K: `[23 0 R 24 0 R ${update.add(element(extra))}]` });

const machineText: AttackClass = {
  name: 'Text for machines',
  source: SOURCE,
  attacks: [
    ...['Alt', 'ActualText', 'E', 'T', 'Lang'].map((key) =>
      after(`an element gets another /${key}`, keys(paragraph, { [key]: '(Disagreement)' })),
    ),
    after('the description of a figure changes', keys(figure, { Alt: '(Another account)' })),
    ...['Alt', 'ActualText', 'E', 'T'].map((key) =>
      after(`a new element has a /${key}`, grown(`/${key}(Disagreement)`)),
    ),
    after('a new element claims content of the page', grown('/Pg 3 0 R/K 0')),
    after('a new element claims marked content', grown('/K<</Type/MCR/Pg 3 0 R/MCID 0>>')),
    after('a new element takes an old one for its kid', grown(`/K ${figure} 0 R`)),
    after('a new element has a file', grown('/AF[<</Type/Filespec/F(a.xml)>>]')),
    after('an element gets a file', keys(paragraph, { AF: '[<</Type/Filespec/F(a.xml)>>]' })),
    after('an element becomes another kind', keys(paragraph, { S: '/Artifact' })),
    after('elements change places', keys(document, { K: '[24 0 R 23 0 R]' })),
    after('an element disappears', keys(document, { K: '[23 0 R]' })),
    after('an element has other content', keys(paragraph, { K: '1' })),
    after('kinds mean something else', keys(structure, { RoleMap: '<</P/Artifact>>' })),
    after('the tree finds another element', keys(CONTRACT.parentTree, { Nums: '[0[24 0 R 23 0 R]]' })),
    after('the page belongs to another part of the tree', keys(CONTRACT.page, { StructParents: '1' })),
    after('another tree takes the place', (update) => {
      const root = update.add('<</Type/StructTreeRoot>>');
      changeCatalog(update, { StructTreeRoot: root.toString() });
    }),
    after('the language of the document changes', (update) => changeCatalog(update, { Lang: '(de)' })),
  ],
};

const NOTHING: Options = { signing: { certify: 'noChanges' } };

const noChanges: AttackClass = {
  name: 'Certified without changes',
  source: SOURCE,
  attacks: [
    after('the title of the document changes', keys(CONTRACT.info, { Title: '(Gift)' }), NOTHING),
    after('the author of the document is named', keys(CONTRACT.info, { Author: '(Eve)' }), NOTHING),
    after(
      'the title in the metadata changes',
      (update) => update.replace(ref(CONTRACT.metadata), xmp('Gift')),
      NOTHING,
    ),
    after(
      'the metadata are replaced',
      (update) => {
        changeCatalog(update, { Metadata: update.add(xmp('Gift')).toString() });
      },
      NOTHING,
    ),
    after(
      'the document is said not to be tagged',
      (update) => changeCatalog(update, { MarkInfo: '<</Marked false>>' }),
      NOTHING,
    ),
    after('fields are visited in another order', keys(CONTRACT.page, { Tabs: '/R' }), NOTHING),
    after('the form gets another alignment', keys(CONTRACT.form, { Q: '2' }), NOTHING),
    after(
      'the form gets other fonts',
      keys(CONTRACT.form, { DR: '<</Font<</Helv 5 0 R/F2 5 0 R>>>>' }),
      NOTHING,
    ),
    after('a field is locked', keys(name, { Ff: '1' }), NOTHING),
    after('a note is opened', keys(note, { Open: 'true' }), NOTHING),
    after('a box is ticked', keys(paid, { V: '/Yes', AS: '/Yes' }), NOTHING),
    after(
      'looks are listed by name',
      (update) => changeCatalog(update, { Names: '<</AP<</Names[]>>>>' }),
      NOTHING,
    ),
  ],
};

const FILE = '<</Type/Filespec/F(a.exe)>>';
const CORNER = '/F 4/Rect[350 20 370 40]';
const added = (what: string, body: string): Attack =>
  after(`${what} is added`, (update) => void addAnnotation(update, `${body}${CORNER}`));

const mediaAndLinks: AttackClass = {
  name: 'Media, files and links',
  source: SOURCE,
  attacks: [
    added('a screen that plays', '/Subtype/Screen/A<</S/Rendition>>'),
    added('rich media', '/Subtype/RichMedia/RichMediaContent<<>>'),
    added('a movie', '/Subtype/Movie/Movie<</F(a.avi)>>'),
    added('a sound', '/Subtype/Sound/Sound 4 0 R'),
    added('a 3D view', '/Subtype/3D/3DD 4 0 R'),
    added('a file', `/Subtype/FileAttachment/FS ${FILE}`),
    added('a link to the web', '/Subtype/Link/A<</S/URI/URI(https://example.com/)>>'),
    added('a link to another file', `/Subtype/Link/A<</S/GoToR/F(b.pdf)/D[0/Fit]>>`),
    added('a link to an embedded file', '/Subtype/Link/A<</S/GoToE/D[0/Fit]>>'),
    added('a link that launches', `/Subtype/Link/A<</S/Launch/F ${FILE}>>`),
    added('a link that submits', '/Subtype/Link/A<</S/SubmitForm/F(https://example.com/)>>'),
    added(
      'a link that goes on with a script',
      '/Subtype/Link/A<</S/GoTo/D[3 0 R/Fit]/Next<</S/JavaScript/JS(1)>>>>',
    ),
    added('a link whose URI is tracked', '/Subtype/Link/PA<</S/URI/URI(https://example.com/)>>'),
    added('a note with an associated file', `/Subtype/Text/Contents(Hm)/AF[${FILE}]`),
    added('a note with an action', '/Subtype/Text/Contents(Hm)/AA<</E<</S/JavaScript/JS(1)>>>>'),
    added('a watermark', '/Subtype/Watermark'),
    added('a redaction', '/Subtype/Redact'),
    added('a printer mark', '/Subtype/PrinterMark'),
    added('a trap network', '/Subtype/TrapNet'),
    added('a projection', '/Subtype/Projection'),
    added('a kind that is not known', '/Subtype/Whatever'),
    added('an annotation without a kind', '/Contents(Hm)'),
    added('a note on a layer', '/Subtype/Text/Contents(Hm)/OC<</Type/OCG/Name(x)>>'),
    after('the text of a signed note changes', keys(note, { Contents: '(Read by nobody)' }), {
      isDoubtful: true,
    }),
    after('the author of a signed note changes', keys(note, { T: '(Eve)' }), { isDoubtful: true }),
    after('the rich text of a signed note changes', keys(note, { RC: '(<body>No</body>)' }), {
      isDoubtful: true,
    }),
    after('a signed note is hidden', keys(note, { F: '2' }), { isDoubtful: true }),
    after('a signed note is moved', keys(note, { Rect: '[10 560 30 580]' }), { isDoubtful: true }),
    after(
      'a signed note is removed',
      (update) => {
        const annots = dictOf(update, ref(CONTRACT.page)).get('Annots');
        const left = (Array.isArray(annots) ? annots : []).filter(
          (item) => !(item instanceof Ref && item.num === note),
        );
        changeObject(update, ref(CONTRACT.page), { Annots: `[${left.join(' ')}]` });
      },
      { isDoubtful: true },
    ),
    after('a signed note becomes a link', keys(note, { Subtype: '/Link' })),
  ],
};

export const UNCLAIMED: readonly AttackClass[] = [
  formTree,
  valueAndLook,
  machineText,
  noChanges,
  mediaAndLinks,
];
