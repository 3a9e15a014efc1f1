import type { Identity } from './identity.ts';

export interface Revocation {
  at: Date;
  /** CRLReason, RFC 5280 §5.3.1. */
  reason: number;
}

/** A certification authority's records of its certificates. */
export interface Authority {
  identity: Identity;
  /** Serial numbers of issued certificates, hexadecimal. */
  issued: Set<string>;
  revoked: Map<string, Revocation>;
  /** Signs its OCSP responses; undefined if the authority signs them itself. */
  responder: Identity | undefined;
  /** Certified by it, but not for OCSP. */
  wrongResponder: Identity;
}
