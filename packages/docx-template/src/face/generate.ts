export { type GenerateRequest, generate } from '../generate/generate.ts';
