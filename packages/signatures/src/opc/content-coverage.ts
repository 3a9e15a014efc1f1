import {
  type Part,
  type Relationship,
  type Relationships,
  relationshipsName,
} from '@scriptorium/ooxml/package';
import type { Fault } from '../reasons.ts';
import type { Modification } from '../verify-report.ts';
import { contentKeys } from './content.ts';
import { type ExceptionKind, type Exceptions, findExceptions } from './coverage-exceptions.ts';
import { FaultList, shownText } from './fault-list.ts';
import { partUri } from './manifest.ts';
import type { PartFinding } from './reference-digest.ts';
import { findShown, type Shown } from './shown-properties.ts';
import { relationshipsText, type Signable, strayNames } from './signable.ts';
import { ORIGIN_RELATIONSHIP, SIGNATURE_TYPE } from './signature-parts.ts';

/** Space reserved for deleted parts (ECMA-376-2, first edition, §9.1.1); no reader uses it. */
const TRASH = /^\[trash\]\/[0-9a-f]{4}\.dat$/i;
const ROOT_KEY = relationshipsName('');
const KIND_NAMES: Readonly<Record<ExceptionKind, string>> = {
  properties: 'the properties of the document',
  data: 'custom data that the text does not show',
  other: 'parts that no page shows',
};

/** A source of relationships: a part of the content, or the package. */
interface RelationshipSource {
  /** Archive key of the relationships part. */
  key: string;
  name: string;
  relationships: Relationships;
}

type Findings = ReadonlyMap<string, PartFinding>;

/** Compares what a signature covers with the content of the package. One instance serves all signatures of a document. */
export class ContentCoverage {
  readonly #signable: Signable;
  readonly #parts: readonly Part[];
  readonly #sources: readonly RelationshipSource[];
  readonly #strays: readonly string[];
  readonly #exceptions: Exceptions;
  /** Problems of the content that apply to every signature. */
  readonly #common: readonly Fault[];
  #shown: Shown | undefined;

  constructor(signable: Signable) {
    const { document, typeOf } = signable;
    this.#signable = signable;
    const keys = contentKeys(document);
    this.#parts = [...document.parts.values()].filter(({ key }) => keys.has(key));
    this.#sources = [{ name: '', relationships: document.relationships }, ...this.#parts].map(
      ({ name, relationships }) => {
        const ofRelationships = relationshipsName(name);
        return { key: ofRelationships.toLowerCase(), name: ofRelationships, relationships };
      },
    );
    this.#strays = strayNames(signable).filter(
      (name) => !TRASH.test(name) && typeOf(name).toLowerCase() !== SIGNATURE_TYPE,
    );
    this.#exceptions = findExceptions(document);
    this.#common = this.#faultsOfContent();
  }

  #faultsOfContent(): Fault[] {
    const { typeOf, budget } = this.#signable;
    const faults = new FaultList();
    for (const { name } of this.#parts)
      if (typeOf(name) === '')
        faults.add('CONTENT_TYPE_UNKNOWN', `The part ${shownUri(name)} has no content type.`);
    // The relationships transform leaves it out, but readers may use it.
    for (const { name, relationships } of this.#sources)
      if (/\sxml:base\s*=/.test(relationshipsText(relationships, budget) ?? ''))
        faults.add(
          'RELATIONSHIP_UNSIGNED',
          `The relationships in ${shownUri(name)} have an xml:base attribute, which no signature covers.`,
        );
    return faults.list;
  }

  /** Reports what a signature with these Manifest findings leaves uncovered. */
  judge(findings: readonly PartFinding[]): { faults: Fault[]; modifications: Modification[] } {
    const named: Findings = new Map(
      findings.flatMap((finding) => (finding.key === undefined ? [] : [[finding.key, finding] as const])),
    );
    const faults = new FaultList(this.#common);
    const left = [...this.#judgeParts(named, faults), ...this.#judgeRelationships(named, faults)];
    this.#judgeLeft(new Set(left), faults);
    return { faults: faults.list, modifications: faults.modifications };
  }

  /** Yields the kinds of exceptions that are uncovered. */
  *#judgeParts(named: Findings, faults: FaultList): Generator<ExceptionKind> {
    const add = (name: string) => {
      faults.add('PART_UNSIGNED', `The signature does not cover the part ${shownUri(name)}.`);
      faults.addModification('PART_ADDED', name, `/${name}`);
    };
    for (const { key, name } of this.#parts) {
      const kind = this.#exceptions.parts.get(key);
      if (named.has(key)) continue;
      if (kind === undefined || this.#isShownData(kind)) add(name);
      else yield kind;
    }
    for (const name of this.#strays) if (!named.has(name.toLowerCase())) add(name);
  }

  *#judgeRelationships(named: Findings, faults: FaultList): Generator<ExceptionKind> {
    for (const { key, name, relationships } of this.#sources)
      for (const relationship of relationships.list) {
        const isOrigin = relationship.type === ORIGIN_RELATIONSHIP && key === ROOT_KEY;
        if (isOrigin || isCovered(relationship, named.get(key))) continue;
        const kind = this.#exceptions.relationships.get(relationship);
        if (kind !== undefined && !this.#isShownData(kind)) {
          yield kind;
          continue;
        }
        const id = shownText(relationship.id);
        faults.add(
          'RELATIONSHIP_UNSIGNED',
          `The signature does not cover the relationship ${id} in ${shownUri(name)}.`,
        );
        faults.addModification('RELATIONSHIP_CHANGED', name, `/${name}#${relationship.id}`);
      }
  }

  /** Computed only if a signature leaves something uncovered. */
  get #shownByText(): Shown {
    this.#shown ??= findShown(this.#signable.document);
    return this.#shown;
  }

  #isShownData(kind: ExceptionKind): boolean {
    return kind === 'data' && this.#shownByText.data;
  }

  #judgeLeft(left: ReadonlySet<ExceptionKind>, faults: FaultList): void {
    if (left.has('properties') && this.#shownByText.properties)
      faults.add(
        'PROPERTIES_SHOWN',
        'The text shows properties of the document, such as its title or the base of its links, which the signature does not cover.',
      );
    const names = [...left].map((kind) => KIND_NAMES[kind]);
    if (names.length > 0)
      faults.add('PROPERTIES_UNSIGNED', `The signature does not cover ${names.join(', ')}.`);
  }
}

function shownUri(name: string): string {
  return shownText(partUri(name));
}

/** Whether a relationship, or its whole part, is named. A later change of it is reported separately. */
export function isCovered({ id, type }: Relationship, finding: PartFinding | undefined): boolean {
  if (finding === undefined) return false;
  const { relationships } = finding;
  return relationships === undefined || relationships.ids.has(id) || relationships.types.has(type);
}
