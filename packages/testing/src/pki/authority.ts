import type { Identity } from './identity.ts';

export interface Revocation {
  at: Date;
  /** CRLReason, RFC 5280 §5.3.1. */
  reason: number;
}

/** What a certification authority knows of its certificates. */
export interface Authority {
  identity: Identity;
  /** Serial numbers of what it issued, hexadecimal. */
  issued: Set<string>;
  revoked: Map<string, Revocation>;
  /** Signs its OCSP answers; undefined where it does so itself. */
  responder: Identity | undefined;
  /** Certified by it, but not for OCSP. */
  wrongResponder: Identity;
}
