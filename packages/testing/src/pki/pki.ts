import type { Authority } from './authority.ts';
import { buildCrl } from './crl.ts';
import type { Identity, IssueRequest } from './identity.ts';
import type { KeyType } from './keys.ts';
import { type Answer, type Loopback, startLoopback, type Visit } from './loopback.ts';
import { createRegistry } from './registry.ts';
import { authorityRoutes, type Faults, issueStampers, stampAnswer } from './routes.ts';
import type { TsaOptions } from './time-stamp.ts';

export interface PkiOptions {
  /** Key type of the authorities; `p-256` by default. */
  authorityKeyType?: KeyType;
  /** Key type of the time-stamping authority; `rsa-2048` by default. */
  tsaKeyType?: KeyType;
  /**
   * Signers of OCSP responses: a responder whose certificate is exempt from status checks (by default), one whose
   * certificate is not, or each authority itself.
   */
  responders?: 'unchecked' | 'checked' | 'none';
}

export interface Pki {
  root: Identity;
  /** Issued by the root; issues everything else. */
  intermediate: Identity;
  /** The time-stamping authority. */
  tsa: Identity;
  tsaUrl: string;
  /** An entry of `FETCH_ALLOW` that opens the servers of this PKI. */
  fetchAllow: string;
  /** Active faults; set one, and remove it with undefined. */
  faults: Faults;
  /** Options of the time-stamping authority, such as its current time. */
  tsaOptions: Pick<TsaOptions, 'time' | 'hasOldEss' | 'isBer'>;
  /** Every request to its servers. */
  visits: Visit[];
  /** A certificate of the intermediate authority, or of `issuer`. */
  issue(request: IssueRequest): Promise<Identity>;
  /** Its issuer reports it as revoked, by default since an hour ago. `reason` is a CRLReason (RFC 5280 §5.3.1). */
  revoke(identity: Identity, revocation?: { at?: Date; reason?: number }): void;
  /** The signer of an authority's OCSP responses. */
  responderOf(authority: Identity): Identity;
  /** The current list of an authority in DER. */
  crlOf(authority: Identity): Buffer;
  close(): Promise<void>;
}

/**
 * A certification authority in two levels with OCSP responders, revocation lists and a time-stamping authority (RFC
 * 3161), with real signatures, on a port of 127.0.0.1.
 */
export async function createPki(options: PkiOptions = {}): Promise<Pki> {
  const routes: Routes = new Map();
  const server = await startLoopback(routes);
  try {
    return await build(options, server, routes);
  } catch (error) {
    await server.close();
    throw error;
  }
}

type Routes = Map<string, (visit: Visit) => Answer>;

async function build(options: PkiOptions, server: Loopback, routes: Routes): Promise<Pki> {
  const { authorityKeyType: keyType = 'p-256', tsaKeyType = 'rsa-2048', responders = 'unchecked' } = options;
  const origin = `http://127.0.0.1:${server.port}`;
  const faults: Faults = {};
  const tsaOptions: Pki['tsaOptions'] = {};
  const onAuthority = (authority: Authority): void => {
    for (const [end, respond] of authorityRoutes(authority, () => strange, faults))
      routes.set(`/${authority.identity.serialNumber}/${end}`, respond);
  };
  const registry = createRegistry({ origin, responders, onAuthority });
  const stranger = await registry.issueRoot({ name: 'Strange Root', keyType });
  const strange = registry.authorityOf(stranger);
  const root = await registry.issueRoot({ name: 'Test Root', keyType });
  const ca = { pathLength: 1 };
  const intermediate = await registry.issue({ name: 'Test Issuer', keyType, issuer: root, ca });
  const issue: Pki['issue'] = (request) => registry.issue({ issuer: intermediate, ...request });
  const stampers = await issueStampers(issue, tsaKeyType);
  routes.set('/tsa', ({ body }) =>
    stampAnswer(body, stampers, { stranger, fault: faults.tsa, ...tsaOptions }),
  );
  return {
    root,
    intermediate,
    tsa: stampers.right,
    tsaUrl: `${origin}/tsa`,
    fetchAllow: `127.0.0.1:${server.port}`,
    faults,
    tsaOptions,
    visits: server.visits,
    issue,
    revoke: registry.revoke,
    responderOf: (identity) => registry.authorityOf(identity).responder ?? identity,
    crlOf: (identity) => buildCrl(registry.authorityOf(identity), strange),
    close: server.close,
  };
}
