import type { ArchivePart } from './archive-parts.ts';
import {
  CONTENTS,
  FIRST,
  LEVELS,
  type Level,
  REQUIRED,
  SEQUENCES,
  TEXTS,
  TRANSPARENT,
} from './child-orders.ts';
import { childNamed, elementsOf, pathOf, type XmlElement } from './xml-element.ts';

const KNOWN = /^(?:w|wp|a|pic):/;

/** Checks children and their order in elements that filling writes, as far as Word would otherwise ask for a repair. */
export function checkSchema(parts: ReadonlyMap<string, ArchivePart>): string[] {
  const faults: string[] = [];
  for (const { name, root } of parts.values()) {
    if (root === undefined) continue;
    checkIgnorable(name, root, faults);
    for (const element of elementsOf(root)) {
      const found = [
        ...checkSequence(element),
        ...checkRequired(element),
        ...checkContent(element),
        ...checkTable(element),
        ...checkText(element),
      ];
      faults.push(...found.map((fault) => `${name}: ${pathOf(element)} ${fault}`));
    }
  }
  return faults;
}

/** A prefix in mc:Ignorable must be declared (ECMA-376-3 §7.2): otherwise Word does not open the document. */
function checkIgnorable(part: string, root: XmlElement, faults: string[]): void {
  for (const prefix of root.attributes.get('mc:Ignorable')?.split(/\s+/) ?? [])
    if (prefix !== '' && !root.attributes.has(`xmlns:${prefix}`))
      faults.push(`${part}: mc:Ignorable names ${prefix}, which is not declared`);
}

function checkSequence({ name, children }: XmlElement): string[] {
  const sequence = SEQUENCES[name];
  if (sequence === undefined) return [];
  const faults: string[] = [];
  let last = -1;
  let lastName = '';
  for (const child of children) {
    if (!KNOWN.test(child.name)) continue;
    const place = sequence.findIndex((names) => names.split('|').includes(child.name));
    if (place === -1) faults.push(`may not hold ${child.name}`);
    else if (place === last) faults.push(`holds ${child.name} beside ${lastName}`);
    else if (place < last) faults.push(`holds ${child.name} behind ${lastName}`);
    if (place > last) [last, lastName] = [place, child.name];
  }
  return faults;
}

function checkRequired(element: XmlElement): string[] {
  const missing = (REQUIRED[element.name] ?? []).filter((name) => childNamed(element, name) === undefined);
  const faults = missing.map((name) => `lacks ${name}`);
  if (element.name === 'a:blip' && !element.attributes.has('r:embed') && !element.attributes.has('r:link'))
    faults.push('shows no image');
  return faults;
}

function checkContent(element: XmlElement): string[] {
  const level = levelOf(element);
  if (level === undefined) return [];
  const faults: string[] = [];
  const first = FIRST[element.name] ?? [];
  let hasContent = false;
  let place = -1;
  for (const { name } of element.children) {
    const own = first.indexOf(name);
    if (own !== -1) {
      if (hasContent || own <= place) faults.push(`holds ${name} behind what it must precede`);
      place = own;
      continue;
    }
    // Ranges may begin before a table's properties.
    hasContent ||= !(element.name === 'w:tbl' && /(?:Start|End)$/.test(name));
    if (name.startsWith('w:') && !isAllowed(element, name, level)) faults.push(`may not hold ${name}`);
  }
  return faults;
}

function isAllowed(element: XmlElement, name: string, level: Level): boolean {
  if (name === 'w:sectPr') return element.name === 'w:body';
  return CONTENTS[level].has(name);
}

/** Undefined if the content is not checked: elements in other namespaces, and properties. */
function levelOf(element: XmlElement): Level | undefined {
  for (let at: XmlElement | undefined = element; at !== undefined; at = at.parent) {
    const level = LEVELS[at.name];
    if (level !== undefined) return level;
    const isInside = TRANSPARENT.has(at.name) || (at.name === 'w:sdt' && at !== element);
    if (!isInside) return undefined;
  }
  return undefined;
}

function checkTable(element: XmlElement): string[] {
  const { name, children } = element;
  const level = name === 'w:sdtContent' ? levelOf(element) : undefined;
  if ((name === 'w:tbl' || level === 'row') && !holds(element, 'w:tr')) return ['has no row'];
  if ((name === 'w:tr' || level === 'cell') && !holds(element, 'w:tc')) return ['has no cell'];
  if (name === 'w:tc' && !endsWithParagraph(element)) return ['does not end with a paragraph'];
  if (name === 'w:txbxContent' && children.length === 0) return ['is empty'];
  return [];
}

function holds({ children }: XmlElement, name: string): boolean {
  return children.some((child) => child.name === name || (isAround(child) && holds(child, name)));
}

function isAround({ name }: XmlElement): boolean {
  return name === 'w:sdt' || TRANSPARENT.has(name);
}

function endsWithParagraph({ children }: XmlElement): boolean {
  const last = children.findLast(({ name }) => !/(?:Start|End|proofErr)$/.test(name));
  return last !== undefined && (last.name === 'w:p' || (isAround(last) && endsWithParagraph(last)));
}

function checkText({ name, text }: XmlElement): string[] {
  const isLoose = name.startsWith('w:') && !TEXTS.has(name) && text.trim() !== '';
  return isLoose ? ['holds loose text'] : [];
}
