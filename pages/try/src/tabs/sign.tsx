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
  addBox,
  boxes,
  changeField,
  code,
  file,
  isVisible,
  isWord,
  LEVELS,
  lastBox,
  level,
  operation,
  placeOn,
  placing,
  prepared,
  reason,
  removeBox,
  result,
  type SignField,
  setFormat,
  sign,
  signerName,
  signFields,
  signFile,
  signsWord,
  source,
  sources,
  takeLast,
  to,
  useMade,
} from './sign-state.ts';
import { SignerWords } from './signer-words.tsx';

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
          <SignerWords />
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
          {!signsWord.value && <Fields />}
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
          overlay={result.value === null && isVisible.value && !signsWord.value ? placing.value : undefined}
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
        <>
          <Words
            label={boxes.value.length > 1 ? `Place ${boxes.value.length} on page` : 'On page'}
            type="number"
            value={String(lastBox.value.value.page)}
            hint="Drag the box on the page, or move it with the arrow keys"
            onInput={(text) => placeOn(Number(text) || 1)}
          />
          <div class="row">
            <button type="button" class="link" onClick={addBox}>
              Sign in another place, too
            </button>
            {boxes.value.length > 1 && (
              <button type="button" class="link" onClick={removeBox}>
                Remove place {boxes.value.length}
              </button>
            )}
          </div>
        </>
      )}
    </>
  );
}

/** The fields in which the document wants signatures, each with its signer. */
function Fields() {
  const { value } = signFields;
  if (value.length === 0) return null;
  return (
    <fieldset class="group">
      <legend>Fields of the document</legend>
      {value.map((field) => (
        <FieldChoice key={field.name} field={field} />
      ))}
    </fieldset>
  );
}

function FieldChoice({ field: { name, page, isChosen, signer } }: { field: SignField }) {
  return (
    <>
      <Toggle
        label={page === undefined ? name : `${name}, page ${page}`}
        checked={isChosen}
        onChange={(checked) => changeField(name, { isChosen: checked })}
      />
      {isChosen && (
        <>
          <Words
            label={`Signer of ${name}`}
            value={signer.name}
            onInput={(text) => changeField(name, { signer: { ...signer, name: text } })}
          />
          <Words
            label={`E-mail of ${name}`}
            type="email"
            value={signer.email}
            onInput={(text) => changeField(name, { signer: { ...signer, email: text } })}
          />
        </>
      )}
    </>
  );
}

function SignedFacts() {
  const { value } = result;
  if (value === null) return null;
  const { signature, warnings = [] } = value;
  const made = value.signatures ?? (signature === undefined ? [] : [signature]);
  return (
    <section class="facts-block" aria-label="Report">
      <h2>Signed</h2>
      {made.map((one, at) => (
        <dl key={at}>
          <dt>Level</dt>
          <dd>
            {extensionOf(value.fileName) === 'pdf' ? 'PAdES' : 'XAdES'} {one.level}
          </dd>
          <dt>Certificate</dt>
          <dd>
            <bdi>{one.certificate.subject}</bdi>
          </dd>
          <dt>Time</dt>
          <dd>{inTime(one.signingTime)}</dd>
        </dl>
      ))}
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
