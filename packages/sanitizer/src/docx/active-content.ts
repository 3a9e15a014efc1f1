import { Budget } from '@scriptorium/ooxml/bounds';
import { type Dropped, type Inspector, openPackage, type Part, safeLinks } from '@scriptorium/ooxml/package';
import { applyEdits, Scope, scanXml, type XmlVisitor } from '@scriptorium/ooxml/xml';
import { SOURCE_SANITIZERS, type SourceFormat } from '../sources/sanitizers.ts';
import { activeFields, unsafeLinks } from './active-fields.ts';
import { addressAttributes } from './address-attributes.ts';
import { alternativeContents, noAlternativeContents, type VetOther } from './alternative-contents.ts';
import { type FieldRule, fields } from './fields.ts';
import { macros } from './macros.ts';
import { LINKS } from './references.ts';

export { MAIL_MERGE } from './address-attributes.ts';

/** What `activeContent` removes, besides links that are not safe. */
const ACTIVE_CONTENT = ['fields', 'external-content', 'remote-template'] as const;
export type ActiveContent = (typeof ACTIVE_CONTENT)[number];

const CONTENT_OF: Partial<Record<Dropped['what'], ActiveContent>> = {
  field: 'fields',
  'external relationship': 'external-content',
  'remote template': 'remote-template',
  'alternative content': 'external-content',
};

/** Which active content a document had that was opened with `activeContent`. */
export function activeContentIn(dropped: readonly Dropped[]): ActiveContent[] {
  const found = new Set(dropped.map(({ what }) => CONTENT_OF[what]));
  return ACTIVE_CONTENT.filter((content) => found.has(content));
}

/**
 * Creates the inspectors that remove what a Word document must not bring into a result that others edit. These are fields that
 * read, fetch or start something, linked pictures and objects, data sources, remote templates, and links that are not safe.
 * Results of fields and texts of links stay. Other fields keep their bytes.
 */
export function activeContent(): Inspector[] {
  const inside = () => [...passive(), macros(), noAlternativeContents()];
  return [...passive(), alternativeContents(inside, async (bytes) => bytes, vetChunk)];
}

/** Formats of content that is not Word's, as their sanitizers are named. */
const CHUNKS: Readonly<Record<string, SourceFormat>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/rtf': 'rtf',
  'text/rtf': 'rtf',
};

const vetChunk: VetOther = async ({ contentType, bytes }) => {
  if (contentType === 'text/plain') return { bytes, dropped: [] };
  const format = Object.hasOwn(CHUNKS, contentType) ? CHUNKS[contentType] : undefined;
  const sanitizer = format && (await SOURCE_SANITIZERS[format]());
  return sanitizer?.prepare(bytes, { revisions: 'markup', updateFields: 'none' });
};

function passive(): Inspector[] {
  return [
    linkedContent(),
    addressAttributes(true),
    safeLinks(),
    {
      visit: (part, dropped) =>
        HAS_FIELDS.test(part.xml ?? '') ? passiveFields().visit?.(part, dropped) : undefined,
    },
  ];
}

const passiveFields = () => fields([passedOn, unsafeLinks], true);

/**
 * Removes the fields that `activeContent` removes from a part that was filled: values and lists without rows make the code of a
 * field. Returns its text, or undefined if nothing changes. Throws OoxmlError.
 */
export function withoutActiveFields(part: Part, dropped: Dropped[]): string | undefined {
  const xml = applyEdits(part.xml ?? '', part.edits);
  if (!HAS_FIELDS.test(xml)) return undefined;
  const filled: Part = { ...part, xml, edits: [] };
  const visitor = passiveFields().visit?.(filled, dropped);
  if (visitor !== undefined)
    scanXml(xml, [visitor], { budget: new Budget(), part: part.name, names: Scope.root() });
  return filled.edits.length === 0 ? undefined : applyEdits(xml, filled.edits);
}

/**
 * What a Word document may start or fetch where it is opened, in document order of each kind: macros, and what `activeContent`
 * removes. The document stays as it is. Rejects with what `openPackage` throws.
 */
export async function actionsIn(bytes: Uint8Array): Promise<string[]> {
  const { dropped } = await openPackage(bytes, [macros(), ...activeContent()]);
  return dropped.map(({ what, detail }) => detail ?? what);
}

const HAS_FIELDS = /nstrText|fldSimple|fldChar/;
/** These act within the document, or show an object of it. */
const INNER_FIELDS = new Set(['EMBED', 'GOTOBUTTON']);
const passedOn: FieldRule = (field) => (INNER_FIELDS.has(field.name) ? undefined : activeFields(field));

/** Add-ins of the program that opens the document (MS-OWEXML). They come from a store, or from a folder that the document names. */
const ADD_INS = new Set(['webextensiontaskpanes', 'webextension']);
/** Elements that have no meaning without their relationship. */
const NEEDY = new Set([
  ...['w:attachedTemplate', 'w:altChunk', 'w:subDoc', 'w:dataSource', 'w:headerSource', 'w:src'],
  ...['w:control', 'w:sourceFileName', 'o:OLEObject'],
]);
function linkedContent(): Inspector {
  /** Ids of removed relationships, by the name of their part. */
  const removed = new Map<string, Set<string>>();
  return {
    keepsRelationship({ id, kind, isExternal, target }, source, dropped) {
      const isTemplate = kind === 'attachedTemplate';
      if (!isTemplate && !ADD_INS.has(kind) && (!isExternal || kind === 'hyperlink')) return true;
      const part = source?.name ?? '';
      dropped.push({ what: isTemplate ? 'remote template' : 'external relationship', part, detail: target });
      removed.set(part, (removed.get(part) ?? new Set()).add(id));
      return false;
    },
    visit(part, dropped) {
      const ids = removed.get(part.name) ?? new Set();
      const links = part.relationships.list.filter(({ isExternal }) => isExternal);
      if (ids.size + links.length === 0) return undefined;
      const targets = new Map(links.map(({ id, target }) => [id, target]));
      return withoutReferences(part, (id, element) => {
        const target = LINKS.has(element) ? undefined : targets.get(id);
        if (target !== undefined)
          dropped.push({ what: 'external relationship', part: part.name, detail: target });
        return target !== undefined || ids.has(id);
      });
    },
  };
}

/**
 * Removes what refers to removed relationships: Word refuses a document with a reference to none. Links that something else
 * uses go, too: readers take the id alone, and would load the address.
 */
function withoutReferences(part: Part, isGone: (id: string, element: string) => boolean): XmlVisitor {
  const isNeedy: boolean[] = [];
  return {
    '*': {
      open(tag) {
        const found = tag.attributes.filter(
          ({ name, value }) => (name.startsWith('r:') || name === 'o:relid') && isGone(value, tag.name),
        );
        for (const { start, end } of found)
          part.edits.push({ start: tag.start + start, end: tag.start + end, text: '' });
        isNeedy.push(found.length > 0 && NEEDY.has(tag.name));
      },
      close({ start, end }) {
        if (isNeedy.pop()) part.edits.push({ start, end, text: '' });
      },
    },
  };
}
