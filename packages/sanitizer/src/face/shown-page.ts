export { shownPage } from '../sources/page/shown-page.ts';
