import { useSignal } from '@preact/signals';
import { lastMade } from '../documents.ts';
import { SameInCode } from '../parts/code-block.tsx';
import { MadeFormatChoice } from '../parts/controls.tsx';
import { DropZone } from '../parts/drop-zone.tsx';
import { OptionDetails } from '../parts/option-control.tsx';
import { Preview } from '../parts/preview.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { moved, RowButtons } from '../parts/row-buttons.tsx';
import { counted, inBytes } from '../words.ts';
import {
  addFile,
  addSamples,
  code,
  type Entry,
  entries,
  hasPdf,
  merge,
  operation,
  options,
  result,
  setEntries,
  setOption,
  shownOptions,
  sources,
  to,
} from './merge-state.ts';

export function MergeTab() {
  const { length } = entries.value;
  return (
    <>
      <div class="columns">
        <div class="side">
          <h1>Merge documents</h1>
          <DropZone what="documents" formats={sources.value} file={null} onFile={addFile} isMany />
          {length === 0 ? (
            <button type="button" class="link" onClick={() => void addSamples()}>
              Use two samples
            </button>
          ) : (
            <Sequence />
          )}
          {!hasPdf.value && (
            <MadeFormatChoice
              value={to.value}
              onChange={(value) => {
                to.value = value;
                result.value = null;
              }}
            />
          )}
          <OptionDetails options={shownOptions} chosen={options.value} onChange={setOption} />
          <button
            type="button"
            class="primary wide"
            disabled={length === 0 || operation.isRunning.value}
            onClick={merge}
          >
            {length === 0 ? 'Merge' : `Merge ${counted(length, 'document')}`}
          </button>
          <ProblemCard problem={operation.problem.value} onRetry={merge} />
        </div>
        <Preview
          shown={result.value}
          isWorking={operation.isRunning.value}
          empty={
            <>
              <p class="big">Several documents, one file</p>
              <p>Word documents and PDFs, in the order of the list. Each keeps its pages and its headers.</p>
            </>
          }
        />
      </div>
      <SameInCode code={code.value} />
    </>
  );
}

/** The documents in their order: by dragging, or by buttons. */
function Sequence() {
  const held = useSignal<number | null>(null);
  const list = entries.value;
  const move = (from: number, to: number): void => setEntries(moved(list, from, to));
  const made = lastMade.value;
  return (
    <>
      <ol class="sequence" aria-label="Documents in their order">
        {list.map((entry: Entry, at) => (
          <li
            key={entry.id}
            draggable
            class={held.value === at ? 'held' : ''}
            onDragStart={() => {
              held.value = at;
            }}
            onDragEnd={() => {
              held.value = null;
            }}
            onDragOver={(event) => {
              event.preventDefault();
              if (held.value === null || held.value === at) return;
              move(held.value, at);
              held.value = at;
            }}
            onDrop={(event) => event.preventDefault()}
          >
            <span class="file-name">
              <bdi>{entry.file.name}</bdi> <small>{inBytes(entry.file.size)}</small>
            </span>
            <RowButtons
              what={`document ${at + 1}`}
              at={at}
              count={list.length}
              onMove={(to) => move(at, to)}
              onRemove={() => setEntries(list.toSpliced(at, 1))}
            />
          </li>
        ))}
      </ol>
      {made !== null && made.from !== 'Merge' && (
        <button type="button" class="link" onClick={() => addFile(new File([made.bytes], made.fileName))}>
          Add <bdi>{made.fileName}</bdi> of {made.from}
        </button>
      )}
    </>
  );
}
