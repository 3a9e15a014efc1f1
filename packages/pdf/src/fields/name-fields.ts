import { fieldNodes } from '../read/form.ts';
import { openPdf } from '../read/open.ts';
import { PdfString } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import { rewritePdf } from '../write/rewrite.ts';
import { editDict, Update } from '../write/update.ts';
import { uniqueNames } from './unique-names.ts';

/** What the field with the tooltip `mark` should have. */
export interface NamedField {
  mark: string;
  name: string;
  tooltip: string;
}

/**
 * Gives form fields of a PDF that LibreOffice wrote their names and tooltips. Names are made unique by a number: `city`, `city_2`.
 * The result has one revision. Throws PdfError.
 */
export function nameFields(bytes: Buffer, fields: readonly NamedField[]): Buffer {
  const { document } = openPdf(bytes);
  const acroForm = document.dict(document.catalog.value, 'AcroForm');
  const byMark = new Map(fields.map((field) => [field.mark, field]));
  const nodes = acroForm ? [...fieldNodes(document, acroForm)] : [];
  const found = nodes.map((node) => {
    const tooltip = document.get(node.object.value, 'TU');
    return { node, field: tooltip instanceof PdfString ? byMark.get(tooltip.text) : undefined };
  });
  const marked = found.flatMap(({ node, field }) => (field ? [{ node, field }] : []));
  if (marked.length === 0) return bytes;
  const taken = new Set(found.flatMap(({ node, field }) => (field ? [] : [node.name])));
  const names = uniqueNames(
    marked.map(({ field: { name } }) => name),
    taken,
  );
  const update = new Update(document);
  for (const [at, { node, field }] of marked.entries())
    update.replace(
      node.ref,
      editDict(node.object.value, {
        T: literal.text(names[at] ?? field.name),
        TU: field.tooltip === '' ? undefined : literal.text(field.tooltip),
      }),
    );
  return rewritePdf(openPdf(update.finish().bytes).document);
}
