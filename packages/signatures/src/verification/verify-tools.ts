import type { Certificate } from '@scriptorium/pki/certificates';
import type { Fetcher } from '@scriptorium/pki/fetcher';
import type { ComparedRevisions, ComparisonRequest } from '@scriptorium/rendering/compare-revisions';
import type { TrustedLists } from '../lists/trusted-lists.ts';
import type { Verification } from '../verify-report.ts';

/** Renders and compares pages, where a document that hangs it or exhausts its memory can be stopped. */
export interface Renderer {
  /** Returns why it could not, as the end of a sentence, or what `compareRevisions` of the package `rendering` returns. */
  compare(request: ComparisonRequest): Promise<ComparedRevisions | string>;
}

/** A reader that repairs files in its own way. It draws again what the first one found to look the same. */
export interface SecondReader extends Renderer {
  /** As reasons name it. */
  readonly name: string;
}

/** What verifying needs besides the document. */
export interface VerifyTools {
  now(): Date;
  /** The chains of the service's own keys: each certificate first, then its issuers. */
  service: readonly (readonly Certificate[])[];
  /** Returns the trust anchors of a request. Throws VALIDATION_ERROR for an unknown profile or an invalid certificate. */
  anchors(trust: Verification['trust']): readonly Certificate[];
  /** Returns the trusted lists, if the request wants them. Throws UNAVAILABLE if they are not known yet. */
  lists?(trust: Verification['trust']): TrustedLists | undefined;
  /** Reaches authorities if a request allows it. */
  fetcher: Fetcher;
  /** Without it, pages are not compared. */
  renderer?: Renderer;
  /** Without it, one reader decides. */
  secondReader?: SecondReader | undefined;
}

export interface VerifyRequest {
  source: Buffer;
  verification: Verification;
  /** The password of an encrypted PDF, of its user or owner; must not be logged. */
  password?: string | undefined;
}
