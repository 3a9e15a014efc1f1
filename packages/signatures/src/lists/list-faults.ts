import { type Certificate, displayName, type JudgedAs } from '@scriptorium/pki/certificates';
import type { Fault } from '../reasons.ts';
import { isActiveAt, type TrustedLists } from './trusted-lists.ts';

/** What is against a path that ends at a service of a list. */
export function faultsOfService(
  lists: TrustedLists,
  anchor: Certificate,
  { time, usage, validationTime }: JudgedAs & { validationTime: Date },
): Fault[] {
  const listed = lists.servicesOf(anchor);
  const active = listed.filter(({ service }) =>
    [time, validationTime].some((at) => isActiveAt(service, at, usage)),
  );
  if (active.length === 0)
    return [
      {
        code: 'TRUSTED_SERVICE_WITHDRAWN',
        message: `By the trusted list, “${displayName(anchor)}” was not a trusted service at the time of signing.`,
      },
    ];
  const times = active.map(({ list }) => lists.staleFrom(list));
  const stale = times.every((each) => each !== undefined && each < validationTime) ? times[0] : undefined;
  if (stale === undefined) return [];
  const message = `The trusted list that names “${displayName(anchor)}” was to be replaced by ${stale.toISOString().slice(0, 10)}, and the newer one is not known.`;
  return [{ code: 'TRUSTED_LIST_STALE', message }];
}

/** What is against a path without an anchor: the list of its country may be unknown. */
export function faultsOfMissing(lists: TrustedLists, path: readonly Certificate[]): Fault[] {
  const territory = lists.missingFor(path);
  if (territory === undefined) return [];
  const message = `The trusted list of ${territory}, which may name the authority, could not be used.`;
  return [{ code: 'TRUSTED_LIST_MISSING', message }];
}
