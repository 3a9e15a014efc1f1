import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { isNightly } from '@scriptorium/testing/extent';
import { formPdf, packedPdf, plainPdf, twofoldPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { encryptedBy } from '@scriptorium/testing/fixtures/pdf/programs';
import type { VerifyReply } from '../../src/verify-report.ts';
import { judged, judgedOrRefused } from './judged.ts';
import { type Lab, openLab } from './lab.ts';
import { Dice, mutated } from './mutate.ts';

/** `MUTATIONS` sets the number of files, `MUTATIONS_SEED` reproduces them. */
const { MUTATIONS: count = isNightly ? '1500' : '150', MUTATIONS_SEED: seed = '727747' } = process.env;
const CPU_MS_MAX = 5_000;

let lab: Lab;
let originals: Buffer[];
beforeAll(async () => {
  lab = await openLab();
  const once = await lab.sign(plainPdf());
  originals = [
    once,
    await lab.sign(once, { by: lab.bob }),
    await lab.sign(packedPdf(), { certify: 'formFilling' }),
    await lab.sign(await lab.sign(twofoldPdf(), { by: lab.bob })),
    await lab.sign(formPdf(), { field: 'Signature', lock: { action: 'all' } }),
    await lab.sign(plainPdf(), { level: 'B-LTA' }),
    await lab.sign(await encryptedBy(plainPdf(), { kind: 'V4 R4, AES-128' })),
    await lab.sign(await encryptedBy(formPdf(), { form: ['--object-streams=generate'] })),
  ];
});
afterAll(() => lab.close());

/**
 * Returns which signature covers which bytes, by the verifier and in the file. A document may be valid beside a time-stamp of
 * the whole that is not.
 */
function signedBy(pdf: Buffer, { signatures }: VerifyReply): string[] {
  const counting = signatures.filter(
    ({ type, indication }) => type !== 'documentTimestamp' || indication === 'TOTAL_PASSED',
  );
  return counting.map(({ byteRange: [a = 0, b = 0, c = 0, d = 0] = [], signer }) => {
    const hash = createHash('sha256').update(pdf.subarray(a, a + b));
    return `${signer?.sha256} ${hash.update(pdf.subarray(c, c + d)).digest('hex')}`;
  });
}

test(`a randomly changed signed file is valid only if its signatures are unchanged (seed ${seed})`, async () => {
  const honest = new Set<string>();
  for (const pdf of originals) {
    const reply = await judged(lab, pdf);
    expect(reply.verdict).toBe('valid');
    for (const signed of signedBy(pdf, reply)) honest.add(signed);
  }
  let invalid = 0;
  for (let index = 0; index < Number(count); index++) {
    const dice = new Dice(Number(seed) + index);
    const pdf = mutated(dice.of(originals), dice);
    const start = process.cpuUsage();
    const reply = await judgedOrRefused(lab, pdf);
    const which = `seed ${Number(seed) + index}`;
    expect([which, cpuMsSince(start) < CPU_MS_MAX]).toEqual([which, true]);
    if (reply?.verdict === 'invalid') invalid++;
    if (reply?.verdict !== 'valid' && reply?.verdict !== 'valid_untrusted') continue;
    const forged = signedBy(pdf, reply).filter((signed) => !honest.has(signed));
    expect([which, forged]).toEqual([which, []]);
  }
  // Otherwise the test would try nothing.
  expect(invalid).toBeGreaterThan(Number(count) / 4);
}, 3_600_000);
