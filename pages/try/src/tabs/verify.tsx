import type { VerifyReport } from '@scriptorium/client';
import { useEffect } from 'preact/hooks';
import { download } from '../documents.ts';
import { SameInCode } from '../parts/code-block.tsx';
import { DropZone } from '../parts/drop-zone.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { counted } from '../words.ts';
import { answersOf, SignatureCard } from './signature-card.tsx';
import {
  changeOneByte,
  code,
  file,
  operation,
  report,
  savePdfReport,
  saving,
  sources,
  takeSigned,
  verify,
  verifyFile,
} from './verify-state.ts';

export function VerifyTab() {
  useEffect(takeSigned, []);
  const { value } = report;
  const isPdf = value?.document.contentType === 'application/pdf';
  return (
    <>
      <div class="columns">
        <div class="side">
          <h1>Verify signatures</h1>
          <DropZone
            what="a PDF or Word document"
            formats={sources.value}
            file={file.value}
            onFile={verifyFile}
            sampleName="sample-signed.docx"
            sampleWords="Verify a signed sample"
          />
          <ProblemCard problem={operation.problem.value} onRetry={verify} />
          {value !== null && isPdf && value.signatures.length > 0 && (
            <div class="try-this">
              <p>What if someone changes the file?</p>
              <button type="button" onClick={() => void changeOneByte()}>
                Change one byte, and verify again
              </button>
            </div>
          )}
        </div>
        <div class="report" aria-busy={operation.isRunning.value}>
          {operation.isRunning.value && (
            <p class="progress" role="status">
              <span class="spinner" aria-hidden="true" /> Verifying…
            </p>
          )}
          {value === null ? (
            <div class="empty">
              {!operation.isRunning.value && (
                <>
                  <p class="big">Who signed, and what changed since</p>
                  <p>Each check is listed, with its result and its reason.</p>
                </>
              )}
            </div>
          ) : (
            <Report report={value} />
          )}
        </div>
      </div>
      <SameInCode code={code.value} />
    </>
  );
}

const VERDICTS: Record<VerifyReport['verdict'], readonly [sign: string, tone: string, words: string]> = {
  valid: ['✓', 'good', 'The signatures are valid, and the signer is trusted.'],
  valid_untrusted: [
    '✓',
    'doubt',
    'The document is signed and intact. The signer is not in the list of trusted authorities.',
  ],
  invalid: ['✕', 'bad', 'The signature is not valid.'],
  indeterminate: ['?', 'doubt', 'It cannot be decided whether the signature is valid.'],
  unsigned: ['–', 'plain', 'This document is not signed.'],
};

function Report({ report: value }: { report: VerifyReport }) {
  const [sign, tone, words] = VERDICTS[value.verdict];
  return (
    <>
      <div class={`verdict ${tone}`} role="status" data-verdict={value.verdict}>
        <span class="seal" aria-hidden="true">
          {sign}
        </span>
        <div>
          <h2>{words}</h2>
          {value.reason !== undefined && (
            <p>
              <bdi>{value.reason}</bdi>
            </p>
          )}
          <p class="facts">
            {counted(value.signatures.length, 'signature')}
            {value.documentModified === 'permitted' && '. Later changes are those that the signatures permit'}
            {value.signatures.length > 1 && `. ${answersOf(value)}`}
          </p>
          <button
            type="button"
            class="link"
            onClick={savePdfReport}
            disabled={saving.isRunning.value}
            aria-busy={saving.isRunning.value}
          >
            Save this report as a PDF
          </button>
          <ProblemCard problem={saving.problem.value} onRetry={savePdfReport} />
        </div>
      </div>
      {value.signatures.map((signature, at) => (
        <SignatureCard key={signature.id} signature={signature} number={at + 1} />
      ))}
      <Pictures report={value} />
      <Trail report={value} />
      <details class="raw">
        <summary>The whole report as JSON</summary>
        <button
          type="button"
          class="link"
          onClick={() => download('report.json', new Blob([JSON.stringify(value, null, 2)]))}
        >
          Save report.json
        </button>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard. */}
        <pre tabIndex={0}>
          {JSON.stringify({ ...value, pictures: value.pictures?.map(withoutPixels) }, null, 2)}
        </pre>
      </details>
    </>
  );
}

const withoutPixels = <T extends { base64: string }>({ base64, ...rest }: T) => ({
  ...rest,
  base64: `${base64.slice(0, 40)}…`,
});

function Pictures({ report: { pictures = [], picturesLeftOut = 0 } }: { report: VerifyReport }) {
  if (pictures.length === 0) return null;
  return (
    <section class="card" aria-label="Changed pages">
      <h3>Pages that changed, or that readers draw otherwise</h3>
      <div class="pictures">
        {pictures.map(({ page, revision, reader, base64, differences }) => (
          <figure key={`${page}-${revision}-${reader}`}>
            <a href={base64} download={`page-${page}-revision-${revision}-${reader}.png`}>
              <img src={base64} alt={`Page ${page} in revision ${revision}, drawn by ${reader}`} />
            </a>
            <figcaption>
              Page {page}, revision {revision}, drawn by {reader}
              {differences.length > 0 && `: ${counted(differences.length, 'difference')}`}
            </figcaption>
          </figure>
        ))}
      </div>
      {picturesLeftOut > 0 && <p class="facts">{counted(picturesLeftOut, 'more picture')}</p>}
    </section>
  );
}

function Trail({ report: { auditTrail } }: { report: VerifyReport }) {
  if (!auditTrail.present) return null;
  return (
    <section class="card" aria-label="Audit trail">
      <h3>Audit trail</h3>
      <p class="facts">
        Chain {auditTrail.chain} · {auditTrail.sealed ? 'sealed by the signature' : 'not sealed'}
      </p>
      <ol class="timeline">
        {(auditTrail.events ?? []).map(({ type, time, data, hash }) => (
          <li key={hash}>
            <strong>{type}</strong> <time dateTime={time}>{time}</time>
            {data !== undefined && (
              <p>
                <bdi>{data}</bdi>
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
