export { annotate, annotateFrom } from '../annotate.ts';
