import type { HashAlgorithm } from '@scriptorium/pki/keys/raw-signer';

/** Who makes the CMS. */
export interface CmsMaker {
  hash: HashAlgorithm;
  /** The DER of a detached CMS over what has this digest; at most as long as the gap that was left for it. */
  cms(digest: Buffer): Promise<Buffer>;
}
