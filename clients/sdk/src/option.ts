/** An option of an operation, for programs that show or read options of the service. */
export interface Option {
  /** As the API has it. */
  name: string;
  /** What it does, its default, and with which formats it goes together. */
  help: string;
  type: 'choice' | 'number' | 'switch' | 'text';
  default?: string | number | boolean;
  /** The values of a `choice`, and their names in a form. */
  choices?: readonly string[];
  choiceNames?: Readonly<Record<string, string>>;
  /** The bounds of a `number`. */
  min?: number;
  max?: number;
  /** What a form shows: a label, the unit, and what holds without the option, if it has no default. */
  title?: string;
  unit?: string;
  absent?: string;
  /** The source formats, or the target formats, that it suits. Without them, all. */
  from?: readonly string[];
  to?: readonly string[];
}
