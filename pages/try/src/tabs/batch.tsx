import { ENCODINGS } from '@scriptorium/client/tables';
import { download } from '../documents.ts';
import { SameInCode } from '../parts/code-block.tsx';
import { Choice, MadeFormatChoice, Toggle } from '../parts/controls.tsx';
import { DropZone } from '../parts/drop-zone.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { counted, inBytes } from '../words.ts';
import {
  archive,
  code,
  done,
  encoding,
  failedCount,
  failures,
  fields,
  found,
  isSigned,
  isUnmapped,
  lines,
  mapping,
  operation,
  report,
  rowCount,
  run,
  setTable,
  setTemplate,
  TABLE_FORMATS,
  table,
  tableFile,
  template,
  to,
  unusedColumns,
  usedRows,
} from './batch-state.ts';
import { SignerWords } from './signer-words.tsx';

const ROWS_SHOWN = 5;
const COLUMNS_SHOWN = 20;
const SAMPLE_ROWS = `customer_name,order_number,total
Ada Lovelace,1842,"17,502"
"Charles ""Difference"" Babbage",1843,"1,200"
مريم الأسطرلابي,1844,960
`;

export function BatchTab() {
  return (
    <>
      <div class="columns">
        <div class="side">
          <h1>Make a batch</h1>
          <DropZone
            what="a template"
            formats={['docx']}
            file={template.value}
            onFile={setTemplate}
            sampleName="sample-template.docx"
            sampleWords="Use the sample template"
          />
          <DropZone
            what="a table of rows"
            formats={TABLE_FORMATS}
            file={tableFile.value}
            onFile={(file) => {
              encoding.value = '';
              void setTable(file);
            }}
          />
          <EncodingChoice />
          <button
            type="button"
            class="link"
            onClick={() => void setTable(new File([SAMPLE_ROWS], 'rows.csv'))}
          >
            Use sample rows
          </button>
          <MadeFormatChoice
            value={to.value}
            onChange={(value) => {
              to.value = value;
            }}
          />
          <Signing />
          <Start />
          <ProblemCard problem={operation.problem.value} onRetry={run} />
        </div>
        <div class="report">
          <Rows />
          <Mapping />
          <Progress />
        </div>
      </div>
      <SameInCode code={code.value} />
    </>
  );
}

function Signing() {
  return (
    <>
      <Toggle
        label="Sign each document"
        checked={isSigned.value}
        onChange={(checked) => {
          isSigned.value = checked;
        }}
      />
      {isSigned.value && <SignerWords />}
    </>
  );
}

function Start() {
  const isReady = report.value !== null && rowCount.value > 0;
  if (operation.isRunning.value && isReady)
    return (
      <button type="button" class="wide" onClick={() => operation.stop()}>
        Stop
      </button>
    );
  return (
    <>
      {isReady && isUnmapped.value && (
        <p class="note doubt">
          No column fills a field. All documents would be as the template is: choose a column for each field.
        </p>
      )}
      <button type="button" class="primary wide" disabled={!isReady || usedRows.value === 0} onClick={run}>
        {isReady ? `Make ${counted(usedRows.value, 'document')}` : 'Make the documents'}
      </button>
      {isReady && usedRows.value < rowCount.value && (
        <p class="note">
          A trial makes the first {usedRows.value} of {counted(rowCount.value, 'row')}. Your own key makes
          all.
        </p>
      )}
    </>
  );
}

/** Stays when the table cannot be read: another encoding may be the remedy. */
function EncodingChoice() {
  const { value: file } = tableFile;
  if (file === null) return null;
  const choices = ENCODINGS.map((name) => [name, name] as const);
  return (
    <Choice
      label="Encoding"
      value={encoding.value}
      choices={[['', found.value || 'Not found'], ...choices]}
      onChange={(name) => {
        encoding.value = name;
        void setTable(file);
      }}
    />
  );
}

function Rows() {
  const { value } = table;
  if (lines.value !== null)
    return (
      <p class="note">{counted(lines.value.length, 'row')} of JSON. Each is the data of one document.</p>
    );
  if (value === null)
    return (
      <div class="empty">
        <p class="big">One template, many documents</p>
        <p>The first row of the table names its columns. Each other row becomes a document.</p>
      </div>
    );
  return (
    <section class="card" aria-label="Rows">
      <h2>{counted(value.rows.length, 'row')}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard. */}
      <section class="scroll" tabIndex={0} aria-label="First rows">
        <table class="data">
          <thead>
            <tr>
              {value.columns.slice(0, COLUMNS_SHOWN).map((name) => (
                <th key={name} scope="col">
                  <bdi>{name}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {value.rows.slice(0, ROWS_SHOWN).map((cells, at) => (
              <tr key={at}>
                {value.columns.slice(0, COLUMNS_SHOWN).map((name, column) => (
                  <td key={name}>
                    <bdi>{cells[column]}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

function Mapping() {
  const { value } = table;
  if (value === null || report.value === null) return null;
  const columns = value.columns.map((name) => [name, name] as const);
  return (
    <section class="card" aria-label="Columns">
      <h2>Which column fills which field</h2>
      <div class="mapping">
        {fields.value.map(({ id, label }) => (
          <Choice
            key={id}
            label={label ?? id}
            value={mapping.value[id] ?? ''}
            choices={[['', '— as in the template —'], ...columns]}
            onChange={(column) => {
              mapping.value = { ...mapping.value, [id]: column };
            }}
          />
        ))}
      </div>
      {unusedColumns.value.length > 0 && (
        <p class="note">
          No field takes: <bdi>{unusedColumns.value.slice(0, COLUMNS_SHOWN).join(', ')}</bdi>
          {unusedColumns.value.length > COLUMNS_SHOWN &&
            ` and ${unusedColumns.value.length - COLUMNS_SHOWN} more`}
        </p>
      )}
    </section>
  );
}

function Progress() {
  const all = done.value + failedCount.value;
  if (all === 0 && !operation.isRunning.value) return null;
  return (
    <section class="card" aria-label="Progress">
      <h2>
        {counted(done.value, 'document')} made{failedCount.value > 0 && `, ${failedCount.value} failed`}
      </h2>
      <progress max={Math.max(1, usedRows.value, all)} value={all} aria-label="Rows done" />
      {archive.value !== null && (
        <button
          type="button"
          class="primary"
          onClick={() => archive.value && download('documents.zip', archive.value)}
        >
          Save documents.zip ({inBytes(archive.value.size)})
        </button>
      )}
      {failures.value.length > 0 && (
        <table class="data">
          <caption>Rows that failed</caption>
          <thead>
            <tr>
              <th scope="col">Row</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {failures.value.map(({ row, code: name, message }) => (
              <tr key={row}>
                <td class="number">{row}</td>
                <td>
                  <bdi>{message}</bdi> <code>{name}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
