import { isDeepStrictEqual } from 'node:util';
import { PdfError, unlessMalformed } from '@scriptorium/pdf/error';
import { countPages, readForm } from '@scriptorium/pdf/read';
import type { ReadRevision } from '@scriptorium/pdf/revisions';
import type {
  ComparedRevisions,
  ComparisonResult,
  PageDifference,
  Reading,
  RevisionComparison,
} from '@scriptorium/rendering/compare-revisions';
import type { DocumentEvidence, SignatureEvidence } from '../evidence.ts';
import { type Fault, REASONS } from '../reasons.ts';
import type { VerifyTools } from '../verification/verify-tools.ts';
import type { VerifyReply } from '../verify-report.ts';
import {
  type Disagreement,
  drawnByBoth,
  drawnByFirst,
  FIRST_READER,
  planPictures,
  shownPictures,
} from './pictures.ts';
import { countedBySecond } from './second-reader.ts';
import { type TouchedPage, touchedPages } from './touched-pages.ts';

/** For all signatures together. */
const PAGES_COMPARED_MAX = 200;
const RENDERED_BYTES_MAX = 128 * 1024 * 1024;

interface Looked {
  source: Buffer;
  password: string | undefined;
  pictures: boolean | undefined;
}

/** The signatures over one revision, and how it is compared with the last one. */
interface Plan {
  signatures: SignatureEvidence[];
  comparison: RevisionComparison & { pages: readonly TouchedPage[] };
  faults: Fault[];
  signed: ReadRevision;
  /** All pages that updates touched later. */
  pages: readonly TouchedPage[];
  /** Pages that no update touched since an earlier signed revision: its plan compares them. */
  lent: ReadonlyMap<number, Plan>;
}

/**
 * Compares what each signature signed with what the document shows now, and adds a fault to the signature if it looks different.
 * Only pages that updates touched are rendered. Returns the pictures of the reply, if they are asked for.
 */
export async function compareLooks(
  document: DocumentEvidence,
  { source, password, pictures }: Looked,
  { renderer, secondReader }: Pick<VerifyTools, 'renderer' | 'secondReader'>,
): Promise<Pick<VerifyReply, 'pictures' | 'picturesLeftOut'>> {
  const none = pictures ? { pictures: [] } : {};
  const { revisions = [], signatures } = document;
  const last = revisions.at(-1);
  if (
    renderer === undefined ||
    last === undefined ||
    signatures.every(({ revision }) => revision === last.number)
  )
    return none;
  const file = { bytes: source, password };
  const plans = plansOf(signatures, revisions, source.length, pictures);
  const planned = pictures ? planPictures(signatures, revisions) : [];
  const comparisons = plans.map(({ comparison }) => comparison);
  let compared: ComparedRevisions | string = NOTHING;
  if (source.length > RENDERED_BYTES_MAX)
    compared = `a file of more than ${RENDERED_BYTES_MAX} bytes is not rendered`;
  else if (planned.length > 0 || comparisons.some(({ pages }) => pages.length > 0))
    compared = await renderer.compare({ ...file, comparisons, pictures: planned });
  judge(plans, plans, compared, document);
  const drawn = drawnByFirst(planned, typeof compared === 'string' ? [] : compared.pictures);
  const sound = plans.filter(isSound);
  if (secondReader && sound.length > 0) {
    const request = { ...file, comparisons: countedBySecond(plans, sound), pictures: [] };
    const again = typeof compared === 'string' ? compared : await secondReader.compare(request);
    judge(plans, sound, again, document, secondReader.name);
    const first = { name: FIRST_READER, compare: renderer.compare.bind(renderer) };
    if (pictures)
      drawn.unshift(...(await drawnByBoth(otherwiseIn(again, plans), last, file, [first, secondReader])));
  }
  report(plans);
  return pictures ? shownPictures(drawn) : {};
}

