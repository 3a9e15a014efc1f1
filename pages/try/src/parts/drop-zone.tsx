import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { extensionOf, sample } from '../documents.ts';
import { inBytes } from '../words.ts';

interface DropZoneProps {
  /** What to drop, such as `a document`. */
  what: string;
  formats: readonly string[];
  file: File | null;
  onFile: (file: File) => void;
  /** Several files may come at once, each to `onFile`. */
  isMany?: boolean;
  /** Name of a sample of the service, and the words of its button. */
  sampleName?: string;
  sampleWords?: string;
}

/** Takes a file: dropped, chosen, pasted, or a sample. */
export function DropZone({
  what,
  formats,
  file,
  onFile,
  isMany = false,
  sampleName,
  sampleWords,
}: DropZoneProps) {
  const takeAll = (files: FileList | undefined | null): void => {
    for (const one of [...(files ?? [])].slice(0, isMany ? undefined : 1)) onFile(one);
  };
  const id = useId();
  const isOver = useSignal(false);
  const isSampleAway = useSignal(false);
  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent): void => {
      const [pasted] = clipboardData?.files ?? [];
      if (pasted !== undefined && formats.includes(extensionOf(pasted.name))) onFile(pasted);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, [onFile]);
  const takeSample = async (): Promise<void> => {
    const file = sampleName === undefined ? null : await sample(sampleName).catch(() => null);
    isSampleAway.value = file === null;
    if (file !== null) onFile(file);
  };
  const over = (event: DragEvent): void => {
    event.preventDefault();
    isOver.value = true;
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    isOver.value = false;
    takeAll(event.dataTransfer?.files);
  };
  const choose = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
    takeAll(currentTarget.files);
    currentTarget.value = '';
  };
  return (
    <div class="drop-block">
      <label
        class={`drop${isOver.value ? ' over' : ''}${file === null ? '' : ' has-file'}`}
        for={id}
        onDragOver={over}
        onDragLeave={() => {
          isOver.value = false;
        }}
        onDrop={drop}
      >
        <input
          id={id}
          class="unseen"
          type="file"
          multiple={isMany}
          accept={formats.map((name) => `.${name}`).join(',')}
          onChange={choose}
        />
        {file === null ? (
          <>
            <strong>Drop {what} here</strong>
            <span>or click to choose, or paste · {formats.join(', ').toUpperCase()}</span>
          </>
        ) : (
          <>
            <strong class="file-name">
              <bdi>{file.name}</bdi>
            </strong>
            <span>{inBytes(file.size)} · drop or choose another</span>
          </>
        )}
      </label>
      {sampleName !== undefined && (
        <button type="button" class="link" onClick={takeSample}>
          {sampleWords ?? 'Use the sample'}
        </button>
      )}
      {isSampleAway.value && <p role="alert">The sample could not be loaded. Check your connection.</p>}
    </div>
  );
}
