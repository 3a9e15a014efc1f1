import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificateOf } from '@scriptorium/pki/certificates';
import type { RawSigner } from '@scriptorium/pki/keys';
import type { SignatureEvidence } from '../../../src/evidence.ts';
import { readDocxEvidence } from '../../../src/opc/docx-evidence.ts';
import { type DocxOptions, signDocx } from '../../../src/opc/sign-docx.ts';
import { REASONS, type ReasonCode } from '../../../src/reasons.ts';
import { verify } from '../../../src/verification/verify-document.ts';
import type { VerifyReply } from '../../../src/verify-report.ts';
import { letter } from '../../docx/documents.ts';
import { filesOf } from '../../docx/judges.ts';
import { TestKeys } from '../../docx/keys.ts';
import { type Files, packed } from '../../docx/resigned.ts';

/** Keys, and a letter signed with one of them. */
export class DocxLab {
  readonly #folder = mkdtempSync(join(tmpdir(), 'docx-lab-'));
  readonly keys = new TestKeys(this.#folder);

  get signer(): RawSigner {
    return this.keys.signer('rsa');
  }

  async sign(bytes: Buffer = letter(), options: Partial<DocxOptions> = {}): Promise<Buffer> {
    const signingTime = new Date('2026-03-04T05:06:07Z');
    return (await signDocx(bytes, { signer: this.signer, level: 'B-B', signingTime, ...options })).bytes;
  }

  /** Returns the signed letter after a change to its files. */
  async attacked(change: (files: Files, signer: RawSigner) => unknown): Promise<Buffer> {
    const files = await filesOf(await this.sign(letter(), { auditTrail: '{"id":"1"}' }));
    await change(files, this.signer);
    return packed(files);
  }

  /** Verifies a document with the authority of these keys as anchor. */
  verify(source: Buffer): Promise<VerifyReply> {
    const [, authority] = this.signer.certificates;
    if (authority === undefined) throw new Error('the signer has no authority');
    const unreachable = { fetch: () => Promise.reject(new Error('fetching is not expected')) };
    return verify(
      { source, verification: { trust: { anchors: [] }, revocation: 'none' } },
      { now: () => new Date(), service: [], anchors: () => [certificateOf(authority)], fetcher: unreachable },
    );
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export async function evidenceOf(bytes: Buffer): Promise<SignatureEvidence[]> {
  return (await readDocxEvidence(bytes)).signatures;
}

/** Returns the faults of a document's signatures, regardless of trust. */
export async function objectionsTo(bytes: Buffer): Promise<ReasonCode[]> {
  const codes = (await evidenceOf(bytes)).flatMap(({ faults }) => faults.map(({ code }) => code));
  return [...new Set(codes)].filter((code) => ['error', 'doubt'].includes(REASONS[code].severity)).sort();
}
