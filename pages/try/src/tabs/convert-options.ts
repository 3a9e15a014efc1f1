import { CONVERT_OPTIONS, type Option } from '@scriptorium/client/options';

const FORMATS = ['from', 'to'];

/** The options that suit a conversion, as the contract lists them, without the formats themselves. */
export const optionsFor = (from: string, to: string): readonly Option[] =>
  CONVERT_OPTIONS.filter(
    (option) =>
      !FORMATS.includes(option.name) &&
      (option.from?.includes(from) ?? true) &&
      (option.to?.includes(to) ?? true),
  );

/** The names of target formats. */
export const TARGET_NAMES = CONVERT_OPTIONS.find(({ name }) => name === 'to')?.choiceNames ?? {};

/** Returns what a control sent as a value of its option; undefined if it asks for nothing. */
export function readControl(
  { type, default: byDefault }: Option,
  sent: string | boolean,
): string | number | boolean | undefined {
  const value = type === 'number' && sent !== '' ? Number(sent) : sent;
  return value === '' || value === byDefault ? undefined : value;
}

/** The options that differ from their defaults. */
export type Chosen = Record<string, string | number | boolean>;

/** The chosen options after a control of one of them sent a value. */
export function withOption(chosen: Chosen, option: Option, sent: string | boolean): Chosen {
  const { [option.name]: _, ...others } = chosen;
  const value = readControl(option, sent);
  return value === undefined ? others : { ...others, [option.name]: value };
}
