/**
 * The three questions of a report. They are independent: a document may be intact although its signer is not trusted.
 * Each list has its answers from the worst to the best.
 */
export const INTEGRITY = ['changed', 'unknown', 'intact'] as const;
export type Integrity = (typeof INTEGRITY)[number];

export const TRUST = [
  'unknown',
  'unsuitable',
  'revoked',
  'untrusted',
  'expired',
  'unconfirmed',
  'service',
  'trusted',
] as const;
export type Trust = (typeof TRUST)[number];

export const TIME = ['doubtful', 'absent', 'claimed', 'proven'] as const;
export type Time = (typeof TIME)[number];

/** What a reason answers. At least one question; those that it does not name are not its subject. */
export type Answers = Partial<BadAnswers> &
  (Pick<BadAnswers, 'integrity'> | Pick<BadAnswers, 'trust'> | Pick<BadAnswers, 'time'>);

interface BadAnswers {
  integrity: Exclude<Integrity, 'intact'>;
  trust: Exclude<Trust, 'service' | 'trusted'>;
  time: 'doubtful';
}

/** What each answer means, for the reference and for the reports for people. */
export const MEANINGS = {
  integrity: {
    changed: 'The document is not as it was signed, or the signature does not cover all of it.',
    unknown: 'It cannot be established whether the document is as it was signed.',
    intact: 'The document is as it was signed, apart from changes that the signatures permit.',
  },
  trust: {
    unknown: 'The signature does not show reliably who signed.',
    unsuitable: 'A certificate was used in a way, or at a time, that it does not permit.',
    revoked: 'A certificate was revoked, and nothing proves that the signature was made before.',
    untrusted: 'The certificate of the signer does not chain to a trusted anchor. The name in it is a claim.',
    expired: 'A certificate has expired, and nothing proves that the signature was made before.',
    unconfirmed:
      'The certificate chains to a trusted anchor, but it cannot be confirmed that it is still good. Its revocation status is unknown, or an algorithm is too weak.',
    service: 'The service’s own key signed. It does not chain to a trusted anchor of the request.',
    trusted: 'The certificate of the signer chains to a trusted anchor.',
  },
  time: {
    doubtful: 'A time-stamp is not valid.',
    absent: 'The signature states no time.',
    claimed: 'Only the signer states the time.',
    proven: 'A trusted time-stamp proves that the signature existed at this time.',
  },
} as const satisfies {
  integrity: Record<Integrity, string>;
  trust: Record<Trust, string>;
  time: Record<Time, string>;
};

/** Returns the worst of some answers, or `best` if there are none. */
export function worst<Answer extends string>(
  order: readonly Answer[],
  answers: readonly Answer[],
  best: NoInfer<Answer>,
): Answer {
  return order.find((answer) => answers.includes(answer)) ?? best;
}
