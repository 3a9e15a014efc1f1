import type { Budget } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import {
  type OoxmlPackage,
  openPackage,
  type Part,
  type Relationship,
  writePackage,
} from '@scriptorium/ooxml/package';
import { NAMESPACES } from '@scriptorium/ooxml/xml';
import { activeContent } from '@scriptorium/sanitizer/active-content';
import { macros } from '@scriptorium/sanitizer/docx';
import { MergeError } from './merge-error.ts';
import type { PartScan } from './part-facts.ts';
import { PartScanner } from './part-scan.ts';
import { namespacesOf, type RootNames, toTransitional } from './root-names.ts';

/** A document to merge, opened. */
export interface Source {
  /** Its position in the request, starting at 0. */
  index: number;
  document: OoxmlPackage;
  /** By the key of the part. XML parts only. */
  scans: ReadonlyMap<string, PartScan>;
}

/**
 * Opens a document. A Strict one (ISO/IEC 29500-1) becomes Transitional. Links that are not safe to follow become text, and
 * active content is removed.
 * Throws MergeError.
 */
export async function openSource(bytes: Buffer, index: number, budget: Budget): Promise<Source> {
  try {
    const source = await repaired(bytes, index, budget);
    const strict = strictParts(source.document);
    const { main } = source.document;
    const body = source.scans.get(main.key)?.body;
    if (body === undefined)
      throw new OoxmlError('INVALID_FILE_FORMAT', `The document is damaged: ${main.name} has no body.`);
    const isEmpty = body.openEnd === body.end;
    if (strict.length === 0 && !isEmpty) return source;
    if (isEmpty) openBody(main, body.end);
    for (const part of strict) toTransitional(part);
    return await again(source, budget);
  } catch (error) {
    if (!(error instanceof OoxmlError)) throw error;
    throw new MergeError(error.code, error.message, { document: index, cause: error });
  }
}

/** Opens a document without what reading it has removed. */
async function repaired(bytes: Buffer, index: number, budget: Budget): Promise<Source> {
  const source = await scanned(bytes, index, budget);
  const isEdited = [...source.document.parts.values()].some(({ edits }) => edits.length > 0);
  return isEdited ? await again(source, budget) : source;
}

/** Writes a document and opens it again. */
async function again({ document, index }: Source, budget: Budget): Promise<Source> {
  const source = await scanned(writePackage(document, { isCompressed: false }), index, budget);
  return { ...source, document: { ...source.document, dropped: document.dropped } };
}

async function scanned(bytes: Buffer, index: number, budget: Budget): Promise<Source> {
  const scans = new Map<string, PartScan>();
  const visit = (part: Part) => {
    const scanner = new PartScanner(part.xml ?? '');
    scans.set(part.key, scanner.scan);
    return scanner.visitor;
  };
  return {
    index,
    document: await openPackage(bytes, [...activeContent(), macros(), { visit }], budget),
    scans,
  };
}

/** Gives an empty body a start tag and an end tag. */
function openBody(main: Part, end: number): void {
  const xml = main.xml ?? '';
  const tag = /<([^\s<>]+)[^<>]*\/>$/.exec(xml.slice(0, end));
  main.xml = `${xml.slice(0, end - 2)}></${tag?.[1]}>${xml.slice(end)}`;
  main.bytes = Buffer.from(main.xml);
  delete main.entry;
}

const STRICT = 'http://purl.oclc.org/ooxml/';

/** What has names of ISO/IEC 29500 Strict: parts, and the relationships of the package. */
function strictParts({ parts, relationships }: OoxmlPackage): (Part | Pick<Part, 'relationships'>)[] {
  const isStrict = ({ list }: Part['relationships']) => list.some(({ type }) => type.startsWith(STRICT));
  const found: (Part | Pick<Part, 'relationships'>)[] = [...parts.values()].filter(
    (part) => part.xml?.includes(STRICT) || isStrict(part.relationships),
  );
  return isStrict(relationships) ? [...found, { relationships }] : found;
}

/** The part to which the first relationship of this kind leads. */
export function partOf({ document }: Source, kind: string, from: Part = document.main): Part | undefined {
  const found = from.relationships.list.find(
    (relationship) => relationship.kind === kind && relationship.part,
  );
  return found?.part === undefined ? undefined : document.parts.get(found.part);
}

export function scanOf({ scans }: Source, { key, name }: Part): PartScan {
  const scan = scans.get(key);
  if (scan === undefined) throw new Error(`the part ${name} was not read`);
  return scan;
}

/** The names in the root of a part. */
export function rootOf(source: Source, part: Part): RootNames {
  const { root } = scanOf(source, part);
  return namespacesOf(part.xml?.slice(root?.start, root?.end) ?? '');
}

/** The declaration that elements of ours need in a part whose root has another meaning of `w`. */
export function namespaceIn(source: Source, part: Part): string {
  const { w } = NAMESPACES;
  return rootOf(source, part).namespaces.get('w') === w ? '' : ` xmlns:w="${w}"`;
}

/** The relationships of a part, by id. */
export function relationshipsOf({ relationships }: Part): Map<string, Relationship> {
  return new Map(relationships.list.map((relationship) => [relationship.id, relationship]));
}

/** A part, and all parts to which it leads. */
export function reachableFrom({ document }: Source, first: Part): Set<Part> {
  const found = new Set([first]);
  // A set also iterates over what is added meanwhile.
  for (const part of found)
    for (const { part: key } of part.relationships.list) {
      const next = key === undefined ? undefined : document.parts.get(key);
      if (next !== undefined) found.add(next);
    }
  return found;
}
