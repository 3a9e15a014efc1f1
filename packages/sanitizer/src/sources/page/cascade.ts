import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import { isMatch, type Pseudo, type Selector, selectorsOf } from './selectors.ts';
import {
  type Declaration,
  declarationsOf,
  type OnOmitted,
  type StyleRule,
  withoutComments,
} from './style-sheet.ts';
import type { PageElement } from './tree.ts';
import type { Variables } from './variables.ts';

/** The properties of an element by their names, with values in small letters. */
export type Styles = ReadonlyMap<string, string>;

/** Those that decide what a page shows. */
const READ =
  /^(?:display|visibility|opacity|font|font-size|overflow(?:-[xy])?|(?:max-)?(?:height|width)|position|left|right|top|bottom|text-indent|margin-left|padding(?:-(?:top|bottom|left))?|clip|clip-path|color|(?:-webkit-)?background-clip|list-style(?:-type)?|(?:page-)?break-(?:before|after)|content|counter-(?:reset|increment)|transform|background|background-color)$/;
/** Declarations that lose or show content if their rule is not understood. */
const DECISIVE =
  /^(?:display|visibility|opacity|content|counter-(?:reset|increment)|(?:page-)?break-(?:before|after))$/;
/** Values of `display` that a browser takes. */
const DISPLAY =
  /^(?:none|contents|block|inline|flow|flow-root|(?:inline-)?(?:block|flex|grid|table)|list-item|table-[a-z-]+|ruby[a-z-]*|-webkit-[a-z-]+|inherit|initial|unset|revert|revert-layer)\b/;
/** Values of other browsers. A browser ignores the declaration. */
const FOREIGN = /^-(?:ms|moz|o)-|[\\{}]/;
const VALUE_CHARS_MAX = 1_000;
const IMPORTANT = /!\s*important$/i;
/** Sides of a shorthand of one to four lengths. */
const SIDES: Readonly<Record<string, number>> = { top: 0, left: 3, bottom: 2 };
const FONT_SIZE = /(?:^|\s)([\d.]+(?:[a-z]{2,3}|%)?)(?=\/|\s)/i;

const isDecisive = ({ name }: Declaration): boolean => DECISIVE.test(name);

/** Whether a declaration is read here alone, and not by LibreOffice. */
export const isOnlyRead = (declaration: Declaration): boolean =>
  declaration.name.startsWith('--') || (isDecisive(declaration) && !declaration.name.includes('break-'));

interface Rule extends Selector {
  order: number;
  declarations: readonly Declaration[];
  parts: readonly Part[];
}

/** The longhands of a declaration. */
function longhands(name: string, value: string): readonly (readonly [string, string])[] {
  if (name === 'background') return [['background-color', value]];
  if (name === 'font') return [['font-size', FONT_SIZE.exec(value)?.[1] ?? 'medium']];
  if (name === 'overflow')
    return [
      ['overflow-x', value],
      ['overflow-y', value.split(/\s+/).at(-1) ?? ''],
    ];
  if (name.startsWith('page-break-')) return [[name.slice('page-'.length), value]];
  if (name.startsWith('-webkit-')) return [[name.slice('-webkit-'.length), value]];
  if (name === 'list-style') return [['list-style-type', markerIn(value)]];
  if (name !== 'padding') return [[name, value]];
  const sides = value.split(/\s+/);
  return Object.entries(SIDES).map(([side, at]) => {
    return [`padding-${side}`, sides[at] ?? sides[at % 2] ?? sides[0] ?? ''] as const;
  });
}

/** The marker of a `list-style`, beside its position and picture. */
function markerIn(value: string): string {
  const text = /"[^"]*"|'[^']*'/.exec(value)?.[0];
  const words = value.split(/\s+/).filter((word) => !/^(?:inside|outside|url\(.*)$/i.test(word));
  return text ?? words.at(-1) ?? 'disc';
}

/** A longhand that is read, with its value. */
interface Part {
  name: string;
  value: string;
  isImportant: boolean;
}

