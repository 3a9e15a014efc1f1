import { useEffect } from 'preact/hooks';
import { extensionOf, lastMade } from '../documents.ts';
import { SameInCode } from '../parts/code-block.tsx';
import { Choice, MadeFormatChoice, Toggle, Words } from '../parts/controls.tsx';
import { DropZone } from '../parts/drop-zone.tsx';
import { Preview } from '../parts/preview.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { inTime } from '../words.ts';
import { tab } from './current.ts';
import {
  box,
  code,
  file,
  isVisible,
  isWord,
  LEVELS,
  level,
  operation,
  placeOn,
  placing,
  prepared,
  reason,
  result,
  setFormat,
  sign,
  signerEmail,
  signerName,
  signFile,
  signsWord,
  source,
  sources,
  takeLast,
  to,
  useMade,
} from './sign-state.ts';

export function SignTab() {
  useEffect(takeLast, []);
  const isReady = source.value !== null && signerName.value.trim().length > 1;
  return (
    <>
      <div class="columns">
        <div class="side">
          <h1>Sign a document</h1>
          <DropZone
            what="a PDF or Word document"
            formats={sources.value}
            file={file.value}
            onFile={signFile}
            sampleName="sample.docx"
            sampleWords="Use the sample"
          />
          <FromBefore />
          <Words
            label="Name of the signer"
            value={signerName.value}
            autoComplete="name"
            onInput={(text) => {
              signerName.value = text;
            }}
          />
          <Words
            label="E-mail of the signer"
            type="email"
            value={signerEmail.value}
            autoComplete="email"
            onInput={(text) => {
              signerEmail.value = text;
            }}
          />
          <Words
            label="Reason (optional)"
            value={reason.value}
            onInput={(text) => {
              reason.value = text;
            }}
          />
          <Choice
            label="Level"
            value={level.value}
            choices={LEVELS}
            onChange={(value) => {
              level.value = value as typeof level.value;
            }}
          />
          {isWord.value && <MadeFormatChoice value={to.value} onChange={setFormat} />}
          {!signsWord.value && <Placing />}
          <button
            type="button"
            class="primary wide"
            disabled={!isReady || operation.isRunning.value}
            onClick={sign}
          >
            {result.value === null ? 'Sign' : 'Sign again'}
          </button>
          <ProblemCard
            problem={operation.problem.value}
            onRetry={source.value === null ? () => file.value && signFile(file.value) : sign}
          />
        </div>
        <Preview
          shown={result.value ?? prepared.value}
          isWorking={operation.isRunning.value}
          overlay={result.value === null && isVisible.value && !signsWord.value ? placing : undefined}
          empty={
            <>
              <p class="big">A signature that any reader verifies</p>
              <p>The document shows here. Then you place the signature on its page.</p>
            </>
          }
        />
        <SignedFacts />
      </div>
      <SameInCode code={code.value} />
    </>
  );
}

function FromBefore() {
  const made = lastMade.value;
  if (made === null || file.value?.name === made.fileName) return null;
  return (
    <button type="button" class="link" onClick={() => useMade(made)}>
      Use <bdi>{made.fileName}</bdi> of {made.from}
    </button>
  );
}

function Placing() {
  return (
    <>
      <Toggle
        label="Show the signature on a page"
        checked={isVisible.value}
        onChange={(checked) => {
          isVisible.value = checked;
        }}
      />
      {isVisible.value && (
        <Words
          label="On page"
          type="number"
          value={String(box.value.page)}
          hint="Drag the box on the page, or move it with the arrow keys"
          onInput={(text) => placeOn(Number(text) || 1)}
        />
      )}
    </>
  );
}

function SignedFacts() {
  const { value } = result;
  if (value === null) return null;
  const { signature, warnings = [] } = value;
  return (
    <section class="facts-block" aria-label="Report">
      <h2>Signed</h2>
      {signature !== undefined && (
        <dl>
          <dt>Level</dt>
          <dd>
            {extensionOf(value.fileName) === 'pdf' ? 'PAdES' : 'XAdES'} {signature.level}
          </dd>
          <dt>Certificate</dt>
          <dd>
            <bdi>{signature.certificate.subject}</bdi>
          </dd>
          <dt>Time</dt>
          <dd>{inTime(signature.signingTime)}</dd>
        </dl>
      )}
      {warnings.map(({ code: name, message }) => (
        <p key={name} class="doubt">
          {message}
        </p>
      ))}
      <button
        type="button"
        class="primary wide"
        onClick={() => {
          tab.value = 'verify';
        }}
      >
        Verify it
      </button>
    </section>
  );
}
