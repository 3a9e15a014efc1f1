export { type PlacedRow, type Row, TemplateRows } from '../rows/rows.ts';
