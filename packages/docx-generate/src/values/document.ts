import { randomUUID } from 'node:crypto';
import type { DocumentInsertion, PackageEditor } from '@scriptorium/docx-template/editor';
import { imagePlace } from '@scriptorium/docx-template/fields';
import { ancestorsOf } from '@scriptorium/ooxml/xml';
import { z } from 'zod';
import { canDivide, invalidValue, type ValueSpot, valueKind } from './value-kind.ts';

const DOCUMENTS_MAX = 100;
/** A text box has a story of its own, in which notes and text boxes cannot stand. */
const TEXT_BOX = 'w:txbxContent';

const requested = z
  .strictObject(
    {
      base64: z.string('must be a text').optional(),
      url: z.string('must be a text').min(1, 'must not be empty').optional(),
    },
    'must be an object with `base64` or `url`',
  )
  .refine(({ base64, url }) => (base64 === undefined) !== (url === undefined), {
    error: 'must have exactly one of `base64` and `url`',
    when: ({ value }) => typeof value === 'object' && value !== null,
  });

/** What a request says of a document to insert. */
export type RequestedDocument = z.output<typeof requested>;

/** `{"$document": {base64} | {url}}`: the content of another document, as paragraphs and tables. */
export const documentKind = valueKind({
  key: '$document',
  requested,
  loaded: imagePlace,
  isDocument: true,
  render(place, spot, { editor }, path) {
    if (!canInsert(spot))
      throw invalidValue(path, 'is a document, which can only stand in the text of the body');
    return { blocks: placeholder(spot, editor, { place, path }) };
  },
});

function canInsert(spot: ValueSpot): boolean {
  const { story, text } = spot;
  return (
    story.place === 'body' && canDivide(spot) && ![...ancestorsOf(text)].some(({ name }) => name === TEXT_BOX)
  );
}

/** A paragraph that is found again by its text. */
function placeholder(
  { story: { dialect } }: ValueSpot,
  editor: PackageEditor,
  insertion: Omit<DocumentInsertion, 'paragraph'>,
): string {
  if (editor.insertions.length >= DOCUMENTS_MAX)
    throw invalidValue(insertion.path, `is a document too many: at most ${DOCUMENTS_MAX} can be inserted`);
  const text = dialect.element('t', {}, `document ${randomUUID()}`);
  const paragraph = dialect.element('p', {}, dialect.element('r', {}, text));
  editor.insertions.push({ paragraph, ...insertion });
  return paragraph;
}
