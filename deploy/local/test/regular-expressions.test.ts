import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { expressionsIn, isSuperLinear } from '../regular-expressions.ts';

const WELL_FORMED = 'XML that is well formed: each sign has its end, and names are short';
const MARK = 'a mark has at most 2,000 characters';
const PICTURE = 'a pattern or picture has at most 255 characters';
const PART_NAME = 'the name of a part';

/** Expressions whose time may grow faster than their text: how many a file has, and what bounds the text. */
const BOUNDED: Readonly<Record<string, readonly [count: number, bound: string]>> = {
  'packages/docx-generate/src/charts/chart-tree.ts': [1, WELL_FORMED],
  'packages/docx-generate/src/charts/columns.ts': [1, 'a format has at most 255 characters'],
  'packages/docx-generate/src/generate/dialects/carbone.ts': [2, MARK],
  'packages/docx-generate/src/generate/dialects/command.ts': [4, MARK],
  'packages/docx-generate/src/generate/dialects/curly.ts': [1, MARK],
  'packages/docx-generate/src/generate/dialects/dotnet.ts': [2, MARK],
  'packages/docx-generate/src/generate/dialects/handlebars.ts': [4, MARK],
  'packages/docx-generate/src/generate/dialects/jinja.ts': [4, MARK],
  'packages/docx-generate/src/generate/dialects/stamper.ts': [
    2,
    'a comment or mark has at most 2,000 characters',
  ],
  'packages/docx-generate/src/generate/dialects/word.ts': [3, MARK],
  'packages/docx-generate/src/generate/dialects/xdocreport.ts': [3, MARK],
  'packages/docx-generate/src/generate/flat-parts.ts': [1, WELL_FORMED],
  'packages/docx-generate/src/generate/marks/group-text.ts': [1, WELL_FORMED],
  'packages/docx-generate/src/generate/marks/scores.ts': [1, MARK],
  'packages/docx-merge/src/look/theme.ts': [1, WELL_FORMED],
  'packages/docx-merge/src/settings.ts': [1, WELL_FORMED],
  'packages/docx-merge/src/source.ts': [1, WELL_FORMED],
  'packages/docx-merge/src/target.ts': [1, PART_NAME],
  'packages/docx-normalize/src/fields/pictures.ts': [1, PICTURE],
  'packages/docx-normalize/src/tables/long-table.ts': [2, WELL_FORMED],
  'packages/docx-template/src/html/css.ts': [1, 'a style has at most 10,000 characters'],
  'packages/docx-template/src/html/properties.ts': [1, WELL_FORMED],
  'packages/docx-template/src/new-parts.ts': [1, PART_NAME],
  'packages/expressions/src/carbone.ts': [2, MARK],
  'packages/expressions/src/date-pieces.ts': [2, PICTURE],
  'packages/expressions/src/formatters/dates.ts': [1, PICTURE],
  'packages/expressions/src/formatters/word-switches.ts': [2, PICTURE],
  'packages/fetching/src/target.ts': [1, 'a URL has at most 4,096 characters'],
  'packages/pdf/src/changes/format-scripts.ts': [
    5,
    'a script of the signed form, or a value of 200 characters',
  ],
  'packages/pdf/src/join/template.ts': [1, 'a number that we print'],
  'packages/rendering/src/navigation.ts': [1, 'an address is cut to its bound'],
  'packages/sanitizer/src/sources/html.ts': [1, 'the first 1,024 bytes'],
  'packages/sealing/src/secret-bytes.ts': [1, 'a setting of the operator'],
  'packages/signatures/src/opc/shown-properties.ts': [1, WELL_FORMED],
  'services/gateway/src/batches/file-names.ts': [1, 'a name has at most 150 characters'],
  'services/gateway/src/http/network.ts': [1, 'the address of a connection'],
  'services/gateway/src/requests/gotenberg-form.ts': [3, 'the name of a file or field of a form'],
  'services/gateway/src/settings/config.ts': [1, 'a setting of the operator'],
};

/** Files that make expressions of texts, which are names of ours and never those of callers. */
const MADE_OF_OUR_NAMES = [
  'packages/docx-generate/src/rows/form-places.ts',
  'packages/docx-merge/src/notes.ts',
  'packages/docx-normalize/src/revisions/names.ts',
  'packages/docx-normalize/src/signing/field-tag.ts',
  'packages/docx-template/src/template/shape-room.ts',
  'packages/fonts/src/scripts.ts',
  'packages/pdf/src/join/claims.ts',
  'packages/sanitizer/src/results/html.ts',
  'packages/sanitizer/src/sources/scripts.ts',
];

const { literals, made } = expressionsIn(fileURLToPath(new URL('../../../', import.meta.url)));

test('regular expressions take a time that grows with their text, or the text has a bound', () => {
  const counts: Record<string, number> = {};
  for (const expression of literals)
    if (isSuperLinear(expression)) counts[expression.file] = (counts[expression.file] ?? 0) + 1;
  expect(counts).toEqual(Object.fromEntries(Object.entries(BOUNDED).map(([file, [count]]) => [file, count])));
});

test('an expression that backtracks is found', () => {
  for (const source of ['(a+)+$', '([\\p{L}_][\\p{L}\\p{N}_.]*)\\s*\\(', '\\s+$'])
    expect([source, isSuperLinear({ file: '', source, flags: 'u' })]).toEqual([source, true]);
  expect(isSuperLinear({ file: '', source: '([\\p{L}_][\\p{L}\\p{N}_.]*)\\s*(\\(?)', flags: 'gu' })).toBe(
    false,
  );
});

test('no expression is made of data', () => {
  const ofData = made.filter(({ argument }) =>
    [...argument.matchAll(/\$\{([^}]*)\}/g)].some(([, name = '']) => !/^[A-Z_]+$/.test(name)),
  );
  expect([...new Set(ofData.map(({ file }) => file))].toSorted()).toEqual(MADE_OF_OUR_NAMES);
  expect(made.filter(({ argument }) => !/^(?:String\.raw)?`/.test(argument))).toEqual([]);
});
