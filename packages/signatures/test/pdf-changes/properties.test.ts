import { beforeAll, describe, expect, test } from '@jest/globals';
import { CONTRACT, contractPdf, xmp } from '../attacks/pdf/contract-pdf.ts';
import { fieldLook } from '../attacks/pdf/documents.ts';
import { listWith } from '../attacks/pdf/honest-change.ts';
import { signedOnce } from './contract.ts';
import { Choices, unknownKey } from './random.ts';
import { type Edit, edited, formXObject, stream, verdicts } from './revisions.ts';

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);
/** An empty place of the contract. */
const BLANK = [220, 200, 395, 480] as const;
const { name, city, form, page, document, info, structure } = CONTRACT;

let signed: Buffer;
beforeAll(async () => {
  signed = await signedOnce(contractPdf());
});

type Make = (edit: Edit, choices: Choices) => void;
const levelsAfter = (make: Make, seed: number, docMdp?: 1 | 2 | 3): string[] =>
  verdicts(
    signed,
    edited(signed, (edit) => make(edit, new Choices(seed))),
    { ...(docMdp && { docMdp }), locks: [] },
  ).map((verdict) => verdict.split(' ')[0] ?? '');
const isPermitted = (levels: readonly string[]): boolean => levels.every((level) => level === 'permitted');

/** The seeds whose change is permitted, or is not, as wanted. */
const seedsWhere = (wanted: boolean, make: Make, docMdp?: 1 | 2 | 3): number[] =>
  SEEDS.filter((seed) => isPermitted(levelsAfter(make, seed, docMdp)) === wanted);

const fields = (edit: Edit, item: string): void => {
  edit.set(form, { Fields: listWith(edit.update, form, 'Fields', item), SigFlags: '3' });
};
const annotations = (edit: Edit, item: string): void => {
  edit.set(page, { Annots: listWith(edit.update, page, 'Annots', item) });
};

const signatureField: Make = (edit, choices) => {
  const more = choices.some([
    '/TU(Sign)',
    '/F 132',
    '/H/N',
    '/Q 1',
    '/MK<<>>',
    '/StructParent 7',
    '/M(D:2026)',
  ]);
  const box = choices.rectangle(BLANK, 80);
  const keys = `/Type/Annot/Subtype/Widget/FT/Sig/T(${choices.text(8)})/Rect${box}/P 3 0 R${more.join('')}`;
  const nodes = Array.from({ length: choices.upTo(3) }, () => edit.update.reserve());
  const widget = edit.add(`<<${keys}${nodes.length > 0 ? `/Parent ${nodes.at(-1)}` : ''}>>`);
  for (const [index, node] of nodes.entries()) {
    const parent = index > 0 ? `/Parent ${nodes[index - 1]}` : '';
    edit.update.replace(node, `<</T(n${index})/Kids[${nodes[index + 1] ?? widget}]${parent}>>`);
  }
  annotations(edit, widget);
  fields(edit, (nodes[0] ?? widget).toString());
};

const filled =
  (look: (value: string, choices: Choices) => string): Make =>
  (edit, choices) => {
    const value = choices.text(12);
    const num = choices.of([name, city]);
    edit.set(num, { V: `(${value})`, AP: `<</N ${edit.add(fieldLook(look(value, choices)))}>>` });
  };
const withOther = (value: string, choices: Choices): string => {
  const at = choices.upTo(value.length + 1);
  return `${value.slice(0, at)}${choices.of([...'0123456789xyz'])}${value.slice(at)}`;
};

