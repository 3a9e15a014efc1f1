import { Ref } from '@scriptorium/pdf/read';
import { editDict, type Update } from '@scriptorium/pdf/update';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { pngOf } from '@scriptorium/testing/fixtures/picture';
import type { ReasonCode } from '../../../src/reasons.ts';
import type { Attack, AttackClass } from '../attack.ts';
import type { LabSigning } from '../lab.ts';
import { CONTRACT, contractBodies, xmp } from './contract-pdf.ts';
import { fieldLook, textLook, whiteLook } from './documents.ts';
import { changeCatalog, changeObject, dictOf, updated } from './edit.ts';
import { listWith, ref } from './honest-change.ts';
import { after } from './unclaimed-changes.ts';

const SOURCE = 'attacks on files that this service signed, 2026';
const { form, page, buyer, amount, note, parentTree, metadata, structure } = CONTRACT;
/** A field without a page, its look, a second page with an image, a link with its destination, ink. */
const MORE = { hidden: 27, annex: 29, link: 32, destination: 33, ink: 34 };

function twoPages(): Buffer {
  const bodies = contractBodies();
  bodies[1] = '<</Type/Pages/Kids[3 0 R 29 0 R]/Count 2/MediaBox[0 0 400 600]>>';
  bodies[2] = String(bodies[2]).replace('19 0 R]', '19 0 R 32 0 R 34 0 R]');
  bodies[5] = String(bodies[5]).replace('19 0 R]', '19 0 R 27 0 R]');
  const stream = (keys: string, data: string) => streamBody(keys, Buffer.from(data, 'latin1'));
  return classicPdf(
    [
      ...bodies,
      '<</Type/Annot/Subtype/Widget/FT/Sig/T(Hidden)/F 4/Rect[50 50 200 70]/P 3 0 R/AP<</N 28 0 R>>>>',
      textLook('This contract is void', 150, 20),
      '<</Type/Page/Parent 2 0 R/Contents 30 0 R/Resources<</XObject<</I 31 0 R>>>>>>',
      stream('', 'q 100 0 0 100 50 300 cm /I Do Q'),
      stream('/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray', 'x'),
      '<</Type/Annot/Subtype/Link/F 4/P 3 0 R/Border[0 0 0]/Rect[220 220 300 240]/Dest 33 0 R>>',
      '[29 0 R/Fit]',
      '<</Type/Annot/Subtype/Ink/F 4/P 3 0 R/Rect[300 220 340 240]/InkList[[300 220 340 240]]>>',
    ],
    '/Info 26 0 R',
  );
}

const FORBIDDEN: readonly ReasonCode[] = ['MODIFICATION_FORBIDDEN'];
interface Options {
  signing?: LabSigning;
  isDoubtful?: boolean;
}
const steps = (
  name: string,
  changes: readonly ((update: Update) => void)[],
  { signing = {}, isDoubtful = false }: Options = {},
): Attack => ({
  name,
  ...(isDoubtful ? { verdict: 'indeterminate', codes: ['MODIFICATION_DOUBTFUL'] } : { codes: FORBIDDEN }),
  make: async (lab) => {
    let pdf = await lab.sign(twoPages(), signing);
    for (const change of changes) pdf = updated(pdf, change);
    return pdf;
  },
});

const listed = (update: Update, field: string) =>
  changeObject(update, ref(form), { Fields: listWith(update, form, 'Fields', field) });
const put = (update: Update, annotation: string, num: number = page) =>
  changeObject(update, ref(num), { Annots: listWith(update, num, 'Annots', annotation) });
const field = (name: string, body: string) =>
  after(name, (update) => listed(update, update.add(body).toString()));
const kid = (name: string, num: number, body: string) =>
  after(name, (update) =>
    changeObject(update, ref(num), { Kids: listWith(update, num, 'Kids', update.add(body).toString()) }),
  );

