import type { Part } from '@scriptorium/ooxml/package';
import { attributeOf, type XmlNode } from '@scriptorium/ooxml/xml';

const REFERENCES = new Set(['w:headerReference', 'w:footerReference']);

/**
 * Finds the only section that shows a header or footer, by the key of its part. The function returns its number from 1;
 * undefined if there are several, or for notes. A section without one of a type has that of the section before
 * (ECMA-376-1 §17.10.5).
 */
export function sectionsOfStories(
  main: Part,
  sections: readonly XmlNode[],
): (partKey: string) => number | undefined {
  const byId = new Map(main.relationships.list.map(({ id, part }) => [id, part]));
  const users = new Map<string, Set<number>>();
  const current = new Map<string, string>();
  for (const [index, { children }] of sections.entries()) {
    for (const node of children) {
      if (!REFERENCES.has(node.name)) continue;
      const part = byId.get(attributeOf(node, 'r:id') ?? '');
      if (part !== undefined) current.set(`${node.name} ${attributeOf(node, 'w:type')}`, part);
    }
    for (const part of current.values()) users.set(part, (users.get(part) ?? new Set()).add(index + 1));
  }
  return (key) => {
    if (sections.length <= 1) return 1;
    const found = users.get(key);
    return found?.size === 1 ? [...found][0] : undefined;
  };
}
