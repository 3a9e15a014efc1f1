import type { ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import type { FormulaReader } from './math.ts';
import { ANCHORS, DELETIONS, INSERTIONS, MOVE_RANGES } from './names.ts';
import type { Properties, PropertyReader } from './properties.ts';
import type { Story } from './story.ts';

/** Handles both ends of bookmarks and similar ranges, also inside removed content. */
export function anchorVisitor(story: Story): XmlVisitor {
  const end = (kind: string, isStart: boolean) => ({
    open: (tag: OpenTag) => {
      const range = `${kind} ${tag.attribute('w:id') ?? ''}`;
      story.anchors.add(range, isStart, story.text.written(tag.start, tag.end));
    },
  });
  return Object.fromEntries(
    ANCHORS.flatMap((kind) => [
      [`${kind}Start`, end(kind, true)],
      [`${kind}End`, end(kind, false)],
    ]),
  );
}

/** Applies a removal marked in properties: of the paragraph mark, the row, the numbering or the control character. */
function loseMarked(
  story: Story,
  { name }: Properties,
  reader: PropertyReader,
  formulas: FormulaReader,
): void {
  const row = story.table?.row;
  if (reader.isParagraphMark && story.paragraph !== undefined) story.paragraph.isMarkGone = true;
  else if (name === 'w:trPr' && row !== undefined) row.isGone = true;
  else if (name === 'w:numPr' && reader.current !== undefined && story.mode === 'original')
    reader.current.isGone = true;
  else if (name === 'm:ctrlPr') formulas.loseControl();
}

/** Handles insertions, deletions and moves, both of content and in properties. */
export function changeVisitor(story: Story, reader: PropertyReader, formulas: FormulaReader): XmlVisitor {
  const { text } = story;
  const change = (name: string) => {
    const isGone = story.isGone(name);
    return {
      open: ({ start }: OpenTag) => {
        const { current } = reader;
        if (current === undefined && isGone) story.beginRemoval(start);
        else if (current === undefined) story.unwrapped++;
        else if (isGone && !current.isFormer && !current.isInRecord)
          loseMarked(story, current, reader, formulas);
      },
      close: (span: ElementSpan) => {
        const { current } = reader;
        if (current === undefined && isGone) return;
        if (current === undefined) story.unwrapped--;
        if (current === undefined || current.name === 'm:ctrlPr') text.unwrap(span);
        else text.remove(span);
      },
    };
  };
  const remove = { close: (span: ElementSpan) => text.remove(span) };
  const names = [...INSERTIONS, ...DELETIONS];
  return {
    ...Object.fromEntries(names.map((name) => [name, change(name)])),
    ...Object.fromEntries(MOVE_RANGES.map((name) => [name, remove])),
    'w:numberingChange': remove,
    'w:trackRevisions': remove,
  };
}

/** Restores deleted text in the original. Outside a deletion it has no meaning. */
function deletedText({ text, mode }: Story, local: string) {
  return {
    close: (span: ElementSpan) => {
      if (mode === 'original') text.rename(span, local);
      else text.remove(span);
    },
  };
}

/** Handles deleted text, and runs to find out whether a paragraph or formula still has content. */
export function runVisitor(story: Story, formulas: FormulaReader) {
  interface Run {
    outer: Run | undefined;
    contentStart: number;
  }
  let run: Run | undefined;
  const isBlank = (start: number, end: number) => story.text.written(start, end).trim() === '';
  const handler = {
    open: ({ end }: OpenTag) => {
      run = { outer: run, contentStart: end };
    },
    close: ({ closeStart }: ElementSpan) => {
      if (run === undefined) return;
      const hasContent = !isBlank(run.contentStart, closeStart);
      run = run.outer;
      if (!hasContent) return;
      if (story.paragraph !== undefined) story.paragraph.hasContent = true;
      formulas.keepRun();
    },
  };
  const field = {
    close: () => {
      if (story.paragraph !== undefined) story.paragraph.hasContent = true;
    },
  };
  const visitor: XmlVisitor = {
    'w:r': handler,
    'm:r': handler,
    'w:fldSimple': field,
    'w:delText': deletedText(story, 't'),
    'w:delInstrText': deletedText(story, 'instrText'),
  };
  /** Called after the run properties: content begins after them. */
  const skipProperties = ({ start, end }: ElementSpan) => {
    if (run !== undefined && isBlank(run.contentStart, start)) run.contentStart = end;
  };
  return { visitor, skipProperties };
}
