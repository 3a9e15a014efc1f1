export { SCRIPTS } from '../revisions/scripts.ts';
