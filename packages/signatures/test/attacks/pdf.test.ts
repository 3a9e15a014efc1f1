import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { few } from '@scriptorium/testing/extent';
import { pdfText } from '@scriptorium/testing/judges/pdf';
import { ATTACK_CLASSES } from './classes.ts';
import { codesOf, judged } from './judged.ts';
import { type Lab, openLab } from './lab.ts';
import { GOOD_FILES } from './pdf/good-files.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

describe.each(ATTACK_CLASSES)('$name', ({ attacks }) => {
  test.each(few(attacks, 3, 6))(
    '$name',
    async ({ make, verdict = 'invalid', codes, modification, shows, revocation }) => {
      const pdf = await make(lab);
      // Otherwise it would not be an attack.
      if (shows !== undefined) expect(await pdfText(pdf)).toContain(shows);
      const reply = await judged(lab, pdf, revocation);
      expect({ verdict: reply.verdict, valid: reply.valid }).toEqual({ verdict, valid: false });
      expect(codesOf(reply).filter((code) => codes.some((each) => each === code))).not.toEqual([]);
      if (modification === undefined) return;
      const found = reply.signatures.flatMap(({ modifications }) => modifications);
      expect(found.filter(({ level }) => level !== 'permitted').map(({ code }) => code)).toContain(
        modification,
      );
    },
  );
});

describe('a legitimate file passes', () => {
  test.each(few(GOOD_FILES, 20, 40))(
    '$name',
    async ({ make, verdict = 'valid', signatures, documentModified, modifications = [] }) => {
      const reply = await judged(lab, await make(lab));
      const reasons = reply.signatures.flatMap((signature) => signature.reasons);
      expect(reasons.filter(({ severity }) => severity === 'error' || severity === 'doubt')).toEqual([]);
      expect(reply).toMatchObject({ verdict, valid: verdict === 'valid', documentModified });
      expect(reply.signatures).toHaveLength(signatures);
      const found = reply.signatures.flatMap((signature) => signature.modifications);
      expect(new Set(found.map(({ code }) => code))).toEqual(new Set(modifications));
    },
  );
});
