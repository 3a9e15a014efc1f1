import type { ConversionReport } from './api-types.gen.ts';
import { ScriptoriumError } from './error.ts';

/** A document that the service made. */
export interface Made {
  bytes: Uint8Array<ArrayBuffer>;
  fileName: string;
  /** Number of pages, if the service counted them. */
  pages?: number;
  requestId: string;
}

export interface Converted extends Made {
  report: ConversionReport;
}

export interface Filled extends Made {
  /** Number of places that were filled. */
  filled: number;
  /** Number of values that match nothing, or that are missing, and the first of them. */
  unmatched: { count: number; names: string[] };
  /** Number of properties of the data that no mark reads, and the first of them. */
  unused: { count: number; names: string[] };
  /** Number of marks that filling fields left in the text. */
  remaining: number;
  warnings: string[];
}

/** A template with comments for its author. */
export interface Linted extends Made {
  /** Number of mistakes, for which the service refuses the template. */
  mistakes: number;
  /** Number of doubts. */
  doubts: number;
  warnings: string[];
}

/** Reads the facts in the headers of an answer. */
export function factsOf({ headers }: Response): Omit<Made, 'bytes'> {
  const pages = headers.get('x-page-count');
  return {
    fileName: fileNameOf(headers.get('content-disposition') ?? ''),
    ...(pages !== null && { pages: Number(pages) }),
    requestId: headers.get('x-request-id') ?? '',
  };
}

/** The names of RFC 6266: the extended one has all characters. */
function fileNameOf(disposition: string): string {
  const extended = /filename\*=UTF-8''([^;\r\n]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /filename="([^"]*)"/i.exec(disposition)?.[1] ?? '';
}

const listOf = (text: string | null): string[] => text?.split(', ').map(decodeURIComponent) ?? [];

export async function readMade(response: Response): Promise<Made> {
  return { bytes: new Uint8Array(await response.arrayBuffer()), ...factsOf(response) };
}

export async function readLinted(response: Response): Promise<Linted> {
  const { headers } = response;
  return {
    ...(await readMade(response)),
    mistakes: Number(headers.get('x-template-mistakes')),
    doubts: Number(headers.get('x-template-doubts')),
    warnings: listOf(headers.get('x-template-warnings')),
  };
}

export async function readFilled(response: Response): Promise<Filled> {
  return { ...(await readMade(response)), ...fillingOf(response) };
}

export function fillingOf({ headers }: Response): Omit<Filled, keyof Made> {
  const counted = (name: string) => ({
    count: Number(headers.get(name)),
    names: listOf(headers.get(`${name}-list`)),
  });
  return {
    filled: Number(headers.get('x-fields-filled')),
    unmatched: counted('x-fields-unmatched'),
    unused: counted('x-data-unused'),
    remaining: Number(headers.get('x-marks-remaining')),
    warnings: listOf(headers.get('x-annotate-warnings') ?? headers.get('x-generate-warnings')),
  };
}

/** Reads a document and its report (RFC 2046, 5.1.3). The service says how long the first part is. */
export async function readConverted(response: Response): Promise<Converted> {
  const all = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder('latin1').decode(all.subarray(0, 4096));
  const start = text.indexOf('\r\n\r\n') + 4;
  const head = text.slice(0, start);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
  const rest = new TextDecoder().decode(all.subarray(start + length));
  const json = /\r\n\r\n(.*)\r\n--/s.exec(rest)?.[1];
  if (json === undefined)
    throw new ScriptoriumError({ code: 'UNEXPECTED_ANSWER', message: 'The answer has no report.' });
  return {
    ...factsOf(response),
    bytes: all.slice(start, start + length),
    fileName: fileNameOf(head),
    report: JSON.parse(json) as ConversionReport,
  };
}
