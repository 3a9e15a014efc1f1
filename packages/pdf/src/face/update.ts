export { plainText } from '../write/encrypt-object.ts';
export { literal } from '../write/literal.ts';
export { editDict, type ObjectSink, Update, type UpdatedPdf } from '../write/update.ts';
