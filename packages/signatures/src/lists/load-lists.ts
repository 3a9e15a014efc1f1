import type { Certificate } from '@scriptorium/pki/certificates';
import { type ListFault, TrustedListError } from './list-error.ts';
import { claimedAddresses, openList } from './open-list.ts';
import type { ListPointer, TrustedList } from './read-list.ts';
import type { KeptList, KeptLists } from './trusted-lists.ts';

const PIVOTS_MAX = 10;

export interface LoadOptions {
  /** Where the list of lists is. */
  address: string;
  /** The certificates that the operator names: one of their keys signed the list of lists, or a former one. */
  signers: readonly Certificate[];
  /** Returns the bytes of a list. Rejects with TrustedListError. */
  read(address: string, territory: string): Promise<Buffer>;
  now: Date;
  /** What was loaded before. */
  former?: KeptLists | undefined;
}

/**
 * Loads the list of lists and the lists that it names (ETSI TS 119 615, 4.1 and 4.2). A list that must not be used is
 * `missing`, and the former one stays, unless its signer may no longer sign it. Rejects with TrustedListError if the list
 * of lists must not be used: then everything stays.
 */
export async function loadLists(options: LoadOptions): Promise<KeptLists> {
  const { former, now } = options;
  const { sequence, issuedMs, nextUpdateMs, pointers } = await openListOfLists(options);
  if (former !== undefined && sequence < former.listOfLists.sequence)
    throw new TrustedListError('LIST_OLDER_THAN_KNOWN', `its number is ${sequence}`);
  const kept: KeptLists = {
    listOfLists: { sequence, issuedMs, ...(nextUpdateMs !== undefined && { nextUpdateMs }) },
    lists: [],
    missing: [],
  };
  const national = new Map(
    pointers.filter(({ kind }) => kind === 'national').map((each) => [each.territory, each]),
  );
  for (const pointer of national.values()) {
    const before = former?.lists.find(({ territory }) => territory === pointer.territory);
    try {
      kept.lists.push(await loadList(pointer, before, { ...options, now }));
    } catch (error) {
      if (!(error instanceof TrustedListError)) throw error;
      kept.missing.push({ territory: pointer.territory, fault: error.code, why: error.message });
      if (before !== undefined && isSigner(before.signedBy, pointer.signers)) kept.lists.push(before);
    }
  }
  return kept;
}

const isSigner = (fingerprint: string, signers: readonly Certificate[]): boolean =>
  signers.some(({ x509 }) => x509.fingerprint256 === fingerprint);

async function loadList(
  { url, territory, signers }: ListPointer,
  before: KeptList | undefined,
  { read, now }: LoadOptions,
): Promise<KeptList> {
  const { list, signer } = openList(await read(url, territory), { signers, now });
  if (list.territory !== territory || list.kind !== 'national')
    throw new TrustedListError('LIST_OF_ANOTHER_SCHEME', `it is a list of ${list.territory}`);
  if (before !== undefined && list.sequence < before.sequence)
    throw new TrustedListError('LIST_OLDER_THAN_KNOWN', `its number is ${list.sequence}`);
  const { sequence, issuedMs, nextUpdateMs, services } = list;
  return {
    territory,
    sequence,
    issuedMs,
    ...(nextUpdateMs !== undefined && { nextUpdateMs }),
    services,
    signedBy: signer.x509.fingerprint256,
  };
}

/** Follows the former lists of lists that name new signers (pivots), from one that a known signer signed. */
async function openListOfLists({ address, signers, read, now }: LoadOptions): Promise<TrustedList> {
  const bytes = await read(address, 'EU');
  const newer: Buffer[] = [];
  let [next, pivots]: [Buffer, string[]] = [bytes, claimedAddresses(bytes, address).slice(0, PIVOTS_MAX)];
  for (;;) {
    try {
      const opened = openListOfAll(next, signers, now, next !== bytes);
      return newer.reduceRight(
        (known, later) => openListOfAll(later, nextSigners(known), now, later !== bytes),
        opened,
      );
    } catch (error) {
      const [pivot, ...older] = pivots;
      const isUnknown =
        error instanceof TrustedListError && error.code === ('LIST_SIGNER_UNKNOWN' satisfies ListFault);
      if (!isUnknown || pivot === undefined) throw error;
      newer.push(next);
      [next, pivots] = [await read(pivot, 'EU'), older];
    }
  }
}

const nextSigners = ({ pointers }: TrustedList): Certificate[] =>
  pointers.filter(({ kind }) => kind === 'listOfLists').flatMap(({ signers }) => signers);

function openListOfAll(
  bytes: Buffer,
  signers: readonly Certificate[],
  now: Date,
  isPast: boolean,
): TrustedList {
  const { list } = openList(bytes, { signers, now, isPast });
  if (list.kind !== 'listOfLists')
    throw new TrustedListError('LIST_OF_ANOTHER_SCHEME', 'it is not the list of lists');
  return list;
}
