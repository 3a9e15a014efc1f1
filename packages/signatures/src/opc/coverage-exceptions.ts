import type { OoxmlPackage, Part, Relationship } from '@scriptorium/ooxml/package';
import { reach } from './content.ts';
import { isMarkup, plainMarkup } from './plain-markup.ts';
import { partOf } from './signature-parts.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const STRICT = 'http://purl.oclc.org/ooxml/officeDocument/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships/metadata';
const MICROSOFT = 'http://schemas.microsoft.com/office';
const WORD = 'application/vnd.openxmlformats-officedocument';

/** The text can show `properties` and `data`; nothing shows `other`. */
export type ExceptionKind = 'properties' | 'data' | 'other';

interface Exception {
  kind: ExceptionKind;
  /** Whether only the package refers to it. */
  isOfPackage: boolean;
  relationshipTypes: readonly string[];
  contentType: RegExp;
}

/**
 * What Office and LibreOffice leave uncovered. Office covers the relationships of a list of types (the list of Office 2010 is in
 * the sources of Apache POI). LibreOffice covers all but the properties. Readers do not look for content in any of these.
 */
const EXCEPTIONS: readonly Exception[] = [
  {
    kind: 'properties',
    isOfPackage: true,
    relationshipTypes: [`${PACKAGE}/core-properties`],
    contentType: /^application\/vnd\.openxmlformats-package\.core-properties\+xml$/,
  },
  {
    kind: 'properties',
    isOfPackage: true,
    relationshipTypes: [`${OFFICE}/extended-properties`, `${STRICT}/extendedProperties`],
    contentType: new RegExp(`^${WORD}\\.extended-properties\\+xml$`),
  },
  {
    kind: 'properties',
    isOfPackage: true,
    relationshipTypes: [`${OFFICE}/custom-properties`, `${STRICT}/customProperties`],
    contentType: new RegExp(`^${WORD}\\.custom-properties\\+xml$`),
  },
  {
    kind: 'other',
    isOfPackage: true,
    relationshipTypes: [`${PACKAGE}/thumbnail`],
    contentType: /^image\/[\w.+-]+$/,
  },
  {
    kind: 'other',
    isOfPackage: true,
    relationshipTypes: [`${MICROSOFT}/2020/02/relationships/classificationlabels`],
    contentType: /^application\/vnd\.ms-office\.classificationlabels\+xml$/,
  },
  {
    kind: 'other',
    isOfPackage: false,
    relationshipTypes: [`${MICROSOFT}/2011/relationships/people`],
    contentType: new RegExp(`^${WORD}\\.wordprocessingml\\.people\\+xml$`),
  },
  {
    kind: 'other',
    isOfPackage: false,
    relationshipTypes: [
      '2006/relationships/vbaProjectSignature',
      '2014/relationships/vbaProjectSignatureAgile',
    ].map((type) => `${MICROSOFT}/${type}`),
    contentType: /^application\/vnd\.ms-office\.vbaprojectsignature(agile)?$/,
  },
  {
    kind: 'data',
    isOfPackage: false,
    relationshipTypes: [`${OFFICE}/customXml`, `${STRICT}/customXml`],
    contentType: /^(application|text)\/xml$/,
  },
  {
    kind: 'data',
    isOfPackage: false,
    relationshipTypes: [`${OFFICE}/customXmlProps`, `${STRICT}/customXmlProps`],
    contentType: new RegExp(`^${WORD}\\.customxmlproperties\\+xml$`),
  },
];

/** Each id is searched for in the text; real documents have fewer. */
const EXCEPTIONS_OF_PART_MAX = 30;

/** What a signature may leave uncovered. */
export interface Exceptions {
  relationships: ReadonlyMap<Relationship, ExceptionKind>;
  /** By archive key. */
  parts: ReadonlyMap<string, ExceptionKind>;
}

function exceptionOf(
  document: OoxmlPackage,
  relationship: Relationship,
  isOfRoot: boolean,
): Exception | undefined {
  const part = partOf(document, relationship);
  if (part === undefined) return undefined;
  return EXCEPTIONS.find(
    ({ isOfPackage, relationshipTypes, contentType }) =>
      isOfPackage === isOfRoot &&
      relationshipTypes.includes(relationship.type) &&
      contentType.test(part.contentType.toLowerCase()),
  );
}

/** Whether the text of a part refers to a relationship by its id: then it is content, regardless of its type. */
function isCalled({ id }: Relationship, text: string): boolean {
  return text.includes(`"${id}"`) || text.includes(`'${id}'`) || isMarkup(id);
}

/** Finds what a signature may leave uncovered: parts that nothing else refers to. */
export function findExceptions(document: OoxmlPackage): Exceptions {
  const relationships = new Map<Relationship, ExceptionKind>();
  const collect = (list: readonly Relationship[], source?: Part) => {
    const found = list.flatMap((relationship) => {
      const exception = exceptionOf(document, relationship, source === undefined);
      return exception === undefined ? [] : [{ relationship, kind: exception.kind }];
    });
    if (found.length === 0 || found.length > EXCEPTIONS_OF_PART_MAX) return;
    const text = plainMarkup(source?.xml ?? '');
    for (const { relationship, kind } of found)
      if (!isCalled(relationship, text)) relationships.set(relationship, kind);
  };
  collect(document.relationships.list);
  for (const part of document.parts.values()) collect(part.relationships.list, part);
  const firm = reach(
    document,
    document.relationships.list,
    (relationship) => !relationships.has(relationship),
  );
  const parts = new Map<string, ExceptionKind>();
  for (const [relationship, kind] of relationships)
    if (relationship.part !== undefined && !firm.has(relationship.part)) parts.set(relationship.part, kind);
  return { relationships, parts };
}
