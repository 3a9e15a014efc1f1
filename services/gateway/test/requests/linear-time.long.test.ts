import { expect, test } from '@jest/globals';
import { few } from '@scriptorium/testing/extent';
import { growthOf, LINEAR_GROWTH_MAX, unitsOf } from '@scriptorium/testing/growth';
import { emailAddress } from '../../src/auth/address.ts';
import { attachment } from '../../src/documents/file-answer.ts';
import { DATA_BOUNDS, JsonScan } from '../../src/middleware/json-bounds.ts';
import { parseDataUri } from '../../src/requests/base64.ts';
import { certificatesOf } from '../../src/requests/certificates.ts';

/** Readers of texts of callers, and the pieces that their languages are made of. */
const READERS: readonly (readonly [
  name: string,
  read: (text: string) => unknown,
  pieces: readonly string[],
])[] = [
  [
    'JSON',
    (text) => new JsonScan(DATA_BOUNDS, () => {}).push(Buffer.from(text)),
    ['{', '}', '[', ']', '"', '\\', '\\"', ':', ',', '"a":1,', '""', ' ', '\n', '1', 'e', '\u00e9'],
  ],
  ['names of files', attachment, ['a', '.', '"', '\\', '/', ' ', '%', ';', '\u00e9', '\ud83d\ude00', '\r\n']],
  [
    'addresses of mails',
    (text) => emailAddress.safeParse(text),
    ['a', '@', '.', '"', ' ', '\\', '+', '-', '(', '\u00e9'],
  ],
  [
    'data URIs',
    (text) => parseDataUri(`data:${text}`),
    ['a', ';', ',', '=', 'base64', '/', ' ', 'data:', '%'],
  ],
  [
    'certificates',
    certificatesOf,
    ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----', '-----', 'MII', '=', '\n', ' ', 'BEGIN'],
  ],
];

test.each(READERS)(
  'the time for %s grows with the text',
  async (name, read, pieces) => {
    for (const unit of few(unitsOf(pieces, 10, 17), 0, 12)) {
      const isLinear = (await growthOf(read, unit)) < LINEAR_GROWTH_MAX;
      expect({ name, unit, isLinear }).toEqual({ name, unit, isLinear: true });
    }
  },
  600_000,
);
