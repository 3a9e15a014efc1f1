export { macros } from '../docx/macros.ts';
export { sanitizers } from '../docx/steps.ts';
