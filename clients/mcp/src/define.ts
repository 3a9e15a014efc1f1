import { ScriptoriumError } from '@scriptorium/client';
import { CONVERT_OPTIONS, type Option } from '@scriptorium/client/options';
import { z } from 'zod';
import type { Context, Tool } from './tool.ts';

/** A definition whose `run` has the types of its inputs. */
export const tool = <Shape extends z.ZodRawShape>(
  definition: Omit<Tool, 'input' | 'run'> & {
    input: z.ZodObject<Shape>;
    run(args: z.output<z.ZodObject<Shape>>, context: Context): ReturnType<Tool['run']>;
  },
): Tool => definition as unknown as Tool;

export const path = (what: string) => z.string().min(1).max(4_096).describe(`${what}, by its name`);
export const output = path('The document to write, which must not exist. Its extension chooses the format');
export const data = z.record(z.string(), z.unknown());

/** The names of files say the formats. */
const isFormat = ({ name, type }: Option): boolean => type === 'choice' && (name === 'from' || name === 'to');

/** Returns options of the service as inputs of a tool. */
export function inputsOf(options: readonly Option[]): Record<string, z.ZodType> {
  const inputs = options.filter((option) => !isFormat(option));
  return Object.fromEntries(
    inputs.map((option) => [option.name, inputOf(option).optional().describe(option.help)]),
  );
}

function inputOf({ type, choices = [], min = 0, max = Number.MAX_SAFE_INTEGER }: Option): z.ZodType {
  if (type === 'switch') return z.boolean();
  if (type === 'number') return z.int().min(min).max(max);
  return type === 'choice' ? z.enum(choices) : z.string();
}

export const choicesOf = (name: string): readonly string[] =>
  CONVERT_OPTIONS.find((option) => option.name === name)?.choices ?? [];
export type Format = 'docx' | 'pdf';

/** Returns the format that the name of a result ends in. Throws DATA_INVALID for others than `formats`. */
export function formatOf<Name extends string>(name: string, formats: readonly Name[]): Name {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  const format = formats.find((one) => one === extension);
  if (format !== undefined) return format;
  throw new ScriptoriumError({
    code: 'DATA_INVALID',
    message: `The name of the result must end in ${formats.map((one) => `.${one}`).join(' or ')}.`,
  });
}

export const fileOf = async (name: string, { documents, limits }: Context): Promise<File> =>
  documents.read(name, (await limits()).sizes.documentBytesMax);
