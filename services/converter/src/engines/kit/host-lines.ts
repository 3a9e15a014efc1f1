import { DOCUMENT_LOADERS, type DocumentLoader } from '@scriptorium/contracts/jobs/conversion-report';
import type { MissingFont } from '../engine.ts';
import { parseSandbox, type Sandbox } from '../sandbox.ts';

const OUTCOMES = ['ok', 'unreadable', 'failed', 'indivisible'] as const;

/** A child's report about its job. It is not trusted: `text` may hold anything. */
export interface JobReport {
  verb: 'done';
  id: number;
  /** `garbled`: the line is not a report, and the other fields are empty. */
  outcome: (typeof OUTCOMES)[number] | 'garbled';
  /** The number of pages of the document. */
  pages: number;
  loadMs: number;
  updateMs: number;
  exportMs: number;
  /** Processor time of the job, measured from outside; 10 ms are the least. */
  cpuMs?: number;
  /** LibreOffice's reason, or its list of the fonts that it replaced. */
  text: string;
}

/** A message of the engine host. `engine-host/serve.h` describes the protocol. */
export type HostMessage =
  | { verb: 'ready'; version: string; loader: DocumentLoader; sandbox: Sandbox }
  | { verb: 'spare'; id: number; pid: number }
  | JobReport
  | { verb: 'dying'; id: number }
  | { verb: 'gone'; id: number; how: 'exit' | 'signal'; number: number; isUnused: boolean };

const LINE_CHARS_MAX = 8192;

/** Reads one line of the engine host; undefined if it does not follow the protocol. */
export function parseHostLine(line: string): HostMessage | undefined {
  const [verb = '', first = '', second = '', third = '', fourth = ''] = line.split(' ');
  const id = Number(first);
  if (verb === 'ready') {
    const loader = DOCUMENT_LOADERS.find((name) => name === second);
    const sandbox = parseSandbox(`${third} ${fourth}`);
    return sandbox && loader && { verb, version: first, loader, sandbox };
  }
  if (verb === 'spare') return { verb, id, pid: Number(second) };
  if (verb === 'dying') return { verb, id };
  if (verb === 'done') return parseReport(id, line);
  if (verb === 'gone' && (second === 'exit' || second === 'signal'))
    return { verb, id, how: second, number: Number(third), isUnused: fourth === 'unused' };
  return undefined;
}

const REPORT =
  /^done \d+ (ok|unreadable|failed|indivisible) (\d{1,7}) (\d{1,9}\.\d) (\d{1,9}\.\d) (\d{1,9}\.\d) (.*)$/;

/** The child wrote this text: errors in it are the child's fault, not the host's. */
function parseReport(id: number, line: string): JobReport {
  const [, outcome, pages = 0, loadMs = 0, updateMs = 0, exportMs = 0, text = ''] = REPORT.exec(line) ?? [];
  return {
    verb: 'done',
    id,
    outcome: OUTCOMES.find((known) => known === outcome) ?? 'garbled',
    pages: Number(pages),
    loadMs: Number(loadMs),
    updateMs: Number(updateMs),
    exportMs: Number(exportMs),
    text: unescapeBytes(text),
  };
}

/** Decodes `%XX` escapes, one byte each, into UTF-8 text. */
function unescapeBytes(text: string): string {
  const bytes = text.replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/**
 * Part of the font list of LibreOffice's user interface (UI_SANS in VCL.xcu). LibreOfficeKit paints its status bar now and
 * then while it loads, and reports this list, although no document asked for it.
 */
const USER_INTERFACE_FONT = ';Interface User;';

/**
 * The families in LibreOfficeKit's `{ "fontsmissing": [ "…", "…" ] }`, even if the text is cut off. The host adds a tab and the
 * font that was used, if it knows it. Nothing after the tab is the font of the name before.
 */
export function parseMissingFonts(text: string): MissingFont[] {
  const list = text.slice(text.indexOf('[') + 1);
  const fonts = new Map<string, MissingFont>();
  let last = '';
  for (const [, asked = '', used] of list.matchAll(/"([^"\t]{1,200})(?:\t([^"\t]{0,200}))?"/g)) {
    last = used === '' ? last : (used ?? '');
    if (!asked.includes(USER_INTERFACE_FONT))
      fonts.set(asked, last === '' ? { asked } : { asked, used: last });
  }
  return [...fonts.values()].sort((a, b) => (a.asked < b.asked ? -1 : 1));
}

/** Splits a stream of text into lines. An endless line is cut too, so that it cannot fill the memory. */
export function lineSplitter(onLine: (line: string) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, LINE_CHARS_MAX);
    for (const line of lines) onLine(line);
  };
}
