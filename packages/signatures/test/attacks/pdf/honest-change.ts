import { Ref } from '@scriptorium/pdf/read';
import type { Update } from '@scriptorium/pdf/update';
import type { ModificationCode } from '../../../src/reasons.ts';
import type { Lab } from '../lab.ts';
import { changeObject, dictOf } from './edit.ts';

export const ref = (num: number) => new Ref(num, 0);
/** A usual change of a signed contract by people or programs. */
export interface HonestChange {
  name: string;
  /** The lowest certification level that permits it; level 1 permits only invisible changes. */
  least: 1 | 2 | 3;
  modifications: readonly ModificationCode[];
  change?: (update: Update) => void;
  /** Makes the file, instead of `change`. */
  make?: (lab: Lab, signed: Buffer) => Promise<Buffer> | Buffer;
  signatures?: number;
}

export const keys = (num: number, changes: Record<string, string | undefined>) => (update: Update) =>
  changeObject(update, ref(num), changes);
export const listWith = (update: Update, num: number, key: string, item: string): string => {
  const { value } = dictOf(update, ref(num)).entries.get(key) ?? { value: [] };
  return `[${(Array.isArray(value) ? value : []).join(' ')} ${item}]`;
};
