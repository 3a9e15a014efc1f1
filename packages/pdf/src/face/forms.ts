export { describeForm, type FormFieldFacts } from '../forms/describe-form.ts';
export { type FilledForm, type FormEntry, fillForm } from '../forms/fill-form.ts';
export type { FormPicture } from '../forms/filling.ts';
export { type EntryIssue, FormError } from '../forms/form-error.ts';
