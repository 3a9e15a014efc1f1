export { imagesOfData, valueIssues, withImagePlaces } from '../values/data-images.ts';
