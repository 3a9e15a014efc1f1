import { computed, type Signal, signal } from '@preact/signals';
import type {
  Scriptorium,
  ScriptoriumError,
  Signed,
  SignRequestPart,
  VerifyReport,
} from '@scriptorium/client';
import { type Code, codeOf, literal, quoted, shellWord } from '../code/code.ts';
import { DOCX_TYPE, extensionOf, fileOf, lastMade, lastSigned, type MadeDocument } from '../documents.ts';
import { checkFile, Operation } from '../operation.ts';
import type { MadeFormat } from '../parts/controls.tsx';
import type { PageOverlay, PageSize } from '../parts/pdf-view.ts';
import { prepareShow, type Shown } from '../parts/preview.tsx';
import { limits } from '../service.ts';
import { appearanceOf, type Box, fitted, placementOverlay } from './placement.ts';

type Level = NonNullable<SignRequestPart['level']>;

export const LEVELS: readonly (readonly [Level, string])[] = [
  ['B-B', 'Signature (B-B)'],
  ['B-T', 'with a time-stamp (B-T)'],
  ['B-LT', 'for years (B-LT)'],
  ['B-LTA', 'for decades (B-LTA)'],
];

export const file = signal<File | null>(null);
/** What a Word document becomes before it is signed: a PDF, or nothing else. */
export const to = signal<MadeFormat>('pdf');
export const isWord = computed(() => extensionOf(file.value?.name ?? 'sample.docx') === 'docx');
/** A signature of a Word document has no place on a page. */
export const signsWord = computed(() => isWord.value && to.value === 'docx');
/** The PDF that shows: the file itself, or the PDF of a Word document. */
export const prepared = signal<Shown | null>(null);
export const signerName = signal('Ada Lovelace');
export const signerEmail = signal('ada@example.com');
export const reason = signal('');
export const level = signal<Level>('B-B');
export const isVisible = signal(true);
const FIRST: Box = { page: 1, x: 340, y: 700, width: 200, height: 64 };
/** A signature is made in each of these places, and in each chosen field. */
export const boxes = signal<Signal<Box>[]>([signal(FIRST)]);
/** The place that is moved by its page. */
export const lastBox = computed(() => boxes.value.at(-1) ?? signal(FIRST));
/** Empty fields of the document, such as those of a template, and who signs in them. */
export interface SignField {
  name: string;
  page?: number | undefined;
  isChosen: boolean;
  signer: { name: string; email: string };
}
export const signFields = signal<SignField[]>([]);
export const result = signal<Signed | null>(null);
export const operation = new Operation();

const GAP = 12;
const A4: PageSize = { width: 595, height: 842 };
/** The sizes of the pages that were shown so far. */
const pageSizes = new Map<number, PageSize>();
export const sources = computed(() => limits.value?.formats.sign.from ?? ['pdf', 'docx']);

/** A4 and letter differ: a box must be on the page. */
export const placing = computed(() => {
  const overlays = boxes.value.map((box, at) =>
    placementOverlay(box, at + 1, (page, size) => {
      pageSizes.set(page, size);
      if (page === box.peek().page) box.value = fitted(box.peek(), size);
    }),
  );
  return (...shown: Parameters<PageOverlay>): void => {
    for (const overlay of overlays) overlay(...shown);
  };
});

/** A further place, above the last one. */
export function addBox(): void {
  const last = lastBox.value.value;
  const size = pageSizes.get(last.page) ?? A4;
  boxes.value = [...boxes.value, signal(fitted({ ...last, y: last.y - last.height - GAP }, size))];
}

export function removeBox(): void {
  boxes.value = boxes.value.slice(0, -1);
}

export function changeField(name: string, change: Partial<SignField>): void {
  signFields.value = signFields.value.map((one) => (one.name === name ? { ...one, ...change } : one));
}

/** Moves the last box to a page, and shows it. */
export function placeOn(page: number): void {
  const sheets = document.querySelectorAll('.pages .page');
  const number = Math.min(Math.max(1, page), Math.max(1, sheets.length));
  lastBox.value.value = { ...lastBox.value.value, page: number };
  sheets[number - 1]?.scrollIntoView({ block: 'center' });
}

/** Takes the document of the tab before, unless there is another one. */
export function takeLast(): void {
  const { value } = lastMade;
  if (file.value === null && value !== null) signFile(fileOf(value));
}

export function useMade(made: MadeDocument): void {
  signFile(fileOf(made));
}

