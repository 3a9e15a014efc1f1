import { PdfError } from '../../pdf-error.ts';
import type { PdfDocument } from '../../read/document.ts';
import { Dict, Name, PdfString, type PdfValue, Stream } from '../../read/values.ts';
import type { Comparison } from '../comparison.ts';
import { contentOf } from '../content.ts';
import { changedKeys } from '../deep-equal.ts';
import { type Rule, type Subject, takes, WHOLE } from '../subject.ts';
import { withoutSaving } from '../xmp.ts';

/** Keys that every program updates when it saves a document (ISO 32000-2, table 349). */
const SAVED_BY = ['ModDate', 'Producer'];
/** Longer XMP is not compared. */
const XMP_CHARS_MAX = 1_000_000;

/** Permits document properties that no page shows. A certification without changes also forbids a new title. */
export const metadata: Rule = {
  name: 'metadata',
  claim(c, subject) {
    if (subject.kind === 'trailer') claimInfo(c, subject, 'Info');
    else if (subject.kind === 'info') claimInfo(c, subject);
    else if (subject.kind === 'metadata') claimXmp(c, subject, WHOLE, subject.before, subject.now);
    else if (subject.kind === 'extensions' && takes(subject, WHOLE))
      c.reportOnce('METADATA', subject.num, { least: 1 });
    else if (subject.kind === 'catalog') claimCatalog(c, subject);
    else if (subject.kind === 'page') claimPage(c, subject);
  },
};

function claimInfo(c: Comparison, subject: Subject, key: 'Info' | typeof WHOLE = WHOLE): void {
  if (!subject.pending.has(key)) return;
  const { num } = subject;
  const at = key === 'Info' ? '/Info' : '';
  const inside = (value: PdfValue, document: PdfDocument) =>
    key === 'Info' && value instanceof Dict ? document.get(value, 'Info') : value;
  const [before, now] = [inside(subject.before, c.older), inside(subject.now, c.newer)];
  if (now !== null && !(now instanceof Dict)) return;
  takes(subject, key);
  const old = before instanceof Dict ? before : new Dict(Buffer.alloc(0), 0);
  const keys = now ? changedKeys(c.older, old, c.newer, now) : [WHOLE];
  c.reportOnce('METADATA', num, { at, least: keys.every((name) => SAVED_BY.includes(name)) ? 1 : 2 });
}

function claimXmp(c: Comparison, subject: Subject, key: string, before: PdfValue, now: PdfValue): void {
  if (now !== null && !(now instanceof Stream)) return;
  takes(subject, key);
  const [old, text] = [xmpText(c, c.older, before), xmpText(c, c.newer, now)];
  const isOnlySaved = old !== undefined && old === text;
  c.reportOnce('METADATA', subject.num, { at: key && `/${key}`, least: isOnlySaved ? 1 : 2 });
}

/** Returns XMP without the properties for who saved it and when; undefined if it cannot be read. */
function xmpText(c: Comparison, document: PdfDocument, value: PdfValue): string | undefined {
  if (!(value instanceof Stream)) return undefined;
  try {
    // Latin 1 keeps the bytes: another encoding could make different letters equal.
    const text = contentOf(document, value, c.budget).toString('latin1');
    return text.length > XMP_CHARS_MAX ? undefined : withoutSaving(text);
  } catch (error) {
    if (error instanceof PdfError) return undefined;
    throw error;
  }
}

function claimCatalog(c: Comparison, subject: Subject): void {
  const { num, before, now } = subject;
  if (!(before instanceof Dict && now instanceof Dict)) return;
  const values = (key: string): [PdfValue, PdfValue] => [c.older.get(before, key), c.newer.get(now, key)];
  if (subject.pending.has('Metadata')) {
    const [old, value] = values('Metadata');
    if (value instanceof Stream) claimXmp(c, subject, 'Metadata', old, value);
  }
  const claim = (key: string, isPermitted: boolean, least: 1 | 2) => {
    if (isPermitted && takes(subject, key)) c.reportOnce('METADATA', num, { at: `/${key}`, least });
  };
  claim('Extensions', areKept(...values('Extensions')), 1);
  claim('Version', isRaised(...values('Version')), 1);
  claim('MarkInfo', values('MarkInfo')[1] instanceof Dict, 2);
}

/** Whether every developer with declared extensions still has some (ISO 32000-2, 7.12). */
function areKept(before: PdfValue, now: PdfValue): boolean {
  if (!(now instanceof Dict)) return false;
  return (
    before === null ||
    (before instanceof Dict && [...before.entries.keys()].every((key) => now.entries.has(key)))
  );
}

const isRaised = (before: PdfValue, now: PdfValue): boolean =>
  now instanceof Name && /^\d\.\d$/.test(now.text) && (!(before instanceof Name) || now.text >= before.text);

/** Keys of a node of the page tree, own and for its pages (ISO 32000-2, tables 30 and 31). */
const NODE_KEYS = ['Type', 'Parent', 'Kids', 'Count', 'Resources', 'MediaBox', 'CropBox', 'Rotate'];

/** Claims the modification date of a page and the tab order of its fields. */
function claimPage(c: Comparison, subject: Subject): void {
  const { num, now } = subject;
  if (!(now instanceof Dict)) return;
  const [saved, order] = [c.newer.get(now, 'LastModified'), c.newer.get(now, 'Tabs')];
  if (saved instanceof PdfString && takes(subject, 'LastModified'))
    c.reportOnce('METADATA', num, { at: '/LastModified', least: 1 });
  if (order instanceof Name && takes(subject, 'Tabs'))
    c.reportOnce('METADATA', num, { at: '/Tabs', least: 2 });
  // iText 2 and OpenPDF write their version into a node.
  const isNode = Array.isArray(c.newer.get(now, 'Kids'));
  for (const key of isNode ? [...subject.pending] : []) {
    if (NODE_KEYS.includes(key) || (subject.before instanceof Dict && subject.before.entries.has(key)))
      continue;
    if (now.get(key) instanceof PdfString && takes(subject, key))
      c.reportOnce('METADATA', num, { at: `/${key}`, least: 1 });
  }
}
