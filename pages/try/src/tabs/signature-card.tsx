import type { SignatureReport, VerifyReport } from '@scriptorium/client';
import { counted, inTime } from '../words.ts';

const CHECKS: Record<keyof SignatureReport['checks'], string> = {
  format: 'Format',
  coverage: 'What it covers',
  digest: 'Digest of the document',
  signature: 'Signature value',
  signingCertificateAttribute: 'Named certificate',
  chain: 'Chain to an authority',
  revocation: 'Revocation',
  timestamp: 'Time-stamp',
  policy: 'Changes afterwards',
};

const OUTCOMES: Record<string, readonly [sign: string, tone: string, words: string]> = {
  passed: ['✓', 'good', 'passed'],
  failed: ['✕', 'bad', 'failed'],
  indeterminate: ['?', 'doubt', 'open'],
  notChecked: ['–', 'plain', 'not checked'],
};

const RESULTS: Record<SignatureReport['indication'], readonly [tone: string, words: string]> = {
  TOTAL_PASSED: ['good', '✓ Valid'],
  TOTAL_FAILED: ['bad', '✕ Not valid'],
  INDETERMINATE: ['doubt', '? Not decided'],
};

type Answers = Pick<VerifyReport, 'integrity' | 'trust' | 'time'>;

const INTEGRITY: Record<Answers['integrity'], string> = {
  intact: 'is as it was signed',
  changed: 'is not as it was signed',
  unknown: 'may have been changed',
};

const TRUST: Record<Answers['trust'], string> = {
  trusted: 'is trusted',
  service: 'is this service itself',
  unconfirmed: 'cannot be confirmed',
  expired: 'has an expired certificate',
  untrusted: 'is not in the list of trusted authorities',
  revoked: 'has a revoked certificate',
  unsuitable: 'has a certificate for other purposes',
  unknown: 'is not known',
};

const TIME: Record<Answers['time'], string> = {
  proven: 'is proven by a time-stamp',
  claimed: 'is claimed by the signer',
  absent: 'is not stated',
  doubtful: 'is in doubt',
};

/** The three questions of a report, answered for people. */
export const answersOf = ({ integrity, trust, time }: Answers): string =>
  `The document ${INTEGRITY[integrity]}. The signer ${TRUST[trust]}. The time ${TIME[time]}.`;

/** The name in a certificate of these is a claim. */
const CLAIMED: readonly Answers['trust'][] = ['untrusted', 'unsuitable', 'unknown'];

/** One signature: its result and reasons, its signer, what happened to the document since, and its checks. */
export function SignatureCard({ signature, number }: { signature: SignatureReport; number: number }) {
  const { signer, claimedName, reasons, format, level, type, indication, trust, reason, location } =
    signature;
  const name = signer?.commonName ?? claimedName ?? 'Unknown signer';
  const time = signature.provenTime ?? signature.claimedSigningTime;
  const isIntact = indication === 'INDETERMINATE' && signature.integrity === 'intact';
  const [tone, result] = isIntact ? ['doubt', '✓ Intact'] : RESULTS[indication];
  const claims = [reason, location].filter((claim) => claim !== undefined && claim !== '');
  return (
    <section class="card" aria-label={`Signature ${number} of ${name}`}>
      <h3>
        <bdi>{name}</bdi>
        {CLAIMED.includes(trust) && ' (claimed)'} <span class={tone}>{result}</span>
      </h3>
      <p>{answersOf(signature)}</p>
      <p class="facts">
        {type === 'documentTimestamp' ? 'time-stamp of the document' : type} · {format}
        {level !== undefined && ` ${level}`}
        {time !== undefined &&
          ` · ${inTime(time)} (${signature.provenTime === undefined ? 'claimed' : 'proven'})`}
      </p>
      {claims.length > 0 && (
        <p class="facts">
          The signer claims: <bdi>{claims.join(' · ')}</bdi>
        </p>
      )}
      {signer !== undefined && (
        <p class="facts">
          Certificate of <bdi>{signer.subject}</bdi>, issued by <bdi>{signer.issuer}</bdi>, valid from{' '}
          {inTime(signer.notBefore)} to {inTime(signer.notAfter)}
        </p>
      )}
      <ul class="remarks">
        {reasons
          .filter(({ code }) => code !== 'MODIFICATION_PERMITTED')
          .map(({ code, severity, message }) => (
            <li
              key={`${code} ${message}`}
              class={severity === 'error' ? 'bad' : severity === 'info' ? '' : 'doubt'}
            >
              <bdi>{message}</bdi> <code>{code}</code>
            </li>
          ))}
      </ul>
      <Revisions signature={signature} />
      <Checks checks={signature.checks} />
    </section>
  );
}

function Checks({ checks }: Pick<SignatureReport, 'checks'>) {
  return (
    <details>
      <summary>All checks</summary>
      <table class="checks">
        <caption class="unseen">Checks</caption>
        <tbody>
          {Object.entries(CHECKS).map(([check, words]) => {
            const [sign, tone, outcome] = OUTCOMES[checks[check as keyof typeof CHECKS]] ?? [
              '?',
              'doubt',
              'open',
            ];
            return (
              <tr key={check}>
                <th scope="row">{words}</th>
                <td class={tone}>
                  <span aria-hidden="true">{sign}</span> {outcome}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}

const LEVELS = {
  permitted: ['', 'permitted'],
  doubtful: ['doubt', 'may conceal signed content'],
  forbidden: ['bad', 'not permitted'],
} as const;

/** The revisions of the document, with what each changed. */
function Revisions({
  signature: { revision, totalRevisions, modifications, modificationsLeftOut = 0 },
}: {
  signature: SignatureReport;
}) {
  if (totalRevisions === 1 && modifications.length === 0) return null;
  return (
    <>
      <ol class="timeline" aria-label="Revisions">
        {Array.from({ length: totalRevisions }, (_, at) => at + 1).map((number) => {
          const changes = modifications.filter((change) => change.revision === number);
          const listed = new Map(changes.map((change) => [`${change.message} ${change.level}`, change]));
          return (
            <li key={number} class={number === revision ? 'here' : ''}>
              <strong>Revision {number}</strong>{' '}
              {number === revision
                ? 'was signed'
                : number < revision
                  ? 'came before'
                  : `came after: ${counted(changes.length, 'change')}`}
              {changes.length > 0 && (
                <ul>
                  {[...listed].map(([key, { level, message }]) => (
                    <li key={key} class={LEVELS[level][0]}>
                      <bdi>{message}</bdi> ({LEVELS[level][1]})
                    </li>
                  ))}
                </ul>
              )}
            </li>
          );
        })}
      </ol>
      {modificationsLeftOut > 0 && <p class="facts">{counted(modificationsLeftOut, 'more change')}</p>}
    </>
  );
}
