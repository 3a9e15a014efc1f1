import { posix } from 'node:path';
import type { ArchivePart } from './archive-parts.ts';
import { TYPES_NAME } from './archive-parts.ts';
import { elementsOf, pathOf } from './xml-element.ts';

interface Link {
  id: string;
  kind: string;
  /** Name of the part; undefined if it is external. */
  target: string | undefined;
}

const RELS = /^(.*?)_rels\/([^/]*)\.rels$/;

/**
 * Relationships (ECMA-376-2 §6.5): ids are unique, targets exist, and each part can be reached from the root. Each `r:…`
 * attribute refers to a relationship of its own part.
 */
export function checkRelationships(parts: ReadonlyMap<string, ArchivePart>): string[] {
  const faults: string[] = [];
  const links = new Map<string, Link[]>();
  for (const part of parts.values()) {
    const [, folder, name] = RELS.exec(part.name) ?? [];
    if (folder === undefined || name === undefined) continue;
    const source = folder + name;
    if (source !== '' && !parts.has(source)) faults.push(`${part.name} belongs to no part`);
    links.set(source, readLinks(part, source, parts, faults));
  }
  checkReach(parts, links, faults);
  for (const part of parts.values()) checkReferences(part, links.get(part.name) ?? [], faults);
  return faults;
}

function readLinks(
  part: ArchivePart,
  source: string,
  parts: ReadonlyMap<string, ArchivePart>,
  faults: string[],
): Link[] {
  const links: Link[] = [];
  for (const { name, attributes } of part.root?.children ?? []) {
    const [id, type, target] = ['Id', 'Type', 'Target'].map((key) => attributes.get(key));
    if (name !== 'rel:Relationship' || id === undefined || type === undefined || target === undefined) {
      faults.push(`${part.name} contains an element that is not a relationship`);
      continue;
    }
    if (links.some((other) => other.id === id)) faults.push(`${part.name} holds the id ${id} twice`);
    const kind = type.slice(type.lastIndexOf('/') + 1);
    const isExternal = attributes.get('TargetMode') === 'External' || target.startsWith('#');
    const resolved = isExternal ? undefined : resolve(source, target, parts);
    links.push({ id, kind, target: resolved });
    if (isExternal) continue;
    const found = resolved === undefined ? undefined : parts.get(resolved);
    if (found === undefined) faults.push(`${part.name}: ${id} leads to ${target}, which does not exist`);
    else if (kind === 'image' && !found.contentType.startsWith('image/'))
      faults.push(`${part.name}: ${id} leads to an image of the type ${found.contentType}`);
  }
  return links;
}

function resolve(
  source: string,
  target: string,
  parts: ReadonlyMap<string, ArchivePart>,
): string | undefined {
  const path = target.split('#')[0] ?? '';
  const name = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(source), path);
  const wanted = decodeURI(name).toLowerCase();
  return [...parts.keys()].find((key) => key === name || decodeURI(key).toLowerCase() === wanted);
}

function checkReach(
  parts: ReadonlyMap<string, ArchivePart>,
  links: ReadonlyMap<string, Link[]>,
  faults: string[],
): void {
  const reached = new Set<string>();
  const next = [''];
  for (let source = next.pop(); source !== undefined; source = next.pop())
    for (const { target } of links.get(source) ?? []) {
      if (target === undefined || reached.has(target)) continue;
      reached.add(target);
      next.push(target);
    }
  for (const name of parts.keys())
    if (name !== TYPES_NAME && !RELS.test(name) && !reached.has(name))
      faults.push(`no relationship leads to ${name}`);
}

function checkReferences({ name, root }: ArchivePart, links: readonly Link[], faults: string[]): void {
  if (root === undefined || RELS.test(name)) return;
  const ids = new Set(links.map(({ id }) => id));
  for (const element of elementsOf(root))
    for (const [attribute, value] of element.attributes)
      if (attribute.startsWith('r:') && value !== '' && !ids.has(value))
        faults.push(
          `${name}: ${pathOf(element)} refers to ${value}, which is not a relationship of the part`,
        );
}