const newFields: AttackClass = {
  name: 'New fields that are old ones',
  source: SOURCE,
  attacks: [
    field('a new field has the name of another one', '<</FT/Sig/T(amount)>>'),
    field('a new field has the full name of another one', '<</FT/Sig/T(buyer.name)>>'),
    field('a new field has no name', '<</FT/Sig>>'),
    field('a new field inherits from a field that does not list it', `<</FT/Sig/T(x)/Parent ${amount} 0 R>>`),
    kid(
      'a new field below a node has the name of another one',
      buyer,
      `<</FT/Sig/T(name)/Parent ${buyer} 0 R>>`,
    ),
    kid('a node gets a widget', buyer, `<</FT/Sig/Parent ${buyer} 0 R>>`),
    kid('a filled field becomes a node', amount, `<</FT/Sig/T(x)/Parent ${amount} 0 R>>`),
    kid(
      'a filled field gets one more widget',
      amount,
      `<</Type/Annot/Subtype/Widget/FT/Sig/Parent ${amount} 0 R/Rect[50 200 200 220]>>`,
    ),
    after('a new node has the name of another one', (update) => {
      const node = update.reserve();
      const below = update.add(`<</FT/Sig/T(name)/Parent ${node}>>`);
      update.replace(node, `<</T(buyer)/Kids[${below}]>>`);
      listed(update, node.toString());
    }),
    ...['Link', 'Screen', 'Stamp', 'FileAttachment'].map((kind) =>
      after(`a new signature field is a ${kind}`, (update) => {
        const added = update.add(`<</Subtype/${kind}/FT/Sig/T(New)/F 4/Rect[300 250 360 270]>>`).toString();
        put(update, added);
        listed(update, added);
      }),
    ),
    field('a new signature field has a text for its value', '<</FT/Sig/T(New)/V(void)>>'),
    steps('a field that no page showed is shown', [(update) => put(update, `${MORE.hidden} 0 R`)], {
      signing: { certify: 'noChanges' },
    }),
    steps('a field without a signature shows a text', [(update) => put(update, `${MORE.hidden} 0 R`)], {
      signing: { certify: 'formFilling' },
    }),
    steps('an empty field is shown on another page', [(update) => put(update, '19 0 R', MORE.annex)]),
    ...(['[295 35 365 105]', '[50 300 150 400]'] as const).map((rectangle, index) => {
      const where = index === 0 ? page : MORE.annex;
      return {
        ...steps(
          `an empty field lies over ${index === 0 ? 'a code' : 'an image'}, and is then signed opaquely`,
          [],
          { isDoubtful: true },
        ),
        make: async (lab) => {
          const empty = updated(await lab.sign(twoPages()), (update) => {
            const added = update.add(
              `<</Type/Annot/Subtype/Widget/FT/Sig/T(Late)/F 4/Rect${rectangle}/P ${where} 0 R>>`,
            );
            put(update, added.toString(), where);
            listed(update, added.toString());
          });
          const image = pngOf(4, 4, () => ({ red: 255, green: 255, blue: 255, alpha: 255 }));
          const place = { page: index + 1, rectangle: { x: 0, y: 0, width: 9, height: 9 } };
          return lab.sign(empty, { by: lab.bob, field: 'Late', appearance: { ...place, image } });
        },
      } satisfies Attack;
    }),
  ],
};