function partsOf(declarations: readonly Declaration[]): Part[] {
  return declarations.flatMap(({ name, value }) => {
    if (!READ.test(name)) return [];
    const plain = value.replace(IMPORTANT, '').trim();
    const isText = name === 'content' || name.startsWith('counter-') || name.startsWith('list-style');
    if (plain === '' || plain.length > VALUE_CHARS_MAX || (!isText && FOREIGN.test(plain))) return [];
    if (name === 'display' && !DISPLAY.test(plain.toLowerCase())) return [];
    const isImportant = plain.length < value.length;
    const parts = longhands(name, isText ? plain : plain.toLowerCase());
    return parts.map(([longhand, part]) => ({ name: longhand, value: part, isImportant }));
  });
}

/** The rules of a page, and what they set for its elements (CSS Cascade 4 §6), as far as it decides what is shown. */
export class Cascade {
  readonly #rules = new Map<string, Rule[]>();
  readonly #variables: Variables;
  readonly #onOmitted: OnOmitted;
  readonly #attributes = new Map<string, readonly Part[]>();
  #hasPseudo = false;
  #work = 0;

  constructor(rules: readonly StyleRule[], variables: Variables, onOmitted: OnOmitted) {
    this.#variables = variables;
    this.#onOmitted = onOmitted;
    for (const [order, { head, declarations }] of rules.entries()) {
      if (head.startsWith('@') || !declarations.some(({ name }) => READ.test(name))) continue;
      const selectors = selectorsOf(head, this.#spend);
      const parts = this.#known(declarations);
      if (selectors.includes(undefined) && declarations.some(isDecisive)) onOmitted(head);
      for (const selector of selectors)
        if (selector !== undefined) this.#add({ ...selector, order, declarations, parts });
    }
  }

  #add(rule: Rule): void {
    const key = rule.compounds.at(-1)?.key ?? '*';
    const rules = this.#rules.get(key);
    if (rules === undefined) this.#rules.set(key, [rule]);
    else rules.push(rule);
    this.#hasPseudo ||= rule.pseudo !== '';
  }

  readonly #spend = (work: number): void => {
    this.#work += work;
    if (this.#work > BOUNDS.styleWorkMax) throw boundPassed('styleWorkMax');
  };

  /** Without `pseudo`, those of the element itself, with its attribute. */
  stylesOf(element: PageElement, pseudo: Pseudo = ''): Styles {
    const styles = new Map<string, string>();
    if (pseudo !== '' && !this.#hasPseudo) return styles;
    const { style } = element.attributes;
    const groups = this.#matches(element, pseudo).map(({ parts }) => parts);
    if (pseudo === '' && style !== undefined) groups.push(this.#partsOf(style));
    for (const isImportant of [false, true])
      for (const parts of groups)
        for (const part of parts) if (part.isImportant === isImportant) styles.set(part.name, part.value);
    return styles;
  }

  /** What declarations set. Those with a variable that depends on the element are omitted. */
  #known(declarations: readonly Declaration[]): Part[] {
    for (const declaration of declarations)
      if (isDecisive(declaration) && declaration.value.includes('var(')) this.#onOmitted(declaration.source);
    return partsOf(declarations);
  }

  /** Those of an attribute, which many elements have alike. */
  #partsOf(style: string): readonly Part[] {
    const known = this.#attributes.get(style);
    if (known !== undefined) return known;
    const parts = this.#known(this.#variables.resolved(declarationsOf(withoutComments(style))));
    this.#attributes.set(style, parts);
    return parts;
  }

  /** The looks of a pseudo-element, as declarations. */
  lookOf(element: PageElement, pseudo: Pseudo): string {
    const declarations = this.#matches(element, pseudo).flatMap((rule) => rule.declarations);
    return declarations.flatMap(({ name, source }) => (name === 'content' ? [] : [source])).join(';');
  }

  #matches(element: PageElement, pseudo: Pseudo): Rule[] {
    const keys = [`#${element.attributes.id ?? ''}`, element.name, '*'];
    for (const name of element.classes) keys.push(`.${name}`);
    const found: Rule[] = [];
    for (const key of keys)
      for (const rule of this.#rules.get(key) ?? []) {
        this.#spend(1);
        if (rule.pseudo !== pseudo || !isMatch(element, rule.compounds, this.#spend)) continue;
        this.#spend(rule.declarations.length);
        found.push(rule);
      }
    return found.sort((one, other) => one.specificity - other.specificity || one.order - other.order);
  }
}
