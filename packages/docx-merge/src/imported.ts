import type { Edit } from '@scriptorium/ooxml/xml';
import type { Collections } from './collections.ts';
import { propertiesOf } from './document-properties.ts';
import { Importer, type ImportParts } from './importer.ts';
import type { Looks } from './look/looks.ts';
import { lookSourceOf, numberingPart } from './look-parts.ts';
import { missingNames } from './root-names.ts';
import { partOf, type Source, scanOf } from './source.ts';

interface ImportOptions extends Omit<ImportParts, 'look' | 'properties'> {
  looks: Looks;
  /** The properties that fields of the merged document show. */
  shown: ReadonlyMap<string, string>;
}

/** Begins to import a document: its styles and lists are known to the merged one. */
export function importerOf({ looks, shown, ...parts }: ImportOptions): Importer {
  const { source, target } = parts;
  const numbering = partOf(source, 'numbering');
  let importer: Importer | undefined;
  let numberingId: ((id: string) => string) | undefined;
  const look = looks.add(
    lookSourceOf(source, (id) => {
      if (numbering === undefined || importer === undefined) return id;
      numberingId ??= importer.relationships(numbering, numberingPart(target));
      return numberingId(id);
    }),
    source,
  );
  importer = new Importer({ ...parts, look, properties: { own: propertiesOf(source), merged: shown } });
  return importer;
}

/** Imports what belongs to the content: notes, comments, authors, fonts, and the data to which controls are bound. */
export function importBelongings(
  importer: Importer,
  { source, target }: Pick<ImportParts, 'source' | 'target'>,
  collections: Collections,
): void {
  collections.add(source, importer);
  for (const { kind, type, part: key } of source.document.main.relationships.list) {
    const store = key === undefined || kind !== 'customXml' ? undefined : source.document.parts.get(key);
    if (store !== undefined) target.relate(target.main, { type, kind, to: importer.copy(store) });
  }
}

/** Adds the attributes that the root of a document has to its blocks, which get another root. */
export function nameBlocks(source: Source, names: string): Edit[] {
  if (names === '') return [];
  const { main } = source.document;
  return scanOf(source, main).blocks.map(({ start, openEnd }) => {
    const tag = (main.xml ?? '').slice(start, openEnd);
    const at = start + (/^<[^\s/>]+/.exec(tag)?.[0].length ?? 0);
    return { start: at, end: at, text: missingNames(tag, names) };
  });
}
