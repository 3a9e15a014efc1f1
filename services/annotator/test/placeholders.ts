import { fill, text } from './filling.ts';
import { templateOf } from './markup.ts';

const BODY = /<w:body>(.*)<w:sectPr\/>/s;

/** What a template of this body is once these names have these values. */
export async function filled(
  body: string,
  values: Record<string, string>,
  keepStyles = true,
): Promise<string> {
  const fields = Object.entries(values).map(([id, value]) => text({ id }, value, keepStyles));
  const { xml } = await fill(templateOf(body), fields);
  return BODY.exec(xml())?.[1] ?? '';
}
