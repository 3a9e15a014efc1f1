export { annotate, annotateFrom, notFound } from '../annotate.ts';
