import { SameInCode } from '../parts/code-block.tsx';
import { Choice } from '../parts/controls.tsx';
import { DropZone } from '../parts/drop-zone.tsx';
import { OptionDetails } from '../parts/option-control.tsx';
import { Preview } from '../parts/preview.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { ConversionFacts } from './conversion-facts.tsx';
import { TARGET_NAMES } from './convert-options.ts';
import {
  code,
  convert,
  convertFile,
  file,
  isPdf,
  operation,
  options,
  result,
  setOption,
  shownOptions,
  sources,
  targets,
  to,
} from './convert-state.ts';
import { type TabId, tab } from './current.ts';
import { addFile } from './merge-state.ts';
import { signFile } from './sign-state.ts';
import { verifyFile } from './verify-state.ts';

export function ConvertTab() {
  return (
    <>
      <div class="columns">
        <div class="side">
          <h1>Convert a document</h1>
          <DropZone
            what="a document"
            formats={sources.value}
            file={file.value}
            onFile={convertFile}
            sampleName="sample.docx"
            sampleWords="Convert the sample"
          />
          {isPdf.value ? <PdfWays /> : <Targets />}
          <ProblemCard problem={operation.problem.value} onRetry={convert} />
        </div>
        <Preview
          shown={result.value}
          isWorking={operation.isRunning.value}
          empty={
            <>
              <p class="big">Your document, as a PDF</p>
              <p>It is laid out by the service, in a sandbox, and shown here. Nothing is stored.</p>
            </>
          }
        />
        {result.value !== null && <ConversionFacts report={result.value.report} />}
      </div>
      {!isPdf.value && <SameInCode code={code.value} />}
    </>
  );
}

/** What else can be done with a PDF. */
function PdfWays() {
  const { value } = file;
  if (value === null) return null;
  const go = (id: TabId, take: (file: File) => void): void => {
    take(value);
    tab.value = id;
  };
  return (
    <section class="card" aria-label="A PDF">
      <h2>This is a PDF already</h2>
      <div class="row">
        <button type="button" class="primary" onClick={() => go('sign', signFile)}>
          Sign it
        </button>
        <button type="button" onClick={() => go('verify', verifyFile)}>
          Verify it
        </button>
        <button type="button" onClick={() => go('merge', addFile)}>
          Merge it
        </button>
      </div>
    </section>
  );
}

function Targets() {
  return (
    <>
      <Choice
        label="Convert to"
        value={to.value}
        choices={targets.value.map((name) => [name, TARGET_NAMES[name] ?? name])}
        onChange={(value) => {
          to.value = value as typeof to.value;
          convert();
        }}
      />
      <OptionDetails options={shownOptions.value} chosen={options.value} onChange={setOption} />
      {file.value !== null && (
        <button type="button" class="wide" onClick={convert}>
          Convert again
        </button>
      )}
    </>
  );
}
