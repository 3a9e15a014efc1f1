export { documentsOfData, imagesOfData, valueIssues, withPlaces } from '../values/data-files.ts';
