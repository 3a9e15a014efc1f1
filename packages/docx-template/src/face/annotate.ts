export { annotate } from '../annotate.ts';
export { TemplateCache } from '../template/cache.ts';
