import type { ArchivePart } from './archive-parts.ts';
import { childNamed, elementsOf, type XmlElement } from './xml-element.ts';

const RANGES = ['w:bookmark', 'w:commentRange', 'w:perm', 'w:moveFromRange', 'w:moveToRange'];
/** Largest paragraph id, exclusive (MS-DOCX §2.6.2.3). */
const PARAGRAPH_ID_END = 0x80000000;

/** A drawing's VML copy repeats its ids. */
function isRepeated({ name }: XmlElement): boolean {
  return name === 'mc:Fallback';
}

/** Checks ids that must be unique in a document, and ranges that must begin and end once each. */
export function checkIds(parts: ReadonlyMap<string, ArchivePart>): string[] {
  const faults: string[] = [];
  const controls = new Set<string>();
  const drawings = new Set<string>();
  const comments = new Set<string>();
  for (const { name, root } of parts.values())
    if (root?.name === 'w:comments')
      for (const { attributes } of root.children) comments.add(attributes.get('w:id') ?? name);
  for (const { name, root } of parts.values()) {
    // Building blocks are a separate document.
    if (root === undefined || name.includes('glossary/')) continue;
    const elements = [...elementsOf(root, isRepeated)];
    for (const element of elements) {
      const id = idOf(element);
      if (id === undefined) continue;
      const seen = element.name === 'w:sdtPr' ? controls : drawings;
      if (seen.has(id)) faults.push(`${name}: two ${element.name} have the id ${id}`);
      seen.add(id);
    }
    checkParagraphIds(name, elements, faults);
    for (const range of RANGES) checkRange(name, range, elements, faults);
    for (const { name: kind, attributes } of elements)
      if (kind === 'w:commentReference' && !comments.has(attributes.get('w:id') ?? ''))
        faults.push(`${name}: comment ${attributes.get('w:id')} is missing`);
  }
  return faults;
}

function idOf(element: XmlElement): string | undefined {
  if (element.name === 'wp:docPr') return element.attributes.get('id');
  if (element.name !== 'w:sdtPr') return undefined;
  return childNamed(element, 'w:id')?.attributes.get('w:val');
}

function checkParagraphIds(part: string, elements: readonly XmlElement[], faults: string[]): void {
  const seen = new Set<string>();
  for (const { attributes } of elements) {
    const id = attributes.get('w14:paraId');
    if (id === undefined) continue;
    if (seen.has(id)) faults.push(`${part}: two elements have the paragraph id ${id}`);
    if (!(Number.parseInt(id, 16) < PARAGRAPH_ID_END)) faults.push(`${part}: ${id} is not a paragraph id`);
    seen.add(id);
  }
}

function checkRange(part: string, range: string, elements: readonly XmlElement[], faults: string[]): void {
  const open = new Set<string>();
  const known = new Set<string>();
  const names = new Set<string>();
  for (const { name, attributes } of elements) {
    const id = attributes.get('w:id') ?? '';
    if (name === `${range}Start`) {
      if (known.has(id)) faults.push(`${part}: ${range}Start ${id} is there twice`);
      const title = attributes.get('w:name');
      if (range === 'w:bookmark' && title !== undefined && names.has(title))
        faults.push(`${part}: two bookmarks have the name ${title}`);
      names.add(title ?? '');
      known.add(id);
      open.add(id);
    } else if (name === `${range}End` && !open.delete(id)) {
      faults.push(`${part}: ${range}End ${id} ends nothing`);
    }
  }
  for (const id of open) faults.push(`${part}: ${range}Start ${id} has no end`);
}
