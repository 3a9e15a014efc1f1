export { type CheckedPng, checkedPng, PNG_SIGNATURE } from '../formats/checked-png.ts';
export { splitAlpha, unfilteredRows } from '../formats/png-rows.ts';
export { withoutAncillaryChunks } from '../png-chunks.ts';
