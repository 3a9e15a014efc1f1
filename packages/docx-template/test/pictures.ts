import { expect } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { newFaultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import type { FieldValueInput } from '../src/fields.ts';
import { type Filled, fill } from './filling.ts';

type Input<Type> = Extract<FieldValueInput, { type: Type }>;
type Target = { id: string } | { group: string };

/** A field with its image bytes instead of a place. */
export type PictureField =
  | (Target & { type: 'image'; image: Buffer; options?: Input<'image'>['options'] })
  | (Target & { type: 'signature'; image: Buffer; options?: Input<'signature'>['options'] });

/** Fills a template with images and signatures. The result is as valid as the template. */
export async function fillPictures(source: Buffer, fields: readonly PictureField[]): Promise<Filled> {
  let start = 0;
  const values = fields.map(({ image, options = {}, ...field }) => {
    const value = { start, bytes: image.length };
    start += image.length;
    return { ...field, value, options } as Input<'image' | 'signature'>;
  });
  const filled = await fill(source, values, { images: Buffer.concat(fields.map(({ image }) => image)) });
  expect(await newFaultsOf(source, filled.bytes)).toEqual([]);
  return filled;
}

/** Width and height of each drawing in a text, in pixels. */
export function sizesIn(xml: string): [width: number, height: number][] {
  return [...xml.matchAll(/<wp:extent cx="(\d+)" cy="(\d+)"\/>/g)].map(([, width, height]) => [
    Number(width) / 9_525,
    Number(height) / 9_525,
  ]);
}

export interface StoredImage {
  name: string;
  contentType: string;
  bytes: Buffer;
  /** The relationships that lead to it, and the parts that have them. */
  ids: readonly string[];
  sources: readonly string[];
}

/** The images that a document contains and refers to. */
export async function imagesOf(document: Buffer): Promise<StoredImage[]> {
  const { parts } = await openPackage(document);
  return [...parts.values()]
    .filter(({ contentType }) => contentType.startsWith('image/'))
    .map(({ key, name, contentType, bytes }) => {
      const links = [...parts.values()].flatMap((source) =>
        source.relationships.list
          .filter(({ part }) => part === key)
          .map(({ id }) => ({ id, source: source.name })),
      );
      return {
        name,
        contentType,
        bytes,
        ids: links.map(({ id }) => id),
        sources: links.map(({ source }) => source),
      };
    });
}
