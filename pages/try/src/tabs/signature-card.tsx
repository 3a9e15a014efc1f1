import type { SignatureReport } from '@scriptorium/client';
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

/** One signature: its signer, its checks as a table, reasons, and what happened to the document since. */
export function SignatureCard({ signature, number }: { signature: SignatureReport; number: number }) {
  const { signer, claimedName, reasons, checks, format, level, type } = signature;
  const name = signer?.commonName ?? claimedName ?? 'Unknown signer';
  const time = signature.provenTime ?? signature.claimedSigningTime;
  return (
    <section class="card" aria-label={`Signature ${number} of ${name}`}>
      <h3>
        <bdi>{name}</bdi>
      </h3>
      <p class="facts">
        {type} · {format}
        {level !== undefined && ` ${level}`}
        {time !== undefined &&
          ` · ${inTime(time)} (${signature.provenTime === undefined ? 'claimed' : 'proven'})`}
      </p>
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
      {reasons.length > 0 && (
        <ul class="remarks">
          {reasons.map(({ code, severity, message }) => (
            <li
              key={`${code} ${message}`}
              class={severity === 'error' ? 'bad' : severity === 'info' ? '' : 'doubt'}
            >
              <bdi>{message}</bdi> <code>{code}</code>
            </li>
          ))}
        </ul>
      )}
      <Revisions signature={signature} />
    </section>
  );
}

/** The revisions of the document, with what each changed. */
function Revisions({
  signature: { revision, totalRevisions, modifications },
}: {
  signature: SignatureReport;
}) {
  return (
    <ol class="timeline" aria-label="Revisions">
      {Array.from({ length: totalRevisions }, (_, at) => at + 1).map((number) => {
        const changes = modifications.filter((change) => change.revision === number);
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
                {changes.map(({ level, object, path, code }) => (
                  <li key={`${object} ${path} ${code}`} class={level === 'forbidden' ? 'bad' : ''}>
                    {code.toLowerCase().replaceAll('_', ' ')}: {level}
                  </li>
                ))}
              </ul>
            )}
          </li>
        );
      })}
    </ol>
  );
}
