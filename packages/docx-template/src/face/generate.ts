export {
  type Generated,
  type GenerateRequest,
  generate,
  generatePlaced,
  type PlacedDocument,
} from '../generate/generate.ts';
