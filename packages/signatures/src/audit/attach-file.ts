import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Dict, Ref } from '@scriptorium/pdf/read';
import { editDict, literal, type Update } from '@scriptorium/pdf/update';
import { insertName } from './name-tree.ts';

export interface AttachedFile {
  /** Key in the list of attachments; unique in the document. */
  key: string;
  name: string;
  description: string;
  mimeType: string;
  date: Date;
  data: Buffer;
}

/**
 * Embeds a data file that belongs to the document (ISO 32000-2, 7.11.4 and 14.13; ISO 19005-3, 6.8). Lists it in the name
 * tree of embedded files and in the catalog's /AF. The update replaces the catalog.
 */
export function attachFile(update: Update, file: AttachedFile): void {
  const { document } = update;
  const catalog = document.catalog;
  const specification = addSpecification(update, file).toString();
  const changes: Record<string, string> = {};
  const associated = update.append(catalog.value, 'AF', specification);
  if (associated !== undefined) changes.AF = associated;
  const names = listedUnder(update, catalog.value, { key: file.key, value: ` ${specification}` });
  if (names !== undefined) changes.Names = names;
  update.replace(catalog, editDict(catalog.value, changes));
}

function addSpecification(update: Update, { name, description, mimeType, date, data }: AttachedFile): Ref {
  const checksum = createHash('md5').update(data).digest('hex');
  const when = literal.date(date);
  const parameters = `/Params<</Size ${data.length}/CheckSum<${checksum}>/CreationDate${when}/ModDate${when}>>`;
  const dict = `/Type/EmbeddedFile/Subtype${literal.name(mimeType)}${parameters}/Filter/FlateDecode`;
  const stream = update.add(literal.stream(dict, deflateSync(data)));
  return update.add(
    `<</Type/Filespec/F${literal.text(name)}/UF${literal.text(name)}/Desc${literal.text(description)}` +
      `/AFRelationship/Data/EF<</F ${stream}/UF ${stream}>>>>`,
  );
}

/** Returns the new value of the catalog's /Names, or undefined if a separate object was changed instead. */
function listedUnder(
  update: Update,
  catalog: Dict,
  named: { key: string; value: string },
): string | undefined {
  const { document } = update;
  const { dict: names, ref: namesRef } = document.owned(catalog, 'Names');
  if (!names) return `<</EmbeddedFiles ${update.add(leafOf(named))}>>`;
  const { dict: files, ref: filesRef } = document.owned(names, 'EmbeddedFiles');
  const text = files ? insertName(update, files, filesRef, named) : update.add(leafOf(named)).toString();
  if (text === undefined) return undefined;
  const changed = editDict(names, { EmbeddedFiles: text });
  if (!namesRef) return changed;
  update.replace(namesRef, changed);
  return undefined;
}

const leafOf = ({ key, value }: { key: string; value: string }): string =>
  `<</Names[${literal.text(key)}${value}]>>`;