/** Each page once, of the oldest signature. */
function otherwiseIn(again: ComparedRevisions | string, plans: readonly Plan[]): Disagreement[] {
  const found = new Map<number, Disagreement>();
  const comparisons = typeof again === 'string' ? [] : again.comparisons;
  for (const [index, { differences }] of comparisons.entries()) {
    const signed = plans[index]?.signed;
    for (const { page } of differences) if (signed && !found.has(page)) found.set(page, { signed, page });
  }
  return [...found.values()];
}

const NOTHING: ComparedRevisions = { readings: [], comparisons: [], pictures: [], isSpent: false };

const notCompared = (why: string, second?: string): Fault => ({
  code: 'CONTENT_NOT_COMPARED',
  message:
    second === undefined
      ? `Changed pages were not compared with the signed ones${why}`
      : `Not all pages were compared with the signed ones in ${second}${why}`,
});

/** One plan for each signed revision. Where changes are forbidden anyway, only pictures need a comparison. */
function plansOf(
  signatures: readonly SignatureEvidence[],
  revisions: readonly ReadRevision[],
  length: number,
  pictures: boolean | undefined,
): Plan[] {
  const plans = new Map<number, Plan>();
  const last = revisions.at(-1);
  let room = PAGES_COMPARED_MAX;
  for (const signature of signatures) {
    const { revision, modifications } = signature;
    const signed = revisions[revision - 1];
    if (last === undefined || signed === undefined || signed === last) continue;
    if (!pictures && modifications.some(({ level }) => level === 'forbidden')) continue;
    const known = plans.get(revision);
    if (known) {
      known.signatures.push(signature);
      continue;
    }
    const faults: Fault[] = [];
    const pages = pagesBetween(signed, last, revisions.slice(revision), faults);
    const lent = lentPages([...plans.values()].at(-1), { signed, pages }, revisions);
    const own = pages.filter(({ page }) => !lent.has(page));
    if (own.length > room)
      faults.push(notCompared(`: more than ${PAGES_COMPARED_MAX} pages would have to be rendered.`));
    // Some of them would cost time, and leave the doubt.
    const comparison = { before: signed.end, now: length, pages: own.length > room ? [] : own };
    room -= comparison.pages.length;
    plans.set(revision, { signatures: [signature], comparison, faults, signed, pages, lent });
  }
  return [...plans.values()];
}

/** The pages that an earlier plan compares with the last revision, and that are still the same. */
function lentPages(
  before: Plan | undefined,
  { signed, pages }: Pick<Plan, 'signed' | 'pages'>,
  revisions: readonly ReadRevision[],
): ReadonlyMap<number, Plan> {
  const lent = new Map<number, Plan>();
  const faults: Fault[] = [];
  const updates = before ? revisions.slice(before.signed.number, signed.number) : [];
  const touched = before && pagesBetween(before.signed, signed, updates, faults);
  if (!before || !touched || faults.length > 0) return lent;
  const changed = new Set(touched.map(({ page }) => page));
  const known = new Map(before.pages.map((each) => [each.page, each]));
  for (const each of pages) {
    const { page } = each;
    const lender = before.lent.get(page) ?? before;
    const isCompared = lender.comparison.pages.some((compared) => compared.page === page);
    if (isCompared && !changed.has(page) && isDeepStrictEqual(known.get(page), each)) lent.set(page, lender);
  }
  return lent;
}

function pagesBetween(
  signed: ReadRevision,
  last: ReadRevision,
  updates: readonly ReadRevision[],
  faults: Fault[],
): TouchedPage[] {
  try {
    return touchedPages(signed, last, updates);
  } catch (error) {
    if (!(error instanceof PdfError)) throw error;
    faults.push(notCompared(': which pages were changed cannot be found.'));
    return [];
  }
}

/** Whether nothing but the certificates could make one of the signatures less than valid. */
const isSound = ({ signatures, faults }: Plan): boolean =>
  faults.length === 0 &&
  signatures.some(
    (signature) =>
      signature.faults.every(({ code }) => !DECISIVE.includes(REASONS[code].severity)) &&
      signature.modifications.every(({ level }) => level === 'permitted'),
  );
