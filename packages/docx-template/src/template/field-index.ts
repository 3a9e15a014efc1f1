import type { Control } from './controls.ts';

/**
 * Longest id or group in a request, in UTF-16 code units. Longer names in a template are not indexed, because a map
 * with very long names is slow.
 */
export const NAME_CHARS_MAX = 1_000;

type NameOf = (control: Control) => string | undefined;

/** A JSON tag is data about the control, not its name. */
function plainTag({ tag, tagData }: Control): string | undefined {
  return tagData === undefined ? tag : undefined;
}

/** The places to look up the id of a field, in order of precedence. */
const IDS: readonly NameOf[] = [
  ({ wordId }) => wordId,
  ({ tagData }) => tagData?.get('fieldId'),
  ({ tagData }) => tagData?.get('id'),
  ({ tagData }) => tagData?.get('key'),
  ({ tagData }) => tagData?.get('name'),
  plainTag,
  ({ alias }) => alias,
];

const GROUPS: readonly NameOf[] = [
  ({ tagData }) => tagData?.get('group'),
  plainTag,
  ({ tagData }) => tagData?.get('key'),
  ({ alias }) => alias,
];

/** The controls of a template by the names that callers use. */
export class FieldIndex {
  readonly #byId: readonly Map<string, Control[]>[];
  readonly #byGroup: readonly Map<string, Control[]>[];

  constructor(controls: readonly Control[]) {
    this.#byId = IDS.map((nameOf) => group(controls, nameOf));
    this.#byGroup = GROUPS.map((nameOf) => group(controls, nameOf));
  }

  /** All controls with this id. Empty if there are none. */
  withId(id: string): readonly Control[] {
    return first(this.#byId, id);
  }

  /** Whether an id selects a control, without listing the others. */
  isOfId(control: Control, id: string): boolean {
    const at = this.#byId.findIndex((byName) => byName.has(id));
    return IDS[at]?.(control) === id;
  }

  withGroup(name: string): readonly Control[] {
    return first(this.#byGroup, name);
  }
}

function group(controls: readonly Control[], nameOf: NameOf): Map<string, Control[]> {
  const byName = new Map<string, Control[]>();
  for (const control of controls) {
    const name = nameOf(control);
    if (name === undefined || name === '' || name.length > NAME_CHARS_MAX) continue;
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [control]);
    else known.push(control);
  }
  return byName;
}

function first(maps: readonly Map<string, Control[]>[], name: string): readonly Control[] {
  for (const map of maps) {
    const found = map.get(name);
    if (found !== undefined) return found;
  }
  return [];
}

/** The names of a control that people assigned, without the number from Word. */
export function namesOf(control: Control): string[] {
  const [, ...names] = IDS;
  const given = names.map((nameOf) => nameOf(control)).filter((name) => name !== undefined && name !== '');
  return [...new Set(given as string[])];
}

export function idsOf(control: Control): string[] {
  const { wordId } = control;
  return [...namesOf(control), ...(wordId === undefined || wordId === '' ? [] : [wordId])];
}

/** Names that editors give to every control of a kind. */
const EDITOR_DEFAULTS = new Set([
  'inline_text_sdt',
  'block_table_sdt',
  'block_text_sdt',
  'Structured content',
]);

/** The names of the controls of a template, with the number of controls that have each. */
export class NameCounts {
  readonly #counts = new Map<string, number>();

  constructor(controls: readonly Control[]) {
    for (const control of controls)
      for (const name of new Set(idsOf(control))) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Whether a name is of one control alone, and was not given by an editor. */
  isOwn(name: string): boolean {
    return this.#counts.get(name) === 1 && !EDITOR_DEFAULTS.has(name);
  }
}

export function groupOf(control: Control): string | undefined {
  return GROUPS.map((nameOf) => nameOf(control)).find((name) => name !== undefined && name !== '');
}
