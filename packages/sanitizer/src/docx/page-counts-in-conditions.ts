import type { FieldRule } from './fields.ts';

const CONDITIONS = new Set(['IF', 'COMPARE', 'SKIPIF', 'NEXTIF']);
const COUNTS = new Set(['NUMPAGES', 'SECTIONPAGES']);

/**
 * A condition on the number of pages can change that number, and LibreOffice would repeat the layout forever. The field
 * keeps its last result.
 */
export const pageCountsInConditions: FieldRule = ({ name, inside }) =>
  CONDITIONS.has(name) && inside.some((inner) => COUNTS.has(inner)) ? 'page count in a condition' : undefined;
