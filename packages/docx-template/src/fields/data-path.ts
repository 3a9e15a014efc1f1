import { attributeOf, canonicalName, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Binding } from '../template/controls.ts';

/** The place in a data part to which a binding refers: the text or an attribute of an element. */
export interface DataPlace {
  element: XmlNode;
  attribute: string | undefined;
}

const STEP = /^(@?)(?:([\w.-]+):)?([\w.-]+)(?:\[(\d{1,6})\])?$/;
const MAPPING = /xmlns:([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const STEPS_MAX = 256;

/**
 * Follows the path of a binding from the root of a data part. Supports steps of names and positions, as Word writes
 * them. Undefined if the path leads nowhere or has another form.
 */
export function followPath({ xpath, prefixes }: Binding, root: XmlNode): DataPlace | undefined {
  if (!xpath.startsWith('/')) return undefined;
  const namespaces = new Map<string, string>();
  for (const [, prefix = '', double, single] of prefixes.matchAll(MAPPING))
    namespaces.set(prefix, double ?? single ?? '');
  const steps = xpath.slice(1).split('/', STEPS_MAX);
  let element: XmlNode | undefined;
  let siblings: readonly XmlNode[] = [root];
  for (const [index, text] of steps.entries()) {
    const step = readStep(text, namespaces);
    if (step === undefined) return undefined;
    if (step.isAttribute) {
      const isThere = element !== undefined && attributeOf(element, step.name) !== undefined;
      return isThere && element !== undefined && index === steps.length - 1
        ? { element, attribute: step.name }
        : undefined;
    }
    element = siblings.filter(({ name }) => name === step.name)[step.position - 1];
    if (element === undefined) return undefined;
    siblings = element.children;
  }
  return element && { element, attribute: undefined };
}

function readStep(text: string, namespaces: ReadonlyMap<string, string>) {
  const [, at, prefix, local = '', position] = STEP.exec(text) ?? [];
  if (local === '') return undefined;
  const uri = prefix === undefined ? '' : namespaces.get(prefix);
  if (uri === undefined) return undefined;
  return { isAttribute: at === '@', name: canonicalName(uri, local), position: Number(position ?? 1) };
}
