import { createHash } from 'node:crypto';
import { AppError } from '@scriptorium/shared/errors';
import type { FillingOf } from '@scriptorium/shared/jobs/annotate';
import type { Draft } from '../draft.ts';
import type { FieldContext } from '../fields/field-type.ts';
import { type Picture, readPicture } from './picture.ts';
import { ImageRefusal } from './refusal.ts';

export interface FieldPicture extends Picture {
  /** SHA-256 of the caller's image, in hexadecimal. */
  digest: string;
}

/** Many fields of one request may show one image: it is read once. */
const known = new WeakMap<Draft, Map<string, Promise<Picture>>>();

/** The image of a field. Rejects with AppError IMAGE_INVALID, which names the field. */
export async function pictureOf(
  { value }: Pick<FillingOf<'image'>, 'value'>,
  { draft, images, path }: FieldContext,
): Promise<FieldPicture> {
  const bytes = images.subarray(value.start, value.start + value.bytes);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const pictures = known.get(draft) ?? new Map<string, Promise<Picture>>();
  known.set(draft, pictures);
  const reading = pictures.get(digest) ?? readPicture(bytes);
  pictures.set(digest, reading);
  try {
    return { ...(await reading), digest };
  } catch (error) {
    if (error instanceof ImageRefusal) throw imageInvalid(`${path}.value`, error.message);
    throw error;
  }
}

function imageInvalid(field: string, issue: string): AppError {
  return new AppError('IMAGE_INVALID', `The image at ${field} cannot be used: it ${issue}.`, {
    details: [{ field, issue }],
  });
}
