import type { Update } from '@scriptorium/pdf/update';
import { classicPdf, xrefStreamPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { appended } from '../../pdf-changes/revisions.ts';
import type { GoodFile } from '../attack.ts';
import type { LabSigning } from '../lab.ts';
import { CONTRACT, contractBodies, xmp } from './contract-pdf.ts';
import { changeCatalog, changeObject, dictOf, updated } from './edit.ts';
import { type HonestChange, keys, ref } from './honest-change.ts';
import { COMMENTS, COMMENTS_AGAIN } from './honest-comments.ts';
import { LOOKS, SAVED } from './honest-looks.ts';
import { FILLING, SIGNATURES } from './honest-signing.ts';

const { form, name, page, info } = CONTRACT;

const textOf = (update: Update, num: number): string => {
  const { source, start, end } = dictOf(update, ref(num));
  return source.toString('latin1', start, end);
};
const bookkeeping: HonestChange[] = [
  {
    name: 'saved again: a date and a program',
    least: 1,
    modifications: ['METADATA'],
    change: keys(info, { ModDate: '(D:20260202000000Z)', Producer: '(B)' }),
  },
  {
    name: 'saved again: a date in the metadata',
    least: 1,
    modifications: ['METADATA'],
    change: (update) => update.replace(ref(CONTRACT.metadata), xmp('Agreement', '2026-02-02T00:00:00Z')),
  },
  {
    name: 'given extensions and a version',
    least: 1,
    modifications: ['METADATA'],
    change: (update) =>
      changeCatalog(update, {
        Version: '/2.0',
        Extensions: '<</ESIC<</BaseVersion/1.7/ExtensionLevel 5>>>>',
      }),
  },
  {
    name: 'written again with a page of the same resources',
    least: 1,
    modifications: [],
    change: (update) => {
      const resources = update.add('<</Font<</F1 5 0 R>>>>');
      changeObject(update, ref(page), { Resources: resources.toString() });
    },
  },
  {
    name: 'written again with copies of the resources',
    least: 1,
    modifications: ['METADATA'],
    change: (update) => {
      const font = update.add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>');
      const resources = update.add(`<</Font<</F1 ${font}>>>>`);
      changeObject(update, ref(page), { Resources: resources.toString(), LastModified: '(D:20260101)' });
    },
  },
  {
    name: 'written again as it was',
    least: 1,
    modifications: [],
    change: (update) => {
      for (const num of [1, 2, 3, 5, 6, 7, 10, 21, 23]) update.replace(ref(num), textOf(update, num));
    },
  },
  {
    name: 'given objects that nothing refers to',
    least: 1,
    modifications: [],
    change: (update) => void update.add('<</Type/Page>>'),
  },
  {
    name: 'given a title',
    least: 2,
    modifications: ['METADATA'],
    change: keys(info, { Title: '(Contract)' }),
  },
  {
    name: 'given a title in the metadata',
    least: 2,
    modifications: ['METADATA'],
    change: (update) => update.replace(ref(CONTRACT.metadata), xmp('Contract')),
  },
  {
    name: 'given another order of fields',
    least: 2,
    modifications: ['METADATA'],
    change: keys(page, { Tabs: '/R' }),
  },
  {
    name: 'given fonts for its form',
    least: 2,
    modifications: [],
    change: keys(form, { DR: '<</Font<</Helv 5 0 R/F2 5 0 R>>>>' }),
  },
  { name: 'given an alignment for its form', least: 2, modifications: [], change: keys(form, { Q: '0' }) },
  {
    name: 'given flags of its form',
    least: 1,
    modifications: [],
    change: keys(form, { SigFlags: '3', NeedAppearances: 'false' }),
  },
  {
    name: 'given a default appearance of a field',
    least: 2,
    modifications: [],
    change: keys(name, { DA: '(/Helv 12 Tf 0 g)' }),
  },
  {
    name: 'locked in one field',
    least: 2,
    modifications: ['FIELD_CHANGED'],
    change: keys(name, { Ff: '1' }),
  },
  {
    name: 'locked in one widget',
    least: 2,
    modifications: ['FIELD_CHANGED'],
    change: keys(name, { F: '132' }),
  },
  {
    name: 'given a catalog of another number',
    least: 1,
    modifications: [],
    make: (_, pdf) => {
      let body = '';
      updated(pdf, (update) => {
        const { source, start, end } = update.document.catalog.value;
        body = source.toString('latin1', start, end);
      });
      return appended(pdf, [{ num: 70, body }], '/Root 70 0 R/Info 26 0 R');
    },
  },
];

const ALL = [...SIGNATURES, ...FILLING, ...LOOKS, ...SAVED, ...bookkeeping, ...COMMENTS, ...COMMENTS_AGAIN];
const SIGNINGS: readonly [string, 1 | 2 | 3, LabSigning][] = [
  ['signed', 3, {}],
  ['certified at 3', 3, { certify: 'annotations' }],
  ['certified at 2', 2, { certify: 'formFilling' }],
  ['certified at 1', 1, { certify: 'noChanges' }],
];
const FILES: readonly [string, () => Buffer][] = [
  ['a table', () => classicPdf(contractBodies(), '/Info 26 0 R')],
  ['a cross-reference stream', () => xrefStreamPdf(contractBodies(), '/Info 26 0 R')],
];

/** Usual changes of a signed contract, for each signature that permits them, in two file forms. */
export const HONEST_UPDATES: readonly GoodFile[] = ALL.flatMap((honest) =>
  SIGNINGS.filter(([, level]) => level >= honest.least).flatMap(([kind, , signing]) =>
    // A table cannot continue a cross-reference stream.
    FILES.slice(0, honest.name.includes('another number') ? 1 : 2).map(
      ([file, make]): GoodFile => ({
        name: `a tagged contract with ${file}, ${kind}, then ${honest.name}`,
        signatures: honest.signatures ?? 1,
        documentModified: honest.modifications.length === 0 ? 'no' : 'permitted',
        modifications: honest.modifications,
        make: async (lab) => {
          const signed = await lab.sign(make(), signing);
          if (honest.make) return honest.make(lab, signed);
          return updated(signed, honest.change ?? (() => undefined));
        },
      }),
    ),
  ),
);
