export { type Linted, lint } from '../lint.ts';
