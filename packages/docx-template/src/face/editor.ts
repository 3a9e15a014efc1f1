export { without } from '../fields/content.ts';
export { ControlTexts } from '../fields/control-texts.ts';
export { looseEndsIn } from '../fields/ranges.ts';
export { type DocumentInsertion, PackageEditor } from '../package-editor.ts';
