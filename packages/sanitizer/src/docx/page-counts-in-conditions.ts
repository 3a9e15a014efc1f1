import type { FieldRule } from './fields.ts';

const CONDITIONS = new Set(['IF', 'COMPARE', 'SKIPIF', 'NEXTIF']);
const COUNTS = new Set(['NUMPAGES', 'SECTIONPAGES']);

/**
 * A condition on the number of pages can change that number: LibreOffice then lays the document out for ever. It stays
 * as what it last showed.
 */
export const pageCountsInConditions: FieldRule = ({ name, inside }) =>
  CONDITIONS.has(name) && inside.some((inner) => COUNTS.has(inner)) ? 'page count in a condition' : undefined;
