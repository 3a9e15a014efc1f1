import { attributeOf, childOf } from '@scriptorium/ooxml/xml';
import type { Control } from '../template/controls.ts';

/** One item of a drop-down list or combo box. */
export interface Choice {
  /** The displayed text. */
  text: string;
  /** The stored value. */
  value: string;
}

/** The items of a drop-down list or combo box. Items without a value are prompts (ECMA-376-1 §17.5.2.21). */
export function choicesOf({ properties }: Control): Choice[] {
  const list = properties && (childOf(properties, 'w:dropDownList') ?? childOf(properties, 'w:comboBox'));
  return (list?.children ?? [])
    .filter(({ name }) => name === 'w:listItem')
    .map((item) => {
      const value = attributeOf(item, 'w:value') ?? '';
      return { text: attributeOf(item, 'w:displayText') ?? value, value };
    })
    .filter(({ value, text }) => value !== '' && text !== '');
}
