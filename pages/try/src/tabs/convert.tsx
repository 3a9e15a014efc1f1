import { SameInCode } from '../parts/code-block.tsx';
import { Choice, Toggle, Words } from '../parts/controls.tsx';
import { DropZone } from '../parts/drop-zone.tsx';
import { Preview } from '../parts/preview.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { ConversionFacts } from './conversion-facts.tsx';
import {
  code,
  convert,
  convertFile,
  file,
  operation,
  options,
  result,
  setOption,
  sources,
  targets,
  to,
} from './convert-state.ts';

const TARGET_NAMES: Record<string, string> = {
  pdf: 'PDF',
  docx: 'Word (DOCX)',
  odt: 'OpenDocument (ODT)',
  html: 'HTML',
  txt: 'Plain text',
  png: 'Picture of page 1 (PNG)',
};

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
          <Choice
            label="Convert to"
            value={to.value}
            choices={targets.value.map((name) => [name, TARGET_NAMES[name] ?? name])}
            onChange={(value) => {
              to.value = value as typeof to.value;
              convert();
            }}
          />
          <Options />
          {file.value !== null && (
            <button type="button" class="wide" onClick={convert}>
              Convert again
            </button>
          )}
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
      <SameInCode code={code.value} />
    </>
  );
}

function Options() {
  const isPdf = to.value === 'pdf';
  const value = options.value;
  return (
    <details class="options">
      <summary>Options</summary>
      {isPdf && (
        <>
          <Choice
            label="Archive (PDF/A)"
            value={value.pdfa ?? ''}
            choices={[
              ['', 'No'],
              ['1b', 'PDF/A-1b'],
              ['2b', 'PDF/A-2b'],
              ['3b', 'PDF/A-3b'],
            ]}
            onChange={(chosen) => setOption('pdfa', chosen)}
          />
          <Words
            label="Pages"
            value={value.pages ?? ''}
            placeholder="All, or 1-3,5"
            onInput={(text) => setOption('pages', text)}
          />
          <Choice
            label="Comments"
            value={value.comments ?? ''}
            choices={[
              ['', 'Leave out'],
              ['margin', 'In the margin'],
            ]}
            onChange={(chosen) => setOption('comments', chosen)}
          />
          <Toggle
            label="For assistive technology (PDF/UA)"
            checked={value.pdfua ?? false}
            onChange={(checked) => setOption('pdfua', checked)}
          />
        </>
      )}
      <Choice
        label="Tracked changes"
        value={value.revisions ?? ''}
        choices={[
          ['', 'By the document'],
          ['final', 'Accepted'],
          ['original', 'Rejected'],
          ['markup', 'Shown'],
        ]}
        onChange={(chosen) => setOption('revisions', chosen)}
      />
      <Choice
        label="Fields"
        value={value.updateFields ?? ''}
        choices={[
          ['', 'Update the table of contents'],
          ['none', 'Keep all as they are'],
          ['all', 'Update all'],
        ]}
        onChange={(chosen) => setOption('updateFields', chosen)}
      />
    </details>
  );
}
