export { PAPER_SOURCES, PAPERS } from '../sources/paper.ts';
export {
  PASSWORD_SOURCES,
  SOURCE_FORMATS,
  SOURCE_SANITIZERS,
  type SourceFormat,
  TEXT_SOURCES,
  WORD_SOURCES,
} from '../sources/sanitizers.ts';
export { AUTO_DELIMITER, type EngineSource, type PreparedSource } from '../sources/source.ts';
