import { shownText, shownTime } from '../audit/shown-text.ts';
import { type Integrity, MEANINGS, type Time, type Trust } from '../questions.ts';
import { MODIFICATIONS } from '../reasons.ts';
import type { Modification, Picture, VerifyReply } from '../verify-report.ts';

export type Tone = 'good' | 'doubt' | 'bad' | 'neutral';

/** One of the three questions, and its answer in a word and in a sentence. */
export interface QuestionAnswer {
  question: string;
  /** The question in a word. */
  label: string;
  answer: string;
  tone: Tone;
  text: string;
}

/** A time without the milliseconds that signatures do not state. */
export const shownSecond = (timestamp: string): string => shownTime(timestamp).replace('.000 UTC', ' UTC');

const REASON_CHARS_MAX = 500;

const INTEGRITY_ANSWERS: Record<Integrity, [string, Tone]> = {
  changed: ['Changed', 'bad'],
  unknown: ['Unknown', 'doubt'],
  intact: ['Intact', 'good'],
};

const TRUST_ANSWERS: Record<Trust, [string, Tone]> = {
  unknown: ['Unknown', 'doubt'],
  unsuitable: ['Not suitable', 'bad'],
  revoked: ['Revoked', 'doubt'],
  untrusted: ['Not trusted', 'doubt'],
  expired: ['Expired', 'doubt'],
  unconfirmed: ['Not confirmed', 'doubt'],
  service: ['This service', 'good'],
  trusted: ['Trusted', 'good'],
};

const TIME_ANSWERS: Record<Time, [string, Tone]> = {
  doubtful: ['In doubt', 'doubt'],
  absent: ['Not stated', 'neutral'],
  claimed: ['Only claimed', 'neutral'],
  proven: ['Proven', 'good'],
};

interface Answered {
  integrity: Integrity;
  trust: Trust;
  time: Time;
  provenTime?: string | undefined;
  claimedSigningTime?: string | undefined;
}

export function integrityAnswer({ integrity }: Answered): QuestionAnswer {
  const [answer, tone] = INTEGRITY_ANSWERS[integrity];
  return {
    question: 'Is the document as it was signed?',
    label: 'Document',
    answer,
    tone,
    text: MEANINGS.integrity[integrity],
  };
}

export function trustAnswer({ trust }: Answered): QuestionAnswer {
  const [answer, tone] = TRUST_ANSWERS[trust];
  return { question: 'Is the signer trusted?', label: 'Signer', answer, tone, text: MEANINGS.trust[trust] };
}

export function timeAnswer({ time, provenTime, claimedSigningTime }: Answered): QuestionAnswer {
  const [answer, tone] = TIME_ANSWERS[time];
  const known = [
    ...(provenTime === undefined ? [] : [`Proven: ${shownSecond(provenTime)}.`]),
    ...(claimedSigningTime === undefined ? [] : [`Claimed: ${shownSecond(claimedSigningTime)}.`]),
  ];
  const text = [MEANINGS.time[time], ...known].join(' ');
  return { question: 'Is the time of signing proven?', label: 'Time', answer, tone, text };
}

/** Headlines of an intact document, by what is at fault instead. */
const INTACT: Partial<Record<Trust, string>> = {
  untrusted: 'Intact, but the signer is not trusted',
  expired: 'Intact, but a certificate has expired',
  revoked: 'Intact, but a certificate is revoked',
  unconfirmed: 'Intact, but a certificate cannot be confirmed',
  unsuitable: 'Intact, but a certificate is not suitable',
};

/** Says what was added to a valid document since its first signature. */
function validText({ documentModified, signatures }: VerifyReply): string {
  if (documentModified !== 'permitted')
    return 'The document is as it was signed, and each signer is trusted.';
  const codes = new Set(signatures.flatMap(({ modifications }) => modifications.map(({ code }) => code)));
  const changes = [...codes].map((code) => MODIFICATIONS[code]).join(' ');
  return `Each signer is trusted. Since it was signed, the document was changed in ways that the signatures permit. ${changes}`;
}

/** Returns the result in plain words: a headline, and why. */
export function verdictOf(reply: VerifyReply): { tone: Tone; headline: string; text: string } {
  const { verdict, valid, integrity, trust, time, signatures } = reply;
  const text = shownText(reply.reason ?? '', REASON_CHARS_MAX);
  if (verdict === 'unsigned') return { tone: 'neutral', headline: 'The document is not signed', text };
  if (verdict === 'valid') {
    const people = signatures.filter(({ type }) => type !== 'documentTimestamp').length;
    const headline = people === 1 ? 'The signature is valid' : `All ${people} signatures are valid`;
    return { tone: 'good', headline, text: validText(reply) };
  }
  if (valid) return { tone: 'good', headline: 'Intact, and signed by this service', text };
  if (integrity === 'changed')
    return { tone: 'bad', headline: 'Not valid: the document is not as it was signed', text };
  const headline = integrity === 'intact' && time !== 'doubtful' ? INTACT[trust] : undefined;
  return verdict === 'invalid'
    ? { tone: 'bad', headline: headline ?? 'Not valid', text }
    : { tone: 'doubt', headline: headline ?? 'It is not certain that the signature is valid', text };
}

const NAME_CHARS_MAX = 100;

/** What changed, where, and from which value to which. */
export function changeText({ code, object, field, page, values }: Modification): string {
  const quoted = (text: string) => (text === '' ? 'nothing' : `“${shownText(text, NAME_CHARS_MAX)}”`);
  const details = [
    ...(/^(PART|RELATIONSHIP)_/.test(code) ? [quoted(object)] : []),
    ...(field === undefined ? [] : [quoted(field)]),
    ...(page === undefined ? [] : [`page ${page}`]),
    ...(values === undefined ? [] : [`from ${quoted(values.before)} to ${quoted(values.after)}`]),
  ];
  const text = MODIFICATIONS[code];
  return details.length === 0 ? text : `${text.replace(/\.$/, '')}: ${details.join(', ')}.`;
}

/** What a picture of a page shows. */
export function pictureText({ revision, page, reader, differences }: Picture): string {
  const frames = differences.length === 1 ? 'one difference' : `${differences.length} differences`;
  const place = `Page ${page} in revision ${revision}, drawn by ${reader}`;
  return differences.length > 0 ? `${place}: ${frames} from the picture before` : place;
}
