export { type FormTexts, type Row, TemplateRows } from '../rows/rows.ts';
