import { readCertificate } from '@scriptorium/pki/certificates';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { type ListContent, trustedList } from '@scriptorium/testing/pki/trusted-list';
import type { TrustedListError } from '../../src/lists/list-error.ts';
import { type LoadOptions, loadLists } from '../../src/lists/load-lists.ts';
import { type KeptLists, TrustedLists } from '../../src/lists/trusted-lists.ts';

export const ADDRESS = 'https://lists.example/lotl.xml';

/** The list of lists and the lists that these operators sign, by address. */
export function scheme(
  operator: Identity,
  lists: ListContent[],
  listOfLists: ListContent = {},
): Map<string, Buffer> {
  const addressOf = ({ territory = 'BE' }: ListContent) =>
    `https://${territory.toLowerCase()}.example/tl.xml`;
  const pointers = lists.map((list) => ({
    url: addressOf(list),
    territory: list.territory ?? 'BE',
    signers: [operator],
  }));
  return new Map([
    [ADDRESS, trustedList({ isListOfLists: true, pointers, ...listOfLists }, operator)],
    ...lists.map((list): [string, Buffer] => [addressOf(list), trustedList(list, operator)]),
  ]);
}

export function loaded(
  operator: Identity,
  files: ReadonlyMap<string, Buffer>,
  change: Partial<LoadOptions> = {},
): Promise<KeptLists> {
  return loadLists({
    address: ADDRESS,
    signers: [readCertificate(operator.der)],
    read: async (address) => files.get(address) ?? Buffer.alloc(0),
    now: new Date(),
    ...change,
  });
}

export const listsOf = async (operator: Identity, ...lists: ListContent[]): Promise<TrustedLists> =>
  new TrustedLists(JSON.parse(JSON.stringify(await loaded(operator, scheme(operator, lists)))));

export const codeOf = (load: Promise<unknown>): Promise<string> =>
  load.then(
    () => 'loaded',
    ({ code, message }: TrustedListError) => code ?? message,
  );
