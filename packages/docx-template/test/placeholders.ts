import { expect } from '@jest/globals';
import { templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { newFaultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { fill, text } from './filling.ts';

const BODY = /<w:body>(.*)<w:sectPr\/>/s;

/** Fills a template with this body. Checks that the result is as valid as the template. */
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
