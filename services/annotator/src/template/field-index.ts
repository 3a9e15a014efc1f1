import type { Control } from './controls.ts';

type NameOf = (control: Control) => string | undefined;

/** Where the id of a field is looked up, in this order: the first that has it wins. */
const IDS: readonly NameOf[] = [
  ({ wordId }) => wordId,
  ({ tagData }) => tagData?.get('fieldId'),
  ({ tagData }) => tagData?.get('id'),
  ({ tagData }) => tagData?.get('key'),
  ({ tagData }) => tagData?.get('name'),
  ({ tag }) => tag,
  ({ alias }) => alias,
];

const GROUPS: readonly NameOf[] = [
  ({ tagData }) => tagData?.get('group'),
  ({ tag }) => tag,
  ({ tagData }) => tagData?.get('key'),
  ({ alias }) => alias,
];

/** The controls of a template by the names that callers give them. */
export class FieldIndex {
  readonly #byId: readonly Map<string, Control[]>[];
  readonly #byGroup: readonly Map<string, Control[]>[];

  constructor(controls: readonly Control[]) {
    this.#byId = IDS.map((nameOf) => group(controls, nameOf));
    this.#byGroup = GROUPS.map((nameOf) => group(controls, nameOf));
  }

  /** All controls of that id; empty where there is none. */
  withId(id: string): readonly Control[] {
    return first(this.#byId, id);
  }

  withGroup(name: string): readonly Control[] {
    return first(this.#byGroup, name);
  }
}

function group(controls: readonly Control[], nameOf: NameOf): Map<string, Control[]> {
  const byName = new Map<string, Control[]>();
  for (const control of controls) {
    const name = nameOf(control);
    if (name === undefined || name === '') continue;
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

/** The id by which a control is best asked for: a name given by people before the number that Word gives. */
export function idOf(control: Control): string | undefined {
  return [...IDS.slice(1), ...IDS.slice(0, 1)]
    .map((nameOf) => nameOf(control))
    .find((id) => id !== undefined && id !== '');
}

export function groupOf(control: Control): string | undefined {
  return GROUPS.map((nameOf) => nameOf(control)).find((name) => name !== undefined && name !== '');
}
