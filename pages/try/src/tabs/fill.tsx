import { SameInCode } from '../parts/code-block.tsx';
import { MadeFormatChoice } from '../parts/controls.tsx';
import { DropZone } from '../parts/drop-zone.tsx';
import { Preview } from '../parts/preview.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { counted } from '../words.ts';
import { DataForm } from './data-form.tsx';
import { FieldControl } from './field-control.tsx';
import {
  code,
  dataText,
  fields,
  file,
  fill,
  fillFile,
  fillSoon,
  hasRows,
  operation,
  report,
  result,
  TEMPLATE_FORMATS,
  to,
  way,
} from './fill-state.ts';

export function FillTab() {
  return (
    <>
      <div class="columns">
        <div class="side">
          <h1>Fill a template</h1>
          <DropZone
            what="a template"
            formats={TEMPLATE_FORMATS}
            file={file.value}
            onFile={fillFile}
            sampleName="sample-template.docx"
            sampleWords="Use the sample template"
          />
          {report.value !== null && (
            <>
              <WayChoice />
              {way.value === 'data' ? <DataText /> : hasRows.value ? <DataForm /> : <FieldForm />}
            </>
          )}
          <ProblemCard problem={operation.problem.value} onRetry={fill} />
          <MadeFormatChoice
            value={to.value}
            onChange={(value) => {
              to.value = value;
              fill();
            }}
          />
        </div>
        <Preview
          shown={result.value}
          isWorking={operation.isRunning.value}
          empty={
            <>
              <p class="big">Your template, filled as you type</p>
              <p>Content controls and placeholders such as {'{name}'} become a form.</p>
            </>
          }
        />
        <FillFacts />
      </div>
      <SameInCode code={code.value} />
    </>
  );
}

function WayChoice() {
  return (
    <fieldset class="segments">
      <legend class="unseen">How to give the values</legend>
      {(['form', 'data'] as const).map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="way"
            checked={way.value === name}
            onChange={() => {
              way.value = name;
              fillSoon();
            }}
          />
          <span>{name === 'form' ? 'Form' : 'Data (JSON)'}</span>
        </label>
      ))}
    </fieldset>
  );
}

function FieldForm() {
  if (fields.value.length === 0)
    return (
      <p class="note">
        This document has no fields. Add content controls in Word, or write placeholders such as {'{name}'},
        and drop it again.
      </p>
    );
  return (
    <form class="fields" onSubmit={(event) => event.preventDefault()}>
      {fields.value.map((field) => (
        <FieldControl key={field.id} field={field} />
      ))}
    </form>
  );
}

function DataText() {
  return (
    <div class="field">
      <label for="data">Data for the marks of the template</label>
      <textarea
        id="data"
        class="json"
        rows={14}
        spellcheck={false}
        value={dataText.value}
        onInput={({ currentTarget }) => {
          dataText.value = currentTarget.value;
          fillSoon();
        }}
      />
    </div>
  );
}

/** What matched and what did not. */
function FillFacts() {
  const { value } = result;
  const issues = report.value?.template.issues ?? [];
  if (value === null && issues.length === 0) return null;
  const { filled = 0, unmatched, unused, remaining = 0, warnings = [] } = value ?? {};
  return (
    <section class="facts-block" aria-label="Report">
      <h2>Report</h2>
      <ul class="remarks">
        <li>{counted(filled, 'place')} filled</li>
        {unmatched !== undefined && unmatched.count > 0 && (
          <li class="doubt">
            {counted(unmatched.count, 'entry', 'entries')} without a match:{' '}
            {unmatched.names.map((name) => (
              <code key={name}>{name}</code>
            ))}
          </li>
        )}
        {unused !== undefined && unused.count > 0 && (
          <li class="doubt">
            {counted(unused.count, 'value')} of the data that no mark reads:{' '}
            {unused.names.map((name) => (
              <code key={name}>{name}</code>
            ))}
          </li>
        )}
        {remaining > 0 && (
          <li class="doubt">
            {counted(remaining, 'mark')} still in the text. Data (JSON) also fills loops and conditions.
          </li>
        )}
        {[...warnings, ...issues.map(({ field, issue }) => `${field}: ${issue}`)].map((warning) => (
          <li key={warning} class="doubt">
            <bdi>{warning}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}
