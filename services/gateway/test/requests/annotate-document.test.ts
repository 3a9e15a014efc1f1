import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Rig, startRig } from '../rigs/rig.ts';

let rig: Rig;
let key: string;
beforeAll(async () => {
  rig = await startRig({ UPLOAD_BYTES_MAX: '600000' });
  ({ key } = await rig.newKey());
});
afterAll(() => rig.close());

describe('a document is rejected', () => {
  const refused = async (base64: string) => {
    const response = await rig.postJson(key, '/v1/annotate', { document: { base64 }, fields: [] });
    return { status: response.status, ...((await response.json()) as { code: string; details?: unknown[] }) };
  };
  const NOT_BASE64 = 'is not base64 (RFC 4648 §4, padded, without line breaks)';
  test.each([
    ['with an invalid character', 'UEsD!AAA', NOT_BASE64],
    ['with a line break', 'UEsD\nUEs=', NOT_BASE64],
    ['without its padding', 'UEs', NOT_BASE64],
    ['with its padding in the middle', 'UEs=UEsD', NOT_BASE64],
    ['in the URL-safe alphabet', 'UE-_', NOT_BASE64],
    ['as a URL in base64', 'https://example.com/a.docx', NOT_BASE64],
    ['as a truncated data URI', 'data:application/octet-stream;base64,UEs', NOT_BASE64],
    [
      'as a data URI of text',
      'data:text/plain;base64,UEsD',
      'is a data URI with a media type that is not a document',
    ],
    ['as a data URI that is not in base64', 'data:application/zip,PK', 'is a data URI without `;base64`'],
    ['as a data URI without a comma', `data:application/zip;base64${'x'.repeat(300)}`, NOT_BASE64],
  ])('%s', async (_name, base64, issue) => {
    expect(await refused(base64)).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      details: [{ field: 'document.base64', issue }],
    });
  });

  test('if it is empty', async () => {
    expect(await refused('')).toMatchObject({ status: 400, code: 'INVALID_FILE_FORMAT' });
    expect(await refused('data:;base64,')).toMatchObject({ status: 400, code: 'INVALID_FILE_FORMAT' });
  });

  test('if it is too large, before it is decoded', async () => {
    const base64 = 'A'.repeat(800_004);
    expect(await refused(base64)).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The document exceeds the limit of 600000 bytes.',
    });
  });
});
