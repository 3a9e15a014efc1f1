import { unlessMalformed } from '../pdf-error.ts';
import type { PdfDocument } from '../read/document.ts';
import { eachPage } from '../read/pages.ts';
import { Dict, PdfString, type PdfValue, Stream } from '../read/values.ts';
import type { RemovedAction } from './action-types.ts';
import { type IsSafeLink, judgeAction, judgeKeys } from './judge-action.ts';

/** Keys by which readers get to actions (ISO 32000-2, 12.6), from the catalog and from pages. */
const WAYS = [
  ...['OpenAction', 'AcroForm', 'Outlines', 'Fields', 'Kids', 'First', 'Annots', 'A', 'PA', 'AA', 'Next'],
  ...['Names', 'JavaScript', '3DD', 'Movie', 'Sound', 'FS', 'SV', 'Cert'],
];
/** Kinds of what was found, each of which is listed once. */
const FOUND_MAX = 20;
const VALUES_MAX = 200_000;

/** Returns the actions of a PDF that start, send or fetch something, and its unsafe links: each kind once, up to 20. */
export function findActions(document: PdfDocument, isSafeLink: IsSafeLink): RemovedAction[] {
  const found = new Map<string, RemovedAction>();
  const seen = new Set<PdfValue>();
  const base = unlessMalformed(() => {
    const links = document.dict(document.catalog.value, 'URI');
    return links && document.get(links, 'Base');
  });
  if (base instanceof PdfString && !isSafeLink(base.text))
    found.set('base', { what: 'link', detail: base.text });
  const waiting: PdfValue[] = [document.catalog.value, ...eachPage(document)];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    const at = value;
    const resolved = unlessMalformed(() => document.resolve(at));
    if (typeof resolved !== 'object' || resolved === null || seen.has(resolved)) continue;
    seen.add(resolved);
    if (seen.size > VALUES_MAX || found.size === FOUND_MAX) break;
    if (Array.isArray(resolved)) for (const item of resolved) waiting.push(item);
    const dict = resolved instanceof Stream ? resolved.dict : resolved;
    if (!(dict instanceof Dict)) continue;
    const judged = unlessMalformed(() => judgeAction(document, dict, isSafeLink));
    const keys = unlessMalformed(() => judgeKeys(document, dict, isSafeLink));
    for (const removed of judged ? [judged] : (keys?.values() ?? []))
      found.set(`${removed.what} ${removed.detail}`, removed);
    for (const key of WAYS) if (dict.entries.has(key)) waiting.push(dict.get(key));
    const triggers = unlessMalformed(() => document.dict(dict, 'AA'));
    for (const { value: action } of triggers?.entries.values() ?? []) waiting.push(action);
  }
  return [...found.values()];
}
