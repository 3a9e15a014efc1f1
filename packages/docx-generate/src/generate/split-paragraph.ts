import { without } from '@scriptorium/docx-template/editor';
import type { Story } from '@scriptorium/docx-template/template';
import { ancestorsOf, childOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Replacement } from '../values/value-kind.ts';
import { endsSection } from './control-paragraphs.ts';
import type { ValueOp } from './program.ts';

/** The text with which a replacement continues its `w:t`. Undefined if it cannot stand there. */
export function placeInText(op: ValueOp, replacement: Replacement): string | undefined {
  const [textOpen, textClose] = op.textTags;
  if ('run' in replacement) return textClose + replacement.run + textOpen;
  const [runOpen, runClose] = [op.runTags[0] + textOpen, textClose + op.runTags[1]];
  if ('runs' in replacement) return runClose + replacement.runs + runOpen;
  const run = op.text.name === 'w:r' ? op.text : op.text.parent;
  const paragraph = run?.parent;
  if (paragraph?.name !== 'w:p' || endsSection(paragraph)) return undefined;
  const { xml } = op.story;
  const tag = xml.slice(paragraph.start, paragraph.openEnd).replace(PARAGRAPH_ID, '');
  const close = xml.slice(paragraph.closeStart, paragraph.end);
  const properties = paragraphProperties(paragraph, op.story, IN_PARTS);
  return runClose + close + replacement.blocks + tag + properties + runOpen;
}

const PARAGRAPH_ID = /\s[\w]+:(?:paraId|textId)="[^"]*"/g;
const SECTION = new Set(['w:sectPr', 'w:pPrChange']);
/** The rest of a divided paragraph is not another item of its list. */
const IN_PARTS = new Set([...SECTION, 'w:numPr', 'w:pageBreakBefore']);

/** The `w:pPr` of the paragraph around a place, without the end of its section. An element or empty. */
export function paragraphPropertiesAt(node: XmlNode, story: Story): string {
  for (const outer of ancestorsOf(node))
    if (outer.name === 'w:p') return paragraphProperties(outer, story, SECTION);
  return '';
}

function paragraphProperties(paragraph: XmlNode, { xml }: Story, omitted: ReadonlySet<string>): string {
  const properties = childOf(paragraph, 'w:pPr');
  return properties === undefined ? '' : without(properties, xml, omitted);
}
