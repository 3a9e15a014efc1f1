import type { ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import { DELETED_CONTROLS, INSERTED_CONTROLS } from './names.ts';
import { finishBlock, interrupt } from './paragraphs.ts';
import type { Story } from './story.ts';

interface Control {
  outer: Control | undefined;
  isGone: boolean;
  isBlock: boolean;
}

/** Tracks the ranges that mark removed tags of controls. */
export class ControlRanges {
  readonly #open = new Set<string>();
  readonly visitor: XmlVisitor;

  constructor({ mode, text }: Story) {
    const gone: readonly string[] = mode === 'final' ? DELETED_CONTROLS : INSERTED_CONTROLS;
    const close = (span: ElementSpan) => text.remove(span);
    const id = (tag: OpenTag) => tag.attribute('w:id') ?? tag.attribute('w14:id') ?? '';
    const handlers = [...DELETED_CONTROLS, ...INSERTED_CONTROLS].map((range) => {
      const counts = gone.includes(range);
      const begin = (tag: OpenTag) => counts && this.#open.add(`${range} ${id(tag)}`);
      const end = (tag: OpenTag) => counts && this.#open.delete(`${range} ${id(tag)}`);
      return { [`${range}Start`]: { open: begin, close }, [`${range}End`]: { open: end, close } };
    });
    this.visitor = Object.assign({}, ...handlers);
  }

  get isGone(): boolean {
    return this.#open.size > 0;
  }
}

/**
 * Handles content controls and custom XML. A removed one loses its tags and its properties. Its content is marked
 * separately (ECMA-376-1 §17.13.5.4 to 17.13.5.11).
 */
export function controlVisitor(story: Story, ranges: ControlRanges): XmlVisitor {
  const { text } = story;
  let control: Control | undefined;
  const open = () => {
    control = { outer: control, isGone: ranges.isGone, isBlock: story.isAtBlockLevel };
    if (control.isGone) story.unwrapped++;
    else if (control.isBlock) interrupt(story);
  };
  const unwrap = (span: ElementSpan) => {
    story.unwrapped--;
    text.unwrap(span);
  };
  const close = (span: ElementSpan) => {
    if (control?.isGone === true) unwrap(span);
    control = control?.outer;
  };
  const openContent = () => {
    if (control?.isGone !== true) story.enterBlock();
  };
  const closeContent = () => {
    if (control?.isGone === true) return;
    const { endsInParagraph } = finishBlock(story);
    if (control?.isBlock === true) story.block.endsInParagraph = endsInParagraph;
  };
  const properties = {
    close: (span: ElementSpan) => {
      if (control?.isGone === true) text.remove(span);
    },
  };
  return {
    'w:sdt': { open, close },
    'w:sdtPr': properties,
    'w:sdtEndPr': properties,
    'w:sdtContent': {
      open: () => {
        if (control?.isGone === true) story.unwrapped++;
        openContent();
      },
      close: (span) => {
        if (control?.isGone === true) unwrap(span);
        closeContent();
      },
    },
    'w:customXml': {
      open: () => {
        open();
        openContent();
      },
      close: (span) => {
        closeContent();
        close(span);
      },
    },
    'w:customXmlPr': properties,
  };
}
