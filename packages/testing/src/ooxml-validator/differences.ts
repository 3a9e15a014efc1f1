import { type ArchivePart, readParts, TYPES_NAME } from './archive-parts.ts';
import { childNamed, elementsOf, type XmlElement } from './xml-element.ts';

/**
 * The differences between a template and the filled document, apart from the filled controls. Each part without a filled control
 * must have the same bytes at the same place of the archive. Each part with one must have the same text around its controls.
 * `names` are tags, aliases or ids of the filled controls, or strings in a JSON tag. Parts and relationships may be added, and
 * data of a bound control may change.
 */
export async function onlyFilledControlsDiffer(
  before: Buffer,
  after: Buffer,
  names: readonly string[],
): Promise<string[]> {
  const differences: string[] = [];
  const old = await readParts(before, differences);
  const made = await readParts(after, differences);
  const order = [...made.keys()];
  if (order.filter((name) => old.has(name)).join() !== [...old.keys()].join())
    differences.push('the parts are not those of the template in their order');
  if (order.slice(0, old.size).some((name) => !old.has(name)))
    differences.push('a new part stands before one of the template');
  const wanted = new Set(names);
  const isBound = [...old.values()].some((part) => filledIn(part, wanted).some(isDataBound));
  for (const part of old.values()) {
    const other = made.get(part.name);
    if (other === undefined) continue;
    if (part.bytes.equals(other.bytes)) continue;
    const fault = compare(part, other, wanted, isBound);
    if (fault !== undefined) differences.push(`${part.name} ${fault}`);
  }
  return differences;
}

function compare(
  before: ArchivePart,
  after: ArchivePart,
  names: ReadonlySet<string>,
  isBound: boolean,
): string | undefined {
  if (before.name === TYPES_NAME || before.name.endsWith('.rels')) return lostEntry(before, after);
  if (isBound && before.name.startsWith('customXml/')) return undefined;
  if (filledIn(before, names).length === 0) return 'differs and has no filled control';
  if (around(before, names) !== around(after, names)) return 'differs outside of its filled controls';
  return undefined;
}

function lostEntry(before: ArchivePart, after: ArchivePart): string | undefined {
  const keyOf = ({ name, attributes }: XmlElement) => JSON.stringify([name, [...attributes].toSorted()]);
  const kept = new Set(after.root?.children.map(keyOf));
  const lost = before.root?.children.find((entry) => !kept.has(keyOf(entry)));
  return lost && `lost ${keyOf(lost)}`;
}

/** The text of a part without its filled controls. */
function around(part: ArchivePart, names: ReadonlySet<string>): string {
  let text = '';
  let at = 0;
  for (const { start, end } of filledIn(part, names)) {
    if (start < at) continue;
    text += `${part.xml?.slice(at, start)}\0`;
    at = end;
  }
  return text + part.xml?.slice(at);
}

function filledIn({ root }: ArchivePart, names: ReadonlySet<string>): XmlElement[] {
  if (root === undefined) return [];
  return [...elementsOf(root)].filter(
    (element) => element.name === 'w:sdt' && namesOf(element).some((name) => names.has(name)),
  );
}

function namesOf(control: XmlElement): string[] {
  const properties = childNamed(control, 'w:sdtPr');
  const childValue = (name: string) => properties && childNamed(properties, name)?.attributes.get('w:val');
  const tag = childValue('w:tag') ?? '';
  const values = [tag, childValue('w:alias'), childValue('w:id')];
  if (tag.startsWith('{'))
    values.push(...Object.values(JSON.parse(tag) as Record<string, unknown>).map(String));
  return values.filter((value) => value !== undefined);
}

function isDataBound(control: XmlElement): boolean {
  const properties = childNamed(control, 'w:sdtPr');
  return properties !== undefined && childNamed(properties, 'w:dataBinding') !== undefined;
}
