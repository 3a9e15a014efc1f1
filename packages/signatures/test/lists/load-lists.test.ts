import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { type ListContent, trustedList } from '@scriptorium/testing/pki/trusted-list';
import type { KeptLists } from '../../src/lists/trusted-lists.ts';
import { ADDRESS, codeOf, loaded, scheme } from './a-list.ts';

let pki: Pki;
let operator: Identity;
let second: Identity;
let stranger: Identity;
beforeAll(async () => {
  pki = await createPki();
  operator = await pki.issue({ name: 'Operator' });
  second = await pki.issue({ name: 'Later operator' });
  stranger = await pki.issue({ name: 'Stranger' });
});
afterAll(() => pki.close());

const since = new Date('2020-01-01T00:00:00Z');
const content = (change: Partial<ListContent> = {}): ListContent => ({
  sequence: 7,
  services: [{ identities: [pki.intermediate], states: [{ since }] }],
  ...change,
});
const BE = 'https://be.example/tl.xml';
const shown = ({ lists, missing }: KeptLists): string[] => [
  ...lists.map(
    ({ territory, sequence, services }) => `${territory} ${sequence}, ${services.length} services`,
  ),
  ...missing.map(({ territory, fault }) => `${territory} ${fault}`),
];
const replacing = (files: Map<string, Buffer>, address: string, bytes: Buffer) =>
  new Map(files).set(address, bytes);

describe('the list of lists', () => {
  test('names the lists of all countries, and each is read with its own signers', async () => {
    const files = scheme(operator, [content(), content({ territory: 'EL', sequence: 3 })]);
    expect(shown(await loaded(operator, files))).toEqual(['BE 7, 1 services', 'EL 3, 1 services']);
  });

  test('that a stranger signed is refused, whatever former ones it names', async () => {
    const addresses = ['https://lists.example/pivot.xml', 'https://elsewhere.example/pivot.xml'];
    const files = scheme(stranger, [content()], { addresses });
    const read: string[] = [];
    const reading = loaded(operator, files, {
      read: async (address) => {
        read.push(address);
        return files.get(ADDRESS) ?? Buffer.alloc(0);
      },
    });
    expect(await codeOf(reading)).toBe('LIST_SIGNER_UNKNOWN');
    expect(read).toEqual([ADDRESS, 'https://lists.example/pivot.xml']);
  });

  test('of a country does not pass for it', async () => {
    const files = scheme(operator, [content()]);
    expect(await codeOf(loaded(operator, replacing(files, ADDRESS, files.get(BE) as Buffer)))).toBe(
      'LIST_OF_ANOTHER_SCHEME',
    );
  });

  test('with a lower number than before is refused', async () => {
    const former = await loaded(operator, scheme(operator, [content()], { sequence: 5 }));
    const older = scheme(operator, [content()], { sequence: 4 });
    expect(await codeOf(loaded(operator, older, { former }))).toBe('LIST_OLDER_THAN_KNOWN');
  });
});

describe('new signers of the list of lists', () => {
  const [FIRST, SECOND] = ['https://lists.example/pivot-1.xml', 'https://lists.example/pivot-2.xml'];
  const self = (...signers: Identity[]) => [{ url: ADDRESS, territory: 'EU', signers }];
  const DAY_MS = 24 * 3_600_000;

  test('count if former lists of lists name them, from one that a known signer signed', async () => {
    const third = await pki.issue({ name: 'Third operator' });
    const past = {
      notBefore: new Date(Date.now() - 20 * DAY_MS),
      notAfter: new Date(Date.now() - 5 * DAY_MS),
    };
    const expired = await pki.issue({ name: 'Second operator', ...past });
    const issued = new Date(Date.now() - 10 * DAY_MS);
    const files = scheme(third, [content()], { addresses: [SECOND, FIRST, 'https://example.eu/journal'] });
    files.set(FIRST, trustedList({ isListOfLists: true, pointers: self(expired) }, operator));
    files.set(SECOND, trustedList({ isListOfLists: true, issued, pointers: self(third) }, expired));
    expect(shown(await loaded(operator, files))).toEqual(['BE 7, 1 services']);
  });

  test('do not count if the former one names others, or a stranger signed it', async () => {
    const files = scheme(second, [content()], { addresses: [FIRST] });
    const named = trustedList({ isListOfLists: true, pointers: self(stranger) }, operator);
    expect(await codeOf(loaded(operator, replacing(files, FIRST, named)))).toBe('LIST_SIGNER_UNKNOWN');
    const signed = trustedList({ isListOfLists: true, pointers: self(second) }, stranger);
    expect(await codeOf(loaded(operator, replacing(files, FIRST, signed)))).toBe('LIST_SIGNER_UNKNOWN');
    const changed = Buffer.from(
      trustedList({ isListOfLists: true, pointers: self(second), sequence: 1 }, operator)
        .toString()
        .replace('Number>1<', 'Number>2<'),
    );
    expect(await codeOf(loaded(operator, replacing(files, FIRST, changed)))).toBe('LIST_SIGNATURE_INVALID');
  });
});

describe('the list of a country', () => {
  const forged: [string, string, () => Buffer][] = [
    [
      'LIST_SIGNER_UNKNOWN',
      'that a key signed which the list of lists does not name',
      () => trustedList(content({ sequence: 8 }), stranger),
    ],
    [
      'LIST_OF_ANOTHER_SCHEME',
      'of another country',
      () => trustedList(content({ territory: 'FR' }), operator),
    ],
    [
      'LIST_OF_ANOTHER_SCHEME',
      'that is a list of lists',
      () => trustedList({ isListOfLists: true, territory: 'BE' }, operator),
    ],
    ['LIST_OLDER_THAN_KNOWN', 'with a lower number', () => trustedList(content({ sequence: 6 }), operator)],
    ['LIST_UNREADABLE', 'that is a page', () => Buffer.from('<!DOCTYPE html><html></html>')],
  ];
  test.each(forged)('is not used (%s) %s: the former one stays', async (code, _what, bytes) => {
    const files = scheme(operator, [content()]);
    const former = await loaded(operator, files);
    const kept = await loaded(operator, replacing(files, BE, bytes()), { former });
    expect(shown(kept)).toEqual(['BE 7, 1 services', `BE ${code}`]);
  });

  test('outside of the Union is not read: its types and statuses mean something else', async () => {
    const pointers = [{ url: BE, territory: 'ZZ', signers: [operator], type: 'ZZlist' }];
    const files = replacing(
      scheme(operator, [content({ territory: 'ZZ', type: 'ZZlist' })]),
      ADDRESS,
      trustedList({ isListOfLists: true, pointers }, operator),
    );
    expect(shown(await loaded(operator, files))).toEqual([]);
    const posing = scheme(operator, [content({ type: 'ZZlist' })]);
    expect(shown(await loaded(operator, posing))).toEqual(['BE LIST_OF_ANOTHER_SCHEME']);
  });

  test('does not stay if its signer may no longer sign it', async () => {
    const former = await loaded(operator, scheme(operator, [content()]));
    const pointers = [{ url: BE, territory: 'BE', signers: [second] }];
    const files = replacing(
      scheme(operator, [content()]),
      ADDRESS,
      trustedList({ isListOfLists: true, sequence: 2, pointers }, operator),
    );
    expect(shown(await loaded(operator, files, { former }))).toEqual(['BE LIST_SIGNER_UNKNOWN']);
  });
});
