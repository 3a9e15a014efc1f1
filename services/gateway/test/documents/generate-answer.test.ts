import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { data, documentOf, type GeneratingRig, startGeneratingRig } from '../rigs/generating-rig.ts';
import { external, signer, submit } from '../rigs/sign-requests.ts';
import { DOCX_TYPE, docx, PDF_TYPE, until } from '../rigs/signing-rig.ts';

let rig: GeneratingRig;
beforeAll(async () => {
  rig = await startGeneratingRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.rig.close());

const sign = { signer, auditTrail: [submit] };

const accepting = (accept: string) => ({ headers: { accept } });

async function issuesOf(response: Response): Promise<string[]> {
  expect(response.status).toBe(400);
  const { details } = (await response.json()) as { details: { field: string; issue: string }[] };
  return details.map(({ field, issue }) => `${field}: ${issue}`);
}

describe('the bytes of the document', () => {
  test.each([
    ['', DOCX_TYPE, DOCX_TYPE, 'docx'],
    ['?to=pdf', PDF_TYPE, PDF_TYPE, 'pdf'],
    ['?to=pdf', 'application/octet-stream', 'application/octet-stream', 'pdf'],
    ['?to=pdf', `${PDF_TYPE}, application/json;q=0.5`, PDF_TYPE, 'pdf'],
  ])('answer %s with Accept: %s', async (query, accept, type, ending) => {
    rig.startGenerator();
    await rig.startConverter();
    const response = await rig.generate({ data }, query, accepting(accept));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="document.${ending}"`);
    expect(response.headers.get('x-fields-filled')).toBe('1');
    expect(await response.text()).toBe(ending === 'pdf' ? `%PDF of ${docx} filled` : `${docx} filled`);
  });

  test('answer a request with a signature, with its warnings in a header', async () => {
    rig.startGenerator();
    rig.startSigner();
    const response = await rig.generate({ data, sign }, '', accepting(DOCX_TYPE));
    expect(response.headers.get('x-sign-warnings')).toBe('DEVELOPMENT_KEY');
    expect(await response.text()).toBe(`${docx} filled signed`);
  });

  test.each([['*/*'], ['application/*'], ['application/json'], [`application/json, ${DOCX_TYPE};q=0.9`]])(
    'do not answer Accept: %s',
    async (accept) => {
      rig.startGenerator();
      await documentOf(await rig.generate({ data }, '', accepting(accept)));
    },
  );

  test('are refused to a caller that accepts another type only', async () => {
    for (const [query, accept] of [
      ['', PDF_TYPE],
      ['?to=pdf', DOCX_TYPE],
      ['', 'text/html'],
    ] as const)
      expect(await issuesOf(await rig.generate({ data }, query, accepting(accept)))).toEqual([
        expect.stringMatching(/^headers.accept: must include one of `application\/json`, /),
      ]);
  });

  test('are refused for a signature that the caller completes', async () => {
    const body = { data, sign: { key: { external } } };
    expect(await issuesOf(await rig.generate(body, '', accepting(DOCX_TYPE)))).toEqual([
      expect.stringContaining('headers.accept: must be `application/json`'),
    ]);
  });
});

describe('a failure', () => {
  const failing = (error: AppError) => async () => {
    throw error;
  };

  test('of the template names its places', async () => {
    const details = [
      { field: 'word/document.xml:table[2]/row[3]', issue: 'unknown formatter “foo” in {a | foo}' },
    ];
    rig.until(
      rig.rig.generateWith(failing(new AppError('TEMPLATE_INVALID', 'The template is wrong.', { details }))),
    );
    const response = await rig.generate({ data });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'TEMPLATE_INVALID', details });
  });

  test('of the conversion names the option in this body', async () => {
    rig.startGenerator();
    for (const [field, shown] of [
      ['pages', 'convert.pages'],
      ['file', 'document'],
    ]) {
      const details = [{ field: String(field), issue: 'is wrong' }];
      const stop = await rig.rig.convertWith(failing(new AppError('VALIDATION_ERROR', 'No.', { details })));
      const response = await rig.generate({ data, convert: { pages: '9' } }, '?to=pdf');
      expect(await response.json()).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: shown }] });
      await stop();
    }
  });

  test.each(['', '?to=pdf'])('of the signature names the option in this body (%s)', async (query) => {
    rig.startGenerator();
    await rig.startConverter();
    const details = [{ field: 'appearance.page', issue: 'is wrong' }];
    rig.until(rig.rig.signWith(failing(new AppError('VALIDATION_ERROR', 'No.', { details }))));
    const response = await rig.generate({ data, sign }, query);
    expect(await response.json()).toMatchObject({ details: [{ field: 'sign.appearance.page' }] });
  });

  test('of a queue without workers is answered after the wait limit', async () => {
    const hasty = await startGeneratingRig({ QUEUE_WAIT_MS_MAX: '500' });
    hasty.startGenerator();
    const response = await hasty.generate({ data, sign });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'OVERLOADED' });
    await hasty.clear();
    await hasty.rig.close();
  });

  test('of the caller to wait cancels the work', async () => {
    const caller = new AbortController();
    let isCanceled = false;
    rig.startGenerator();
    await rig.startConverter();
    rig.until(
      rig.rig.signWith(async (_asked, { signal }) => {
        caller.abort();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        isCanceled = true;
        throw signal.reason;
      }),
    );
    await expect(rig.generate({ data, sign }, '?to=pdf', { signal: caller.signal })).rejects.toThrow();
    expect(await until(() => isCanceled)).toBe(true);
  });
});
