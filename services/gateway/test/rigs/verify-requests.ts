import { expect } from '@jest/globals';
import type { AppError } from '@scriptorium/contracts/errors';
import { validate } from '@scriptorium/shared/http/validation';
import { verification } from '@scriptorium/signatures/verify-report';
import { verificationOf, verifyRequestBody } from '../../src/requests/verify-request.ts';

const document = { base64: 'JVBERi0=' };
export const having = (more: object) => ({ document, ...more });
export const trusting = (trust: unknown) => having({ trust });
export const anchored = (...anchors: unknown[]) => trusting({ anchors });

/** Returns the request as the verifier gets it. */
export const verificationFor = (more: object) =>
  verification.parse(JSON.parse(JSON.stringify(verificationOf(validate(verifyRequestBody, having(more))))));

/** Returns all issues of a request as `path: issue`. */
export function issuesOf(body: unknown): string[] {
  try {
    validate(verifyRequestBody, body);
  } catch (error) {
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
    return ((error as AppError).details ?? []).map(({ field, issue }) => `${field}: ${issue}`);
  }
  throw new Error('the request was accepted');
}
