import { OoxmlError } from './ooxml-error.ts';
import type { Relationship } from './package.ts';
import { resolveTarget } from './part-name.ts';
import { NAMESPACES } from './xml-names.ts';
import { type ScanContext, scanXml } from './xml-scan.ts';
import { NAME_CHARS_MAX } from './xml-tag.ts';
import { escapeXml, XML_DECLARATION } from './xml-text.ts';

/** Relationships that were left out. */
interface RelationshipDefects {
  /** The kinds of those without a target, by id. */
  lost: ReadonlyMap<string, string>;
  /** Ids that a second relationship has. The first one is kept, as LibreOffice does. */
  repeated: ReadonlySet<string>;
}

/** Without `pack:`, and without a letter of a drive, which some writers leave in names of parts. */
const URL_LIKE = /^\s*(?:(?!pack:)[a-z][a-z\d+.-]+:|[\\/]{2})/i;

function damaged(part: string, why: string): OoxmlError {
  return new OoxmlError('INVALID_FILE_FORMAT', `The document is damaged: ${part} ${why}.`);
}

/**
 * Reads a relationships part. `sourceName` is the part that they belong to, empty for the package. `find` returns the
 * key of the part of a name. Relationships without a target lead nowhere. They are left out, and so are those with the
 * id of an earlier one. Throws OoxmlError INVALID_FILE_FORMAT if an id is missing or too long, and the errors of
 * `scanXml`.
 */
export function readRelationships(
  xml: string,
  sourceName: string,
  find: (name: string) => string | undefined,
  context: ScanContext,
): { list: Relationship[]; defects: RelationshipDefects } {
  const list: Relationship[] = [];
  const ids = new Set<string>();
  const defects = { lost: new Map<string, string>(), repeated: new Set<string>() };
  const open = (attribute: (name: string) => string | undefined) => {
    const [id, type, target] = [attribute('Id'), attribute('Type'), attribute('Target')];
    const kind = type?.slice(type.lastIndexOf('/') + 1);
    if (id === undefined || type === undefined || kind === undefined)
      throw damaged(context.part, 'holds a relationship without Id or Type');
    if (id.length > NAME_CHARS_MAX)
      throw damaged(context.part, `holds an Id of more than ${NAME_CHARS_MAX} characters`);
    context.budget.addRelationships(1);
    if (ids.has(id)) {
      defects.repeated.add(id);
      return;
    }
    ids.add(id);
    if (target === undefined) {
      defects.lost.set(id, kind);
      return;
    }
    // A URL leads out of the package, whatever the mode says.
    const isExternal = attribute('TargetMode')?.trim().toLowerCase() === 'external' || URL_LIKE.test(target);
    const name = isExternal ? undefined : resolveTarget(sourceName, target);
    const part = name === undefined ? undefined : find(name);
    list.push({ id, type, kind, target, isExternal, ...(part === undefined ? {} : { part }) });
  };
  const known = new Set(['rel:Relationships', 'rel:Relationship']);
  scanXml(
    xml,
    [
      { 'rel:Relationship': { open: (tag) => open((name) => tag.attribute(name)) } },
      {
        '*': {
          open: ({ name }) => {
            if (!known.has(name)) throw damaged(context.part, 'holds an element that is not a relationship');
          },
        },
      },
    ],
    context,
  );
  return { list, defects };
}

/** Builds a relationships part of these relationships. */
export function writeRelationships(list: readonly Relationship[]): string {
  const items = list.map(({ id, type, target, isExternal }) => {
    const mode = isExternal ? ' TargetMode="External"' : '';
    return `<Relationship Id="${escapeXml(id)}" Type="${escapeXml(type)}" Target="${escapeXml(target)}"${mode}/>`;
  });
  return `${XML_DECLARATION}<Relationships xmlns="${NAMESPACES.rel}">${items.join('')}</Relationships>`;
}
