export { type Annotated, type AnnotateRequest, annotate, annotateFrom, notFound } from '../annotate.ts';
