import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { download, extensionOf, fileOf } from '../documents.ts';
import { counted, inBytes } from '../words.ts';
import type { PageOverlay, PdfView } from './pdf-view.ts';

const loadPdfView = () =>
  import('./pdf-view.ts').catch(() => {
    throw new Error('what draws it could not be loaded: check your connection');
  });

/** Loads what shows PDFs, while the service still works. */
export const prepareShow = (): void => void loadPdfView().catch(() => undefined);

export interface Shown {
  bytes: Uint8Array<ArrayBuffer>;
  fileName: string;
}

interface PreviewProps {
  shown: Shown | null;
  isWorking: boolean;
  /** Shown until there is a document. */
  empty: ComponentChildren;
  /** Draws over a page of a PDF. */
  overlay?: PageOverlay;
}

/** A document that the service made: its pages, and a button to save it. */
export function Preview({ shown, isWorking, empty, overlay }: PreviewProps) {
  return (
    <div class={`preview${isWorking ? ' working' : ''}`} aria-busy={isWorking}>
      {isWorking && (
        <p class="progress" role="status">
          <span class="spinner" aria-hidden="true" /> Working…
        </p>
      )}
      {shown === null ? (
        <div class="empty">{!isWorking && empty}</div>
      ) : (
        <Document shown={shown} overlay={overlay} />
      )}
    </div>
  );
}

function Document({ shown, overlay }: { shown: Shown; overlay: PageOverlay | undefined }) {
  const pages = useSignal<number | null>(null);
  const extension = extensionOf(shown.fileName);
  return (
    <>
      <div class="preview-bar">
        <span class="file-name">
          <bdi>{shown.fileName}</bdi>
        </span>
        <span class="facts">
          {extension === 'pdf' && pages.value !== null && `${counted(pages.value, 'page')} · `}
          {inBytes(shown.bytes.length)}
        </span>
        <button type="button" class="primary" onClick={() => download(shown.fileName, fileOf(shown))}>
          Save
        </button>
      </div>
      {extension === 'pdf' ? (
        <PdfPages
          bytes={shown.bytes}
          overlay={overlay}
          onPages={(count) => {
            pages.value = count;
          }}
        />
      ) : (
        <OtherContent shown={shown} extension={extension} />
      )}
    </>
  );
}

interface PdfPagesProps {
  bytes: Uint8Array<ArrayBuffer>;
  overlay: PageOverlay | undefined;
  onPages: (count: number) => void;
}

function PdfPages({ bytes, overlay, onPages }: PdfPagesProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<PdfView | null>(null);
  const failure = useSignal('');
  useEffect(() => {
    let isGone = false;
    loadPdfView()
      .then(async ({ PdfView }) => {
        if (isGone || place.current === null) return;
        view.current ??= new PdfView(place.current);
        const count = await view.current.show(bytes, overlay);
        if (!isGone && count !== undefined) onPages(count);
        failure.value = '';
      })
      .catch((error: unknown) => {
        if (!isGone) failure.value = error instanceof Error ? error.message : String(error);
      });
    return () => {
      isGone = true;
    };
  }, [bytes, overlay]);
  useEffect(() => () => view.current?.close(), []);
  return (
    <>
      {failure.value !== '' && (
        <p class="note" role="alert">
          This PDF cannot be shown here ({failure.value}). You can still save it.
        </p>
      )}
      <section class="pages" ref={place} aria-label="Pages" />
    </>
  );
}

function OtherContent({ shown, extension }: { shown: Shown; extension: string }) {
  const url = useSignal('');
  useEffect(() => {
    if (extension !== 'png') return;
    url.value = URL.createObjectURL(fileOf(shown));
    return () => URL.revokeObjectURL(url.value);
  }, [shown.bytes]);
  if (extension === 'png')
    return (
      <div class="pages">{url.value !== '' && <img class="page" src={url.value} alt="First page" />}</div>
    );
  if (extension === 'txt' || extension === 'html')
    return (
      <pre class="text-page" dir="auto">
        {new TextDecoder().decode(shown.bytes).slice(0, 200_000)}
      </pre>
    );
  return (
    <div class="empty">
      <p>
        A {extension.toUpperCase()} file is ready. Browsers do not show it: save it, and open it in a word
        processor.
      </p>
    </div>
  );
}
