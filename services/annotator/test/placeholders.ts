import { expect } from '@jest/globals';
import { newFaultsOf } from '@scriptorium/shared/testing/ooxml-validator/validate';
import { fill, text } from './filling.ts';
import { templateOf } from './markup.ts';

const BODY = /<w:body>(.*)<w:sectPr\/>/s;

/** What a template of this body is once these names have these values; as valid as it was before. */
export async function filled(
  body: string,
  values: Record<string, string>,
  keepStyles = true,
): Promise<string> {
  const fields = Object.entries(values).map(([id, value]) => text({ id }, value, keepStyles));
  const source = templateOf(body);
  const { bytes, xml } = await fill(source, fields);
  expect(await newFaultsOf(source, bytes)).toEqual([]);
  return BODY.exec(xml())?.[1] ?? '';
}
