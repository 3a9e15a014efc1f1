export { type Facts, loadSanitizers, type Prepared, type PrepareOptions, prepare } from '../prepare.ts';
