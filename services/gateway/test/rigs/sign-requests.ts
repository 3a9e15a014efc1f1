import { expect } from '@jest/globals';
import type { AppError, ErrorDetail } from '@scriptorium/contracts/errors';
import { validate } from '@scriptorium/shared/http/validation';
import { type CallerKey, signing } from '@scriptorium/signatures/sign-request';
import { selfSigned } from '@scriptorium/testing/fixtures/self-signed';
import type { z } from 'zod';
import { signRequestBody } from '../../src/requests/sign-request.ts';
import { signingKeysOf, signingOf } from '../../src/requests/signing.ts';

export const document = { base64: 'JVBERi0=' };
export const signer = { name: 'Ada Lovelace', email: 'ada@example.com' };
export const submit = { type: 'submit', timestamp: '2026-05-01T12:00:00Z' };
/** The request of the original clients. */
export const plain = { document, signer, auditTrail: [submit] };
export const { cert, key: privateKey } = selfSigned('ada.example');
export const der = cert.replace(/-----[^-]+-----|\s/g, '');
export const p12 = { base64: Buffer.from('a PKCS #12 file').toString('base64'), password: 'Trustno1' };
export const pem = { privateKey, certificates: cert };
export const external = { certificates: [cert], algorithm: 'ecdsa', hash: 'sha256' };
export const rectangle = { x: 0, y: 0, width: 100, height: 50 };

function detailsOf(body: unknown, schema: z.ZodType): ErrorDetail[] {
  try {
    validate(schema, body);
  } catch (error) {
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(JSON.stringify(error) + (error as AppError).message).not.toContain('Trustno1');
    return (error as AppError).details ?? [];
  }
  throw new Error('the request was accepted');
}

/** Returns all issues of a request as `path: issue`. They must not contain a password. */
export const issuesOf = (body: unknown, schema: z.ZodType = signRequestBody) =>
  detailsOf(body, schema).map(({ field, issue }) => `${field}: ${issue}`);
export const having = (more: object) => ({ ...plain, ...more });
export const signerWith = (more: object) => having({ signer: { ...signer, ...more } });
export const eventWith = (more: object) => having({ auditTrail: [{ ...submit, ...more }] });
export const keyed = (key: unknown) => having({ key });
export const lookWith = (more: object) => having({ appearance: { page: 1, rectangle, ...more } });

/** Returns the request as the signer gets it, with the opened box of the key of the caller. */
export function signingFor(body: object) {
  const { document: _document, password: _password, ...request } = validate(signRequestBody, body);
  const keys = signingKeysOf(request, (callerKey: CallerKey) => JSON.stringify(callerKey), 'key_ada');
  return signing.parse(JSON.parse(JSON.stringify(signingOf(request, keys))));
}
