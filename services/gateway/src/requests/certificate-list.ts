import { z } from 'zod';
import { listOf } from './bounded-list.ts';
import { certificatesOf } from './certificates.ts';

const CERTIFICATE_CHARS_MAX = 64 * 1024;

/** 1 to `entriesMax` texts, each with one or more certificates in PEM, or one as DER in base64. Parses to DER in base64. */
export const certificateList = (entriesMax: number) =>
  listOf(
    z.string().max(CERTIFICATE_CHARS_MAX, `must have at most ${CERTIFICATE_CHARS_MAX} characters`),
    entriesMax,
  ).transform((texts, context) => {
    const found = texts.map(certificatesOf);
    for (const [at, list] of found.entries())
      if (list === null)
        context.addIssue({
          code: 'custom',
          path: [at],
          message: 'must be a certificate in PEM, or as DER in base64',
        });
    return found.flatMap((list) => list ?? []);
  });
