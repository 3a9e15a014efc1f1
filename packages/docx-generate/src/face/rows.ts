export { joinedTemplate } from '../generate/joined-paragraphs.ts';
export type { FormRow } from '../rows/largest-form.ts';
export { blockOf, type PieceShape } from '../rows/row-tree.ts';
export { type PlacedRow, type TemplateRow, TemplateRows } from '../rows/template-rows.ts';
