export { SOURCE_FORMATS, SOURCE_SANITIZERS, type SourceFormat } from '../sources/sanitizers.ts';
export type { EngineSource, PreparedSource } from '../sources/source.ts';