export function signFile(chosen: File): void {
  file.value = chosen;
  prepared.value = null;
  result.value = null;
  pageSizes.clear();
  boxes.value = [signal({ ...lastBox.value.value, page: 1 })];
  signFields.value = [];
  isVisible.value = true;
  operation.problem.value = checkFile(chosen, sources.value);
  if (operation.problem.value !== null) {
    operation.stop();
    return;
  }
  prepareShow();
  void operation.run(async (client, signal) => {
    if (extensionOf(chosen.name) === 'pdf') {
      prepared.value = { bytes: new Uint8Array(await chosen.arrayBuffer()), fileName: chosen.name };
      takeFields(await fieldsOf(client, chosen, signal));
      return;
    }
    const converted = await client.convert(chosen, { to: 'pdf', signal });
    prepared.value = converted;
    takeFields(
      converted.report.signatureFields?.flatMap(({ name }) => (name === undefined ? [] : [{ name }])),
    );
  });
}

/** The empty fields of a PDF. A key that may sign only cannot ask for them. */
async function fieldsOf(client: Scriptorium, pdf: File, signal: AbortSignal) {
  try {
    return (await client.verify(pdf, { signal })).emptyFields;
  } catch (error) {
    if ((error as ScriptoriumError).code === 'FORBIDDEN') return [];
    throw error;
  }
}

/** A document that says where it is signed needs no other place. */
function takeFields(found: NonNullable<VerifyReport['emptyFields']> = []): void {
  signFields.value = found.map(({ name, page }, at) => ({
    ...{ name, page, isChosen: at === 0 },
    signer: { name: signerName.value, email: signerEmail.value },
  }));
  if (found.length > 0) isVisible.value = false;
}

const request = signal<SignRequestPart | null>(null);

function requestNow(): SignRequestPart {
  return {
    signer: { name: signerName.value.trim(), email: signerEmail.value.trim() },
    auditTrail: [{ type: 'submit', timestamp: new Date().toISOString() }],
    ...(level.value !== 'B-B' && { level: level.value }),
    ...(reason.value !== '' && { reason: reason.value }),
    ...(!signsWord.value && placesNow()),
  };
}

/** One signature with its place, or several. */
function placesNow(): Pick<SignRequestPart, 'appearance' | 'signatures'> {
  const shown = isVisible.value ? boxes.value : [];
  const places = shown.map(({ value }) => ({
    appearance: appearanceOf(value, pageSizes.get(value.page) ?? A4),
  }));
  const inFields = signFields.value
    .filter(({ isChosen }) => isChosen)
    .map(({ name, signer }) => ({
      field: name,
      signer: { name: signer.name.trim(), email: signer.email.trim() },
    }));
  const [place] = places;
  if (inFields.length === 0 && places.length < 2) return place ?? {};
  return { signatures: [...inFields, ...places] };
}

/** The document that is sent. Null as long as it is not there. */
export const source = computed((): File | null =>
  signsWord.value ? file.value : prepared.value && fileOf(prepared.value),
);

/** A signed document of the other format is none of this one. */
export function setFormat(format: MadeFormat): void {
  to.value = format;
  result.value = null;
}

export function sign(): void {
  const { value } = source;
  if (value === null) return;
  const instructions = requestNow();
  request.value = instructions;
  void operation.run(async (client, signal) => {
    const signed = await client.sign(value, { ...instructions, signal });
    const named = { ...signed, fileName: signedName(value.name, extensionOf(value.name)) };
    result.value = named;
    lastSigned.value = { ...named, from: 'Sign' };
  });
}

const signedName = (name: string, extension: string): string =>
  name.replace(/(\.\w+)?$/, `-signed.${extension}`);

export const code = computed((): Code => {
  const fileName = file.value?.name ?? 'sample.docx';
  const isConverted = isWord.value && !signsWord.value;
  const content = request.value === null || result.value === null ? requestNow() : request.value;
  const output = signedName(fileName, signsWord.value ? 'docx' : 'pdf');
  return codeOf({
    path: '/v1/sign',
    query: { to: isConverted ? 'pdf' : undefined },
    ...{ fileName, request: content, accept: signsWord.value ? DOCX_TYPE : 'application/pdf', output },
    typescript: `const made = await client.sign({ path: ${quoted(fileName)} }, ${literal({ ...(isConverted && { to: 'pdf' }), ...content })});`,
    cli: cliOf(fileName, output, content),
  });
});

/** What has no option of the command is in a file. */
function cliOf(
  fileName: string,
  output: string,
  { signer, appearance, signatures, ...more }: SignRequestPart,
): string {
  const rest = { ...(appearance && { appearance }), ...(signatures && { signatures }) };
  const isPlain = Object.keys(rest).length === 0;
  const options = [
    `--name ${shellWord(signer?.name ?? '')} --email ${shellWord(signer?.email ?? '')}`,
    ...(more.level === undefined ? [] : [`--level ${more.level}`]),
    ...(more.reason === undefined ? [] : [`--reason ${shellWord(more.reason)}`]),
    ...(isPlain ? [] : ['--request request.json']),
  ];
  return [
    ...(isPlain ? [] : ["cat > request.json <<'END'", JSON.stringify(rest, null, 2), 'END']),
    `scriptorium sign ${shellWord(fileName)} ${options.join(' ')} -o ${shellWord(output)}`,
  ].join('\n');
}
