import { describe, expect, test } from '@jest/globals';
import { INTEGRITY, MEANINGS, TIME, TRUST } from '../src/questions.ts';
import { CHECKS, type CheckName, REASONS, type ReasonCode, type Severity } from '../src/reasons.ts';
import { answersOf, type Circumstances, type ThreeAnswers } from '../src/verification/answers.ts';
import { asReasons, type Finding, resultOf } from '../src/verification/checks/check.ts';
import { judge } from '../src/verification/policy.ts';

const CODES = Object.keys(REASONS) as ReasonCode[];
const PROVEN: Circumstances = { isServiceKey: false, provenTime: new Date(), claimedTime: new Date() };
const SERVICE: Circumstances = { ...PROVEN, isServiceKey: true };
const severityOf = (code: ReasonCode): Severity => REASONS[code].severity;

/** The findings of a signature for which these reasons, and no others, were found. */
function findingsOf(codes: readonly ReasonCode[], skipped: readonly CheckName[] = []): Finding[] {
  return CHECKS.map((check) => {
    const faults = codes
      .filter((code) => REASONS[code].check === check)
      .map((code) => ({ code, message: code }));
    const reasons = asReasons(faults);
    const isSkipped = reasons.length === 0 && skipped.includes(check);
    return { check, result: isSkipped ? 'notChecked' : resultOf(reasons), reasons };
  });
}

interface Case {
  name: string;
  verdict: string;
  answers: ThreeAnswers;
  circumstances: Circumstances;
}

function caseOf(
  codes: readonly ReasonCode[],
  circumstances = PROVEN,
  skipped: readonly CheckName[] = [],
): Case {
  const findings = findingsOf(codes, skipped);
  return {
    name: [...codes, ...skipped.map((check) => `without ${check}`)].join(' and '),
    verdict: judge(findings).verdict,
    answers: answersOf(findings, circumstances),
    circumstances,
  };
}

/** No reason, each one, each pair, and each with a check that was not made; all of them for both kinds of keys. */
const CASES: Case[] = [PROVEN, SERVICE].flatMap((circumstances) => [
  caseOf([], circumstances),
  ...CODES.flatMap((code) => CODES.map((other) => caseOf([code, other], circumstances))),
  ...CHECKS.flatMap((check) => [
    caseOf([], circumstances, [check]),
    ...CODES.map((code) => caseOf([code], circumstances, [check])),
  ]),
]);

const violations = (holds: (each: Case) => boolean): string[] =>
  CASES.filter((each) => !holds(each)).map(
    ({ name, verdict, answers }) => `${name}: ${verdict} ${JSON.stringify(answers)}`,
  );

const isGood = ({ integrity, trust, time }: ThreeAnswers): boolean =>
  integrity === 'intact' && trust === 'trusted' && time !== 'doubtful';

describe('the three answers agree with the verdict:', () => {
  test('a signature is valid exactly if each question has a good answer', () => {
    expect(violations(({ verdict, answers }) => (verdict === 'valid') === isGood(answers))).toEqual([]);
  });

  test('a changed document is never anything but invalid', () => {
    expect(
      violations(({ verdict, answers }) => answers.integrity !== 'changed' || verdict === 'invalid'),
    ).toEqual([]);
  });

  test('an untrusted signature is intact, and only its chain is at fault', () => {
    expect(
      violations(
        ({ verdict, answers: { integrity, trust, time } }) =>
          verdict !== 'valid_untrusted' ||
          (integrity === 'intact' && (trust === 'untrusted' || trust === 'service') && time !== 'doubtful'),
      ),
    ).toEqual([]);
  });

  test('the service is trusted only with its own key, and only if its chain is the only fault', () => {
    expect(
      violations(
        ({ verdict, answers, circumstances }) =>
          answers.trust !== 'service' ||
          (circumstances.isServiceKey && (answers.integrity !== 'intact' || verdict !== 'invalid')),
      ),
    ).toEqual([]);
  });
});

describe('every reason', () => {
  test.each(CODES)('%s answers a question exactly if it decides', (code) => {
    const decides = !['warning', 'info'].includes(severityOf(code));
    expect(Object.keys(REASONS[code].answers ?? {}).length > 0).toBe(decides);
    expect(isGood(caseOf([code]).answers)).toBe(!decides);
  });

  test('never improves an answer', () => {
    const ranks = ({ integrity, trust, time }: ThreeAnswers) => [
      INTEGRITY.indexOf(integrity),
      TRUST.indexOf(trust),
      TIME.indexOf(time),
    ];
    for (const code of CODES)
      for (const other of CODES) {
        const [alone, both] = [ranks(caseOf([code]).answers), ranks(caseOf([code, other]).answers)];
        for (const [index, rank] of both.entries())
          expect({ code, other, isBetter: rank > (alone[index] ?? 0) }).toEqual({
            code,
            other,
            isBetter: false,
          });
      }
  });
});

describe('one field says what is at fault:', () => {
  test.each<[string, ReasonCode[], Partial<ThreeAnswers>]>([
    ['an expired certificate', ['CERTIFICATE_EXPIRED'], { integrity: 'intact', trust: 'expired' }],
    ['a revoked certificate', ['CERTIFICATE_REVOKED'], { integrity: 'intact', trust: 'revoked' }],
    ['an unknown authority', ['CHAIN_UNTRUSTED'], { integrity: 'intact', trust: 'untrusted' }],
    [
      'an unknown authority, whatever the dates',
      ['CHAIN_UNTRUSTED', 'CERTIFICATE_EXPIRED'],
      { trust: 'untrusted' },
    ],
    [
      'an authority that does not answer',
      ['REVOCATION_UNAVAILABLE'],
      { integrity: 'intact', trust: 'unconfirmed' },
    ],
    [
      'a changed document of a trusted signer',
      ['DIGEST_MISMATCH'],
      { integrity: 'changed', trust: 'trusted' },
    ],
    [
      'a forged value, which shows no signer',
      ['SIGNATURE_INVALID'],
      { integrity: 'unknown', trust: 'unknown' },
    ],
    ['a bad time-stamp', ['TIMESTAMP_INVALID'], { integrity: 'intact', trust: 'trusted', time: 'doubtful' }],
  ])('%s', (_what, codes, answers) => {
    expect(caseOf(codes).answers).toMatchObject(answers);
  });

  test('an expired certificate of the service itself', () => {
    expect(caseOf(['CHAIN_UNTRUSTED'], SERVICE).answers.trust).toBe('service');
    expect(caseOf(['CHAIN_UNTRUSTED', 'CERTIFICATE_EXPIRED'], SERVICE).answers.trust).toBe('expired');
  });

  test('a time that is proven, only claimed, or absent', () => {
    const timeOf = (change: Partial<Circumstances>) => caseOf([], { ...PROVEN, ...change }).answers.time;
    expect(timeOf({})).toBe('proven');
    expect(timeOf({ provenTime: undefined })).toBe('claimed');
    expect(timeOf({ provenTime: undefined, claimedTime: undefined })).toBe('absent');
  });
});

test('every answer has a meaning', () => {
  expect(Object.keys(MEANINGS.integrity).toSorted()).toEqual([...INTEGRITY].toSorted());
  expect(Object.keys(MEANINGS.trust).toSorted()).toEqual([...TRUST].toSorted());
  expect(Object.keys(MEANINGS.time).toSorted()).toEqual([...TIME].toSorted());
});