const comment =
  (more: (choices: Choices) => string, box: readonly [number, number, number, number] = BLANK): Make =>
  (edit, choices) => {
    const kind = choices.of(['Text', 'FreeText', 'Square', 'Circle', 'Stamp', 'Caret', 'Popup']);
    const keys = choices.some([
      '/Contents(Hm)',
      '/T(Bob)',
      '/M(D:2026)',
      '/C[1 0 0]',
      '/NM(a)',
      '/Subj(b)',
      '/F 4',
    ]);
    // Readers draw all others without an appearance each in its own way.
    const isDrawnAlike = kind === 'Text' || kind === 'Popup';
    const look = isDrawnAlike ? '' : `/AP<</N ${edit.add(formXObject('0 0 60 60 re S'))}>>`;
    annotations(
      edit,
      edit.add(
        `<</Type/Annot/Subtype/${kind}/Rect${choices.rectangle(box, 60)}${look}${keys.join('')}${more(choices)}>>`,
      ),
    );
  };

/** Adds elements below the document, without text except what `extra` gives to one of them. */
const elements =
  (extra: (choices: Choices) => string): Make =>
  (edit, choices) => {
    const depth = 1 + choices.upTo(4);
    const spoiled = choices.upTo(depth);
    const annotation = edit.add('<</Type/Annot/Subtype/Text/Rect[300 300 310 310]/P 3 0 R>>');
    let kid = `<</Type/OBJR/Obj ${annotation}/Pg 3 0 R>>`;
    for (let level = 0; level < depth; level++) {
      const key = level === spoiled ? extra(choices) : '';
      const kind = choices.of(['Form', 'Annot', 'Sect', 'Div', 'P']);
      kid = edit.add(
        `<</Type/StructElem/S/${kind}/P ${document} 0 R${choices.of(['', '/Pg 3 0 R'])}/K ${choices.of([kid, `[${kid}]`])}${key}>>`,
      );
    }
    edit.set(document, { K: listWith(edit.update, document, 'K', kid) });
    edit.set(structure, { ParentTreeNextKey: String(2 + choices.upTo(9)) });
    annotations(edit, annotation);
  };

/** Copies the resources of the page to a random depth; `font` is the copy of its font. */
const resources =
  (font: (choices: Choices) => string): Make =>
  (edit, choices) => {
    const own = edit.add(font(choices));
    const list = `<</F1 ${own}>>`;
    const all = `<</Font ${choices.of([list, edit.add(list)])}>>`;
    edit.set(page, { Resources: choices.of([all, edit.add(all)]) });
  };

