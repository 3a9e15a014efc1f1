import { childOf, childValue, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { z } from 'zod';
import type { Control } from '../template/controls.ts';
import { choicesOf } from './choices.ts';
import { cellsIn } from './table/table-rows.ts';

/** Facts about a control for filling it. */
export const controlFacts = z
  .strictObject({
    control: z
      .enum([
        'rich text',
        'plain text',
        'picture',
        'checkbox',
        'drop-down',
        'combo box',
        'date',
        'placeholder',
        'merge field',
        'form field',
        'group',
        'radio buttons',
        'list box',
        'button',
        'signature',
      ])
      .describe('The kind of control. A `group` contains other fields'),
    choices: z.array(z.string()).optional().describe('The choices of a list, or the states of buttons'),
    dateFormat: z.string().optional().describe('The date format of a date control'),
    columns: z.number().int().optional().describe('Number of columns of the table inside'),
    isLocked: z.boolean().optional().describe('Locked for editing in Word; can still be filled'),
    maxLength: z.number().int().optional().describe('Number of characters that it takes'),
    isMultiline: z.boolean().optional().describe('Takes several lines, or several choices, one in each line'),
    isReadOnly: z
      .boolean()
      .optional()
      .describe('Read-only in readers; can still be filled unless the PDF is signed'),
    isBound: z.boolean().optional().describe('Bound to custom XML data, which is updated too'),
  })
  .describe('Facts for filling the control');
export type ControlFacts = z.infer<typeof controlFacts>;

/** Controls that Word uses for grouping and repeating. */
const CONTAINERS = ['w:group', 'w15:repeatingSection', 'w15:repeatingSectionItem'];

export function factsOf(control: Control): ControlFacts {
  const { kind, properties } = control;
  const columns = kind === 'rich text' ? columnsOf(control) : undefined;
  const choices = kind === 'drop-down' || kind === 'combo box' ? choicesOf(control) : undefined;
  const date = properties && childOf(properties, 'w:date');
  const dateFormat = date && childValue(date, 'w:dateFormat');
  const has = (name: string) => properties !== undefined && childOf(properties, name) !== undefined;
  return {
    control: kind === 'rich text' && CONTAINERS.some(has) ? 'group' : kind,
    ...(choices && { choices: choices.map(({ text }) => text) }),
    ...(dateFormat !== undefined && { dateFormat }),
    ...(columns !== undefined && { columns }),
    ...(has('w:lock') && {
      isLocked: properties !== undefined && childValue(properties, 'w:lock') !== 'unlocked',
    }),
    ...((has('w:dataBinding') || has('w15:dataBinding')) && { isBound: true }),
  };
}

/** Columns of the first table in a control, or cells of the first row of a control around rows. */
export function columnsOf({ level, content }: Control): number | undefined {
  let firstRow: XmlNode | undefined;
  for (const node of descendantsOf(content, ({ name }) => name === 'w:tbl' || name === 'w:tr')) {
    if (node.name === 'w:tr') firstRow ??= node;
    if (node.name !== 'w:tbl') continue;
    const columns = childOf(node, 'w:tblGrid')?.children.length ?? 0;
    if (columns > 0) return columns;
    break;
  }
  return firstRow && level === 'row' ? [...cellsIn(firstRow)].length : undefined;
}
