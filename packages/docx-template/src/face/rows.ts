export type { FormTexts } from '../rows/data-form.ts';
export { type Form, type Row, TemplateRows } from '../rows/rows.ts';