const DECISIVE: readonly string[] = ['error', 'doubt'];

/** Adds what a reader found to the faults of these plans. `second` is the name of the second one. */
function judge(
  plans: readonly Plan[],
  judged: readonly Plan[],
  compared: ComparedRevisions | string,
  document: DocumentEvidence,
  second?: string,
): void {
  if (typeof compared === 'string') {
    for (const { comparison, faults, lent } of judged)
      if (second !== undefined || comparison.pages.length + lent.size > 0)
        faults.push(notCompared(`: ${compared}.`, second));
    return;
  }
  const { readings, comparisons } = compared;
  const results = new Map(plans.map((plan, index) => [plan, comparisons[index]]));
  for (const plan of judged) {
    const { comparison, faults, lent } = plan;
    const lenders = [...new Set(lent.values())];
    const borrowed = lenders.flatMap((lender) =>
      (results.get(lender)?.differences ?? []).filter(({ page }) => lent.get(page) === lender),
    );
    const differences = [...(results.get(plan)?.differences ?? []), ...borrowed];
    const failure = [plan, ...lenders].map((each) => results.get(each)?.failure).find(Boolean);
    differences.sort((a, b) => a.page - b.page);
    if (failure) faults.push(failed(failure, second));
    if (differences.length > 0) faults.push(lookingDifferent(differences, second));
    const ends = [comparison.now, ...[plan, ...lenders].map((each) => each.comparison.before)];
    for (const reading of readings)
      if (ends.includes(reading.end)) faults.push(...disagreement(reading, document, second));
  }
}

/** What a reader cannot read, and we can, is a finding; what is over a bound is not. */
function failed({ code, message }: NonNullable<ComparisonResult['failure']>, second?: string): Fault {
  if (code === 'UNREADABLE') return { code: 'READERS_DISAGREE', message: `Readers disagree: ${message}` };
  return notCompared(`. ${message}`, second);
}

function lookingDifferent(differences: readonly PageDifference[], second: string | undefined): Fault {
  const [first] = differences;
  const others = differences.length === 1 ? '' : `, and ${differences.length - 1} more pages are different`;
  const at = first?.regions[0];
  const how = at
    ? `does not look as it was signed, at ${at.x} × ${at.y} points from its upper left corner`
    : 'has text, values or links that were not signed';
  const what = `page ${(first?.page ?? 0) + 1} ${how}${others}.`;
  if (second !== undefined)
    return { code: 'READERS_DISAGREE', message: `Readers disagree: in ${second}, ${what}` };
  return { code: 'CONTENT_LOOKS_DIFFERENT', message: `P${what.slice(1)}` };
}

function disagreement(
  { end, pages, signatures, signatureFields }: Reading,
  { revisions = [], signatures: ours }: DocumentEvidence,
  reader = FIRST_READER,
): Fault[] {
  const revision = revisions.find((each) => each.end === end) ?? revisions.at(-1);
  const count = revision && unlessMalformed(() => countPages(revision.document));
  const faults: Fault[] = [];
  const add = (message: string) => faults.push({ code: 'READERS_DISAGREE', message });
  if (count !== undefined && count !== pages)
    add(`Readers disagree: ${reader} finds ${pages} pages, where we find ${count}.`);
  const fields = revision && unlessMalformed(() => readForm(revision.document).signatureFields.length);
  if (signatureFields !== undefined && fields !== signatureFields)
    add(
      `Readers disagree: ${reader} finds ${signatureFields} fields for signatures, where we find ${fields}.`,
    );
  const known = new Set(ours.map(({ byteRange }) => byteRange?.join(' ')));
  if (signatures.some((range) => !known.has(range.join(' '))))
    add(`Readers disagree: ${reader} finds a signature that we do not.`);
  return faults;
}

function report(plans: readonly Plan[]): void {
  for (const { signatures, faults } of plans)
    for (const { faults: known } of signatures) known.push(...faults);
}
