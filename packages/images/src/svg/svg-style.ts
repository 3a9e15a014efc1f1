/** The reason why an SVG image is not drawn. The message appears in reports. */
export class SvgRefusal extends Error {}

/** The ids that a style causes to be drawn again: beside the element, or for each element that inherits them. */
export interface StyleReferences {
  ids: string[];
  /** References of fills and strokes, which descendants inherit. */
  inherited: string[];
  markers: string[];
}

/** A style sheet's references by class name, and its number of selectors. */
export interface StyleSheet {
  byClass: ReadonlyMap<string, StyleReferences>;
  selectors: number;
}

const CLASSES_ONLY = /^\s*\.[\w-]+\s*(?:,\s*\.[\w-]+\s*)*$/;

/** The ids that a style refers to. Throws SvgRefusal for any other reference, or for syntax that could hide one. */
function idsIn(css: string): string[] {
  if (/\\|@import|image-set/i.test(css)) throw new SvgRefusal('its style refers to another file');
  return [...css.matchAll(/(?:url|src)\s*\(\s*["']?\s*([^"')]*)/gi)].map(([, address = '']) => {
    if (!address.startsWith('#')) throw new SvgRefusal('its style refers to another file');
    return address.slice(1).trim();
  });
}

/** Adds the references of one property of an element. */
export function addReferences(to: StyleReferences, property: string, value: string): void {
  const name = property.trim().toLowerCase();
  if (name.startsWith('marker')) append(to.markers, idsIn(value));
  else if (name === 'fill' || name === 'stroke') append(to.inherited, idsIn(value));
  else append(to.ids, idsIn(value));
}

/** One by one: hundreds of thousands of arguments would overflow the stack. */
function append(to: string[], more: readonly string[]): void {
  for (const id of more) to.push(id);
}

export function noReferences(): StyleReferences {
  return { ids: [], inherited: [], markers: [] };
}

/** Adds the references in the declarations of a rule or a `style` attribute. */
export function addDeclarations(to: StyleReferences, declarations: string): void {
  for (const declaration of declarations.split(';')) {
    const colon = declaration.indexOf(':');
    if (colon !== -1) addReferences(to, declaration.slice(0, colon), declaration.slice(colon + 1));
  }
}

/**
 * Reads the style sheets of a picture. Throws SvgRefusal if one refers to anything outside, or if class names do not
 * suffice to find the elements that repeat something.
 */
export function readStyleSheet(css: string): StyleSheet {
  const text = withoutComments(css);
  idsIn(text);
  const byClass = new Map<string, StyleReferences>();
  let selectors = 0;
  for (const [selector, declarations] of rulesOf(text)) {
    selectors += selector.split(',').length;
    if (!declarations.includes('(')) continue;
    const references = noReferences();
    addDeclarations(references, declarations);
    const { ids, inherited, markers } = references;
    if (ids.length + inherited.length + markers.length === 0) continue;
    if (!CLASSES_ONLY.test(selector))
      throw new SvgRefusal('its style sheet has references in rules with other selectors than classes');
    for (const [, name = ''] of selector.matchAll(/\.([\w-]+)/g)) {
      const known = byClass.get(name) ?? noReferences();
      append(known.ids, ids);
      append(known.inherited, inherited);
      append(known.markers, markers);
      byClass.set(name, known);
    }
  }
  return { byClass, selectors };
}

/** A regular expression would take quadratic time: it would start again at each unclosed comment. */
function withoutComments(css: string): string {
  let text = '';
  let at = 0;
  for (let start = css.indexOf('/*'); start !== -1; start = css.indexOf('/*', at)) {
    const end = css.indexOf('*/', start + 2);
    if (end === -1) break;
    text += `${css.slice(at, start)} `;
    at = end + 2;
  }
  return text + css.slice(at);
}

/** Selector and declarations of each innermost pair of braces. */
function* rulesOf(css: string): Generator<[selector: string, declarations: string]> {
  let selector: string | undefined;
  let start = 0;
  for (const { index, 0: brace } of css.matchAll(/[{}]/g)) {
    const text = css.slice(start, index);
    if (brace === '}' && selector !== undefined) yield [selector, text];
    selector = brace === '{' ? text : undefined;
    start = index + 1;
  }
}
