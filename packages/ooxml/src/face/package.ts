export {
  addContentTypes,
  CONTENT_TYPES_NAME,
  type ContentTypes,
  readWrittenTypes,
  writeContentTypes,
} from '../content-types.ts';
export { describeForeignFile, isCompoundFile, isEncryptedPackage } from '../foreign-file.ts';
export {
  DOCX_MAIN_TYPE,
  describeArchive,
  EXCEL_PACKAGE,
  type PackageKind,
  POWERPOINT_PACKAGE,
  WORD_MAIN_TYPES,
} from '../main-type.ts';
export { minimalDocx, type NewPart, newPackage } from '../new-package.ts';
export { type Inspector, openPackage } from '../open-package.ts';
export type { DropKind, Dropped, OoxmlPackage, Part, Relationship, Relationships } from '../package.ts';
export { decodeName, isReservedName, isSafeName, relationshipsName } from '../part-name.ts';
export { removeUnreachable } from '../reachable.ts';
export { RelationshipIndex } from '../relationship-index.ts';
export { writeRelationships } from '../relationships.ts';
export { isSafeInOpenDocument, isSafeLink, safeLinks } from '../safe-links.ts';
export { patchPackage, writePackage } from '../write-package.ts';
