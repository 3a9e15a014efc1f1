import {
  GlobalWorkerOptions,
  getDocument,
  type PDFDocumentProxy,
  type PDFPageProxy,
  PDFWorker,
} from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

GlobalWorkerOptions.workerSrc = workerUrl;

/** Points of a page, as the viewer sees it. */
export interface PageSize {
  width: number;
  height: number;
}

/** Draws over the pages. Gets each page once it has a size. */
export type PageOverlay = (page: HTMLElement, number: number, size: PageSize) => void;

const PIXEL_RATIO_MAX = 2;
/** Pages this near to what shows are drawn; others give their pixels back. */
const NEAR = '800px 0px';

let worker: PDFWorker | undefined;

interface Sheet {
  element: HTMLElement;
  number: number;
  drawn: { canvas: HTMLCanvasElement; stop: () => void } | undefined;
}

/** Shows the pages of one PDF at a time. Only those near the window are drawn, so that 500 pages need little memory. */
export class PdfView {
  readonly #place: HTMLElement;
  #document: PDFDocumentProxy | undefined;
  #overlay: PageOverlay | undefined;
  #sheets = new Map<Element, Sheet>();
  #watcher: IntersectionObserver | undefined;
  #turn = 0;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  /** Returns the number of pages; undefined if another document came before. Throws if the bytes are not a PDF that can be read. */
  async show(bytes: Uint8Array, overlay?: PageOverlay): Promise<number | undefined> {
    const turn = ++this.#turn;
    worker ??= new PDFWorker();
    const task = getDocument({
      data: bytes.slice(),
      worker,
      useWasm: false,
      verbosity: 0,
    });
    const document = await task.promise;
    if (turn !== this.#turn) {
      void task.destroy();
      return undefined;
    }
    const first = sizeOf(await document.getPage(1));
    const scrolled = window.scrollY;
    this.#forget();
    this.#document = document;
    this.#overlay = overlay;
    this.#watcher = new IntersectionObserver((entries) => this.#seen(entries), { rootMargin: NEAR });
    for (let number = 1; number <= document.numPages; number++) this.#add(number, first);
    window.scrollTo({ top: scrolled, behavior: 'instant' });
    return document.numPages;
  }

  close(): void {
    this.#turn++;
    this.#forget();
  }

  #forget(): void {
    this.#watcher?.disconnect();
    for (const sheet of this.#sheets.values()) erase(sheet);
    this.#sheets.clear();
    this.#place.replaceChildren();
    void this.#document?.loadingTask.destroy();
    this.#document = undefined;
  }

  #add(number: number, { width, height }: PageSize): void {
    const element = document.createElement('div');
    element.className = 'page';
    element.style.aspectRatio = `${width} / ${height}`;
    this.#sheets.set(element, { element, number, drawn: undefined });
    this.#place.append(element);
    this.#watcher?.observe(element);
  }

  #seen(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const sheet = this.#sheets.get(target);
      if (sheet === undefined) continue;
      if (!isIntersecting) erase(sheet);
      else if (sheet.drawn === undefined) void this.#draw(sheet).catch(() => undefined);
    }
  }

  async #draw(sheet: Sheet): Promise<void> {
    const { element, number } = sheet;
    const canvas = document.createElement('canvas');
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `Page ${number}`);
    let stop = (): void => undefined;
    sheet.drawn = { canvas, stop: () => stop() };
    const page = await this.#document?.getPage(number);
    if (page === undefined || sheet.drawn?.canvas !== canvas) return;
    const size = sizeOf(page);
    element.style.aspectRatio = `${size.width} / ${size.height}`;
    const ratio = Math.min(window.devicePixelRatio, PIXEL_RATIO_MAX);
    const viewport = page.getViewport({ scale: (element.clientWidth / size.width) * ratio });
    canvas.width = Math.round(viewport.width);
    canvas.height = Math.round(viewport.height);
    const task = page.render({ canvas, viewport });
    stop = () => task.cancel();
    await task.promise;
    const text = await wordsOf(page);
    if (sheet.drawn?.canvas !== canvas) return;
    element.replaceChildren(canvas, text);
    this.#overlay?.(element, number, size);
  }
}

function erase(sheet: Sheet): void {
  if (sheet.drawn === undefined) return;
  sheet.drawn.stop();
  sheet.drawn.canvas.width = 0;
  sheet.drawn = undefined;
  sheet.element.replaceChildren();
}

function sizeOf(page: PDFPageProxy): PageSize {
  const { width, height } = page.getViewport({ scale: 1 });
  return { width, height };
}

/** The text of a page, for those who do not see it. */
async function wordsOf(page: PDFPageProxy): Promise<HTMLElement> {
  const { items } = await page.getTextContent();
  const text = document.createElement('p');
  text.className = 'unseen page-words';
  text.dir = 'auto';
  text.textContent = items
    .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
    .join('');
  return text;
}
