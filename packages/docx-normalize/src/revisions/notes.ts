import type { Part } from '@scriptorium/ooxml/package';
import type { ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import { finishBlock } from './paragraphs.ts';
import type { Story } from './story.ts';

const KINDS = ['footnote', 'endnote'] as const;

/** The removed and kept references to the notes of one part. */
class References {
  readonly #gone = new Set<string>();
  readonly #kept = new Set<string>();

  add(id: string, isGone: boolean): void {
    (isGone ? this.#gone : this.#kept).add(id);
  }

  get areAllKept(): boolean {
    return this.#gone.size === 0;
  }

  isGone(id: string): boolean {
    return this.#gone.has(id) && !this.#kept.has(id);
  }
}

/**
 * The notes of one document. A note without its reference must be removed: LibreOffice matches notes by order, and each
 * later reference would show the text of the previous note.
 */
export class Notes {
  /** By the key of the part with the notes. */
  readonly #references = new Map<string, References>();

  /** Whether a part contains notes without a reference. */
  lacksReferences({ key }: Part): boolean {
    return this.#references.get(key)?.areAllKept === false;
  }

  /** Handles the references in a part, also in removed content. */
  referenceVisitor(story: Story, part: Part): XmlVisitor {
    const handlers = KINDS.map((kind) => {
      const key = part.relationships.list.find((relationship) => relationship.kind === `${kind}s`)?.part;
      if (key === undefined) return {};
      const references = this.#references.get(key) ?? new References();
      this.#references.set(key, references);
      const open = (tag: OpenTag) => references.add(tag.attribute('w:id') ?? '', story.isRemoving);
      return { [`w:${kind}Reference`]: { open } };
    });
    return Object.assign({}, ...handlers);
  }

  /** Handles the notes, each of which is a separate story. */
  noteVisitor(story: Story, { key }: Part): XmlVisitor {
    const references = this.#references.get(key);
    let isGone = false;
    const note = {
      open: (tag: OpenTag) => {
        isGone = references?.isGone(tag.attribute('w:id') ?? '') === true;
        if (isGone) story.beginRemoval(tag.start);
        else story.enterBlock();
      },
      close: (_: ElementSpan) => {
        if (!isGone) finishBlock(story);
      },
    };
    return Object.fromEntries(KINDS.map((kind) => [`w:${kind}`, note]));
  }
}
