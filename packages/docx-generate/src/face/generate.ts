export { type Generated, type GenerateRequest, generate } from '../generate/generate.ts';
