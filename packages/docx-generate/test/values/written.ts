import { PackageEditor } from '@scriptorium/docx-template/editor';
import type { Story } from '@scriptorium/docx-template/template';
import { ImageCache, openTemplate, type Template } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { openPackage } from '@scriptorium/ooxml/package';
import { ancestorsOf, childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { newFaultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { ValueResources } from '../../src/values/resources.ts';
import type { Replacement, ValueSpot } from '../../src/values/value-kind.ts';
import { ValueKinds } from '../../src/values/value-kinds.ts';

interface Mark {
  story: Story;
  paragraph: XmlNode;
  run: XmlNode;
  text: XmlNode;
  name: string;
}

/** The texts of a template that are only a mark: `{name}`. */
function marksOf(template: Template): Mark[] {
  return template.stories.flatMap((story) =>
    [...descendantsOf(story.root)].flatMap((text): Mark[] => {
      const name = /^\{(.*)\}$/.exec(story.xml.slice(text.openEnd, text.closeStart))?.[1];
      const run = text.parent;
      const paragraph = [...ancestorsOf(text)].find((outer) => outer.name === 'w:p');
      if (text.name !== 'w:t' || name === undefined || run === undefined || paragraph === undefined)
        return [];
      return [{ story, paragraph, run, text, name }];
    }),
  );
}

function sourceOf({ story }: Mark, node: XmlNode | undefined): string {
  return node === undefined ? '' : story.xml.slice(node.start, node.end);
}

function put(editor: PackageEditor, mark: Mark, replacement: Replacement): void {
  const { story, paragraph, run, text } = mark;
  if ('run' in replacement) editor.edit(story, { start: text.start, end: text.end, text: replacement.run });
  else if ('runs' in replacement)
    editor.edit(story, { start: run.start, end: run.end, text: replacement.runs });
  else editor.edit(story, { start: paragraph.start, end: paragraph.end, text: replacement.blocks });
}

export interface Written {
  bytes: Buffer;
  /** The text of a part, by default of the main part. Undefined if there is none. */
  xml(name?: string): string | undefined;
  /** Number of passes over the document. */
  passes: number;
}

/** Fills the marks of a template as a renderer does, and validates the result against the schema. */
export async function write(
  source: Buffer,
  values: Readonly<Record<string, Json>>,
  options: { images?: Buffer; as?: 'image' | 'markup'; isInLink?: boolean } = {},
): Promise<Written> {
  const template = await openTemplate(source);
  const resources = new ValueResources(new ImageCache(options.images ?? Buffer.alloc(0)));
  for (let passes = 1; ; passes++) {
    const editor = new PackageEditor(template);
    const kinds = new ValueKinds(editor, resources);
    for (const mark of marksOf(template)) {
      const spot: ValueSpot = {
        story: mark.story,
        text: mark.text,
        style: sourceOf(mark, childOf(mark.run, 'w:rPr')),
        paragraph: sourceOf(mark, childOf(mark.paragraph, 'w:pPr')),
        path: `data.${mark.name}`,
        isInLink: options.isInLink ?? false,
      };
      const replacement = kinds.render(values[mark.name] ?? null, spot, options.as);
      if (replacement !== undefined) put(editor, mark, replacement);
    }
    if (resources.isWaiting) {
      await resources.load();
      continue;
    }
    const bytes = editor.build();
    const faults = await newFaultsOf(source, bytes);
    if (faults.length > 0) throw new Error(`the document is invalid: ${faults.slice(0, 5).join('; ')}`);
    const { parts } = await openPackage(bytes);
    return { bytes, passes, xml: (name = 'word/document.xml') => parts.get(name)?.xml };
  }
}
