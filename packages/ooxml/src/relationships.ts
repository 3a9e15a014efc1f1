import { OoxmlError } from './ooxml-error.ts';
import type { Relationship } from './package.ts';
import { resolveTarget } from './part-name.ts';
import { NAMESPACES } from './xml-names.ts';
import { type ScanContext, scanXml } from './xml-scan.ts';
import { NAME_CHARS_MAX } from './xml-tag.ts';
import { escapeXml, XML_DECLARATION } from './xml-text.ts';

function damaged(part: string, why: string): OoxmlError {
  return new OoxmlError('INVALID_FILE_FORMAT', `The document is damaged: ${part} ${why}.`);
}

/**
 * Reads a relationships part. `sourceName` is the part that they belong to, empty for the package. `find` returns the
 * key of the part of a name. `lost` gets the ids of hyperlinks without a target, which lead nowhere and are left out.
 * Throws OoxmlError INVALID_FILE_FORMAT if an id is missing, repeated or too long, and the
 * errors of `scanXml`.
 */
export function readRelationships(
  xml: string,
  sourceName: string,
  find: (name: string) => string | undefined,
  context: ScanContext,
  lost: Set<string>,
): Relationship[] {
  const list: Relationship[] = [];
  const ids = new Set<string>();
  const open = (attribute: (name: string) => string | undefined) => {
    const [id, type, target] = [attribute('Id'), attribute('Type'), attribute('Target')];
    const kind = type?.slice(type.lastIndexOf('/') + 1);
    const isLost = target === undefined && kind === 'hyperlink';
    if (id === undefined || type === undefined || kind === undefined || (target === undefined && !isLost))
      throw damaged(context.part, 'holds a relationship without Id, Type or Target');
    if (id.length > NAME_CHARS_MAX)
      throw damaged(context.part, `holds an Id of more than ${NAME_CHARS_MAX} characters`);
    if (ids.has(id)) throw damaged(context.part, 'holds two relationships with the same Id');
    ids.add(id);
    if (target === undefined) {
      lost.add(id);
      return;
    }
    const isExternal = attribute('TargetMode')?.trim().toLowerCase() === 'external';
    const name = isExternal ? undefined : resolveTarget(sourceName, target);
    const part = name === undefined ? undefined : find(name);
    list.push({ id, type, kind, target, isExternal, ...(part === undefined ? {} : { part }) });
    context.budget.addRelationships(1);
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
  return list;
}

/** Builds a relationships part of these relationships. */
export function writeRelationships(list: readonly Relationship[]): string {
  const items = list.map(({ id, type, target, isExternal }) => {
    const mode = isExternal ? ' TargetMode="External"' : '';
    return `<Relationship Id="${escapeXml(id)}" Type="${escapeXml(type)}" Target="${escapeXml(target)}"${mode}/>`;
  });
  return `${XML_DECLARATION}<Relationships xmlns="${NAMESPACES.rel}">${items.join('')}</Relationships>`;
}
