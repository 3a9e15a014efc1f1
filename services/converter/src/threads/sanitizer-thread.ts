import { setTextFont } from '@scriptorium/images/svg';
import {
  loadSanitizers,
  type Prepared,
  type PrepareOptions,
  prepare as prepareSource,
} from '@scriptorium/sanitizer/sanitize';
import { asBuffer, threadData } from '@scriptorium/shared/threads/thread';
import { warmUpDocuments } from '../engines/warm-up.ts';

/** The data that a thread starts with. */
export interface SanitizerThreadData {
  /** A font for the text of SVG images; without one the text does not show. */
  font?: Uint8Array | undefined;
  /** Whether EMF and WMF pictures of documents stay. By default they do. */
  metafiles?: PrepareOptions['metafiles'];
  /** Tables of so many rows and more may be split. By default all stay whole. */
  longTableRows?: number | undefined;
}

interface SanitizerRequest {
  bytes: Uint8Array;
  options: PrepareOptions & {
    /** Whether long tables may be split. */
    mayBeInPieces?: boolean;
  };
}

/** Rounds after which a thread's code is fully compiled. */
const WARM_UP_ROUNDS = 20;

const { font, metafiles, longTableRows } = threadData<SanitizerThreadData>();
await loadSanitizers();
setTextFont(font);

/** Checks some documents, so that the first caller does not wait for the compilation of the code. */
export async function ready(): Promise<void> {
  const options = { from: 'docx', revisions: 'markup', updateFields: 'none' } as const;
  const documents = warmUpDocuments();
  for (let round = 0; round < WARM_UP_ROUNDS; round++)
    for (const bytes of documents) await prepare({ bytes, options });
}

/** Sanitizes a document. */
export async function prepare({ bytes, options }: SanitizerRequest): Promise<Prepared> {
  const own = { metafiles, longTableRows: options.mayBeInPieces ? longTableRows : undefined };
  return await prepareSource(asBuffer(bytes), { ...options, ...own });
}