const hiddenTwice: AttackClass = {
  name: 'What is known already, or stands twice',
  source: SOURCE,
  attacks: [
    steps(
      'a signed note is put on another page, and then rewritten',
      [
        (update) => put(update, `${note} 0 R`, MORE.annex),
        (update) => changeObject(update, ref(note), { Contents: '(Rejected by Ada)' }),
      ],
      { isDoubtful: true },
    ),
    steps(
      'a link leads elsewhere by its destination alone',
      [(update) => update.replace(ref(MORE.destination), '[3 0 R/Fit]')],
      { isDoubtful: true },
    ),
    steps(
      'an opaque stamp lies over ink',
      [
        (update) =>
          put(
            update,
            update
              .add(
                `<</Type/Annot/Subtype/Stamp/F 4/P 3 0 R/Rect[295 215 345 245]/AP<</N ${update.add(whiteLook(50, 30))}>>>>`,
              )
              .toString(),
          ),
      ],
      { isDoubtful: true },
    ),
    after('a new form has its fields twice', (update) => {
      const old = dictOf(update, ref(form));
      const text = old.source.toString('latin1', old.start, old.end);
      changeCatalog(update, {
        AcroForm: update.add(text.replace(/\/Fields/, '/Fields[]/Fields')).toString(),
      });
    }),
    after('a new root of the structure has its children twice', (update) => {
      const text = editDict(dictOf(update, ref(structure)), {}).replace('/K', '/K 24 0 R/K');
      changeCatalog(update, { StructTreeRoot: update.add(text).toString() });
    }),
    after('a new look has its resources twice', (update) => {
      const look = fieldLook('200').replace('/Resources', '/Resources<<>>/Resources');
      changeObject(update, ref(amount), { V: '(200)', RV: undefined, AP: `<</N ${update.add(look)}>>` });
    }),
    after('the content of the page gives another length', (update) => {
      const content = update.document.object(ref(4));
      const text = content?.source.toString('latin1', content.start, content.end) ?? '';
      update.replace(ref(4), text.replace(/\/Length \d+/, '/Length 40'));
    }),
    after('a copy of the content gives another length', (update) => {
      const content = update.document.object(ref(4));
      const text = content?.source.toString('latin1', content.start, content.end) ?? '';
      const copy = update.add(text.replace(/\/Length \d+/, '/Length 40'));
      changeObject(update, ref(page), { Contents: copy.toString() });
    }),
    after('a link leads to a place that is an action', (update) => {
      const action = '<</S/GoTo/D<</S/URI/URI(https://example.com/)>>>>';
      put(update, update.add(`<</Type/Annot/Subtype/Link/F 4/Rect[300 250 360 270]/A${action}>>`).toString());
    }),
    after(
      'a note without an area has its icon over a headline',
      (update) =>
        put(
          update,
          update.add('<</Type/Annot/Subtype/Text/F 4/Contents(Hm)/Rect[50 515 50 515]>>').toString(),
        ),
      { isDoubtful: true },
    ),
    after('the tree of parents gets a key of its own', (update) =>
      changeObject(update, ref(parentTree), { ActualText: '(void)' }),
    ),
    ...(
      [
        ['has a key twice', '<</Nums[0[24 0 R 23 0 R]0[23 0 R 24 0 R]]>>'],
        ['has its keys in another order', '<</Nums[1 24 0 R 0[23 0 R 24 0 R]]>>'],
      ] as const
    ).map(([what, tree]) =>
      after(`the tree of parents ${what}`, (update) => update.replace(ref(parentTree), tree)),
    ),
    after('the tree of parents hides a key from those who go by limits', (update) => {
      const leaf = update.add('<</Limits[5 9]/Nums[0[23 0 R 24 0 R]]>>');
      update.replace(ref(parentTree), `<</Kids[${leaf}]>>`);
    }),
    ...(
      [
        ['a space in the title is new', '<dc:title>Agree ment</dc:title>'],
        [
          'the title goes on as if it were bookkeeping',
          `<dc:title>Agreement pdf:Producer="is void"</dc:title>`,
        ],
        [
          'a title hides behind bookkeeping',
          '<pdf:Producer a=">"/><dc:title>Gift</dc:title><pdf:Producer>x</pdf:Producer><dc:title>Agreement</dc:title>',
        ],
        [
          'bookkeeping has another name',
          '<dc:title>Agreement</dc:title><pdf:Producer xmlns:pdf="http://purl.org/dc/elements/1.1/">Gift</pdf:Producer>',
        ],
        ['a comment hides a tag', '<dc:title>Agreement</dc:title><!-- <xmp:ModifyDate> -->'],
      ] as const
    ).map(([name, tags]) =>
      after(
        `the metadata change so that ${name}`,
        (update) => {
          const text = xmp('Agreement').toString('latin1');
          const body = text.slice(text.indexOf('<?xpacket'), text.indexOf('\nendstream'));
          const changed = body.replace('<dc:title>Agreement</dc:title>', tags);
          update.replace(
            new Ref(metadata, 0),
            streamBody('/Type/Metadata/Subtype/XML', Buffer.from(changed, 'latin1')),
          );
        },
        { signing: { certify: 'noChanges' } },
      ),
    ),
  ],
};

export const KNOWN_BEFORE: readonly AttackClass[] = [newFields, hiddenTwice];