const RULES: { rule: string; permitted: Make; least: 1 | 2 | 3; beside: Make }[] = [
  {
    rule: 'a second signature',
    least: 2,
    permitted: signatureField,
    beside: (edit, choices) => {
      const widget = edit.add(
        `<</Type/Annot/Subtype/Widget/FT/Sig/T(x)/Rect${choices.rectangle(BLANK, 80)}/P 3 0 R/${choices.of([unknownKey(choices), 'A', 'AA', 'OC', 'AF'])} ${choices.of(['1', '(a)', '<<>>'])}>>`,
      );
      annotations(edit, widget);
      fields(edit, widget);
    },
  },
  {
    rule: 'validation data',
    least: 1,
    permitted: (edit, choices) => {
      const data = edit.add(stream('', choices.text(40)));
      edit.set(1, {
        DSS: choices.of(['', edit.add('<<>>')]) || `<</${choices.of(['Certs', 'OCSPs', 'CRLs'])}[${data}]>>`,
      });
    },
    beside: (edit, choices) =>
      edit.set(1, { [unknownKey(choices)]: choices.of(['<<>>', '1', '(a)', '[3 0 R]']) }),
  },
  { rule: 'form filling', least: 2, permitted: filled((value) => value), beside: filled(withOther) },
  {
    rule: 'annotations',
    least: 3,
    permitted: comment(() => ''),
    beside: comment((choices) => `/${choices.of([unknownKey(choices), 'A', 'AA', 'AF', 'OC', 'FS'])}<<>>`),
  },
  {
    rule: 'annotations in an empty place',
    least: 3,
    permitted: comment(() => ''),
    beside: (edit, choices) => {
      const kind = choices.of([
        'FreeText',
        'Stamp',
        'Square/IC[1 1 1]',
        'Ink/InkList[[52 503 112 503]]',
        'Line/L[52 503 112 503]',
        'Highlight/QuadPoints[50 512 110 512 50 498 110 498]',
      ]);
      annotations(
        edit,
        edit.add(
          `<</Type/Annot/Subtype/${kind}/Rect[${50 - choices.upTo(20)} ${490 + choices.upTo(8)} ${112 + choices.upTo(90)} ${512 + choices.upTo(30)}]>>`,
        ),
      );
    },
  },
  {
    rule: 'metadata',
    least: 2,
    permitted: (edit, choices) => {
      if (choices.upTo(2) === 0) edit.put(CONTRACT.metadata, xmp(choices.text(20)));
      else
        edit.set(info, {
          [choices.of(['Title', 'Author', 'Subject', unknownKey(choices)])]: `(${choices.text(9)})`,
        });
    },
    beside: (edit, choices) =>
      edit.set(page, {
        [choices.of(['PieceInfo', 'Group', 'Trans', 'Rotate', 'UserUnit', unknownKey(choices)])]: choices.of([
          '<<>>',
          '90',
        ]),
      }),
  },
  {
    rule: 'keys that every saving program writes',
    least: 1,
    permitted: (edit, choices) => {
      if (choices.upTo(2) === 0) edit.put(CONTRACT.metadata, xmp('Agreement', choices.text(20)));
      else edit.set(info, { [choices.of(['ModDate', 'Producer'])]: `(${choices.text(9)})` });
    },
    beside: (edit, choices) =>
      edit.set(1, {
        [choices.of(['Lang', 'PageMode', 'PageLayout', 'Outlines', 'PageLabels'])]: choices.of([
          '<<>>',
          '(a)',
        ]),
      }),
  },
  {
    rule: 'form bookkeeping',
    least: 2,
    permitted: (edit, choices) => {
      edit.set(choices.of([name, city]), { [choices.of(['M', 'NM'])]: '(a)' });
      edit.set(form, { Q: String(choices.upTo(3)) });
    },
    beside: (edit, choices) =>
      edit.set(choices.of([name, city, CONTRACT.buyer, CONTRACT.paid]), {
        [choices.of(['T', 'TU', 'TM', 'Rect', 'MaxLen', 'OC', 'Opt', 'Parent', unknownKey(choices)])]:
          choices.of(['(a)', '[1 2 3 4]', '<<>>']),
      }),
  },
  {
    rule: 'structure growth',
    least: 3,
    permitted: elements(() => ''),
    beside: elements(
      (choices) =>
        `/${choices.of(['Alt', 'ActualText', 'E', 'T', 'Lang', 'A', 'C', 'AF', unknownKey(choices)])}(${choices.text(5)})`,
    ),
  },
  {
    rule: 'the same content, rewritten',
    least: 1,
    permitted: resources(() => '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'),
    beside: resources(
      (choices) =>
        `<</Type/Font/Subtype/Type1/BaseFont/${choices.of(['Courier', 'Symbol', 'Times'])}${choices.of(['', '/Encoding/WinAnsiEncoding'])}>>`,
    ),
  },
];

describe.each(RULES)('the rule for $rule', ({ permitted, least, beside }) => {
  test('permits random changes of its kind', () => {
    expect(seedsWhere(false, permitted)).toEqual([]);
    expect(seedsWhere(false, permitted, least)).toEqual([]);
  });

  test('permits no random changes of other kinds', () => {
    expect(seedsWhere(true, beside)).toEqual([]);
  });

  test('permits nothing to a stricter certification', () => {
    if (least === 1) return;
    expect(seedsWhere(true, permitted, least === 3 ? 2 : 1)).toEqual([]);
  });
});

test('a change of one kind does not excuse a change of another', () => {
  const all = RULES.filter(({ rule }) => rule !== 'validation data');
  const mixed: Make = (edit, choices) => {
    choices.of(all).permitted(edit, choices);
    edit.put(4, stream('', `BT /F1 12 Tf 50 500 Td (${choices.text(9)}) Tj ET`));
  };
  expect(seedsWhere(true, mixed)).toEqual([]);
});
