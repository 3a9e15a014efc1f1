import { documentsOfData, imagesOfData, withPlaces } from '@scriptorium/docx-generate/values';
import type { ImagePlace } from '@scriptorium/docx-template/fields';
import { invalid } from '@scriptorium/shared/http/validation';
import type { BatchHead } from '../requests/batch-request.ts';
import { checkData } from '../requests/data-value.ts';
import { fieldValuesOf, imagesOf } from '../requests/field-values.ts';
import {
  type Content,
  contentOf,
  type GenerateRequest,
  optionsOfDataOnly,
} from '../requests/generate-request.ts';
import type { NamedFiles } from '../requests/load-files.ts';
import type { LoadedImages } from '../requests/load-images.ts';
import { loadWithFiles } from '../requests/load-request.ts';
import { appearanceImages, checkedKeys, type SigningKeys, signingOf, within } from '../requests/signing.ts';
import type { LoadTools } from './operation.ts';

type Sign = NonNullable<GenerateRequest['sign']>;

/** The bytes of the jobs of a request, by blob name. */
type Inputs = { source: Buffer; content: Buffer; images?: Buffer; signing?: Buffer; appearance?: Buffer };

/** Loads the document and the images of a request, and makes the inputs of its jobs. Throws the errors of both. */
export async function loadGenerateInputs(
  request: GenerateRequest,
  {
    loading,
    seal,
    sealPassword,
    response,
  }: Pick<LoadTools, 'loading' | 'seal' | 'sealPassword' | 'response'>,
): Promise<Inputs> {
  const { document, sign, password } = request;
  const content = contentOf(request);
  const keys = sign && within('sign', () => checkedKeys(sign, seal, response));
  const passwordBox = sign && sealPassword.signer(password, response.locals.requestId);
  const filling = filesToFill(content);
  const named = { ...filling, images: new Map([...filling.images, ...signImages(sign)]) };
  const { source, images } = await loadWithFiles(document, named, loading, response);
  return {
    source,
    content: Buffer.from(JSON.stringify(filledBy(content, images.places))),
    ...(filling.images.size + filling.documents.size > 0 && { images: images.bytes }),
    ...(sign && keys && signingInputs(sign, keys, images, passwordBox)),
  };
}

/** Loads what all rows of a batch need: the template, and how to sign. Throws the errors of both. */
export async function loadBatchInputs(
  { document, sign }: BatchHead,
  { loading, seal, response }: Pick<LoadTools, 'loading' | 'seal' | 'response'>,
): Promise<Omit<Inputs, 'content' | 'images'>> {
  const keys = sign && within('sign', () => checkedKeys(sign, seal, response));
  const named: NamedFiles = { images: signImages(sign), documents: new Map() };
  const { source, images } = await loadWithFiles(document, named, loading, response);
  return { source, ...(sign && keys && signingInputs(sign, keys, images)) };
}

/** Throws VALIDATION_ERROR for data that cannot be carried on. */
function filesToFill(content: Content): NamedFiles {
  if ('fields' in content) return { images: imagesOf(content.fields), documents: new Map() };
  checkData(content.data);
  return { images: imagesOfData(content.data), documents: documentsOfData(content.data) };
}

function filledBy(content: Content, places: LoadedImages['places']): unknown {
  return 'fields' in content ? fieldValuesOf(content.fields, places) : withPlaces(content.data, places);
}

const SIGN = 'sign.';

/** The images of signatures, by their path in the body. */
function signImages(sign: Sign | undefined): Map<string, string> {
  const named = sign ? [...appearanceImages(sign)] : [];
  return new Map(named.map(([path, image]) => [`${SIGN}${path}`, image]));
}

/** The signer gets the bytes of its own images only. */
function signingInputs(
  sign: Sign,
  keys: SigningKeys,
  { bytes, places }: LoadedImages,
  passwordBox?: string,
): Pick<Inputs, 'signing' | 'appearance'> {
  const own = new Map<string, ImagePlace>();
  const images: Buffer[] = [];
  let start = 0;
  for (const path of appearanceImages(sign).keys()) {
    const place = places.get(`${SIGN}${path}`);
    if (place === undefined) continue;
    own.set(path, { start, bytes: place.bytes });
    images.push(bytes.subarray(place.start, place.start + place.bytes));
    start += place.bytes;
  }
  return {
    signing: Buffer.from(JSON.stringify(signingOf(sign, keys, own, passwordBox))),
    ...(images.length > 0 && { appearance: Buffer.concat(images) }),
  };
}

/** Throws VALIDATION_ERROR for parts of the body that the query or the requested type of the answer contradicts. */
export function refuseContradictions(
  { convert, sign }: GenerateRequest,
  { to, isFile }: { to: 'docx' | 'pdf'; isFile: boolean },
): void {
  if (convert !== undefined && to !== 'pdf')
    throw invalid([{ field: 'convert', issue: 'requires `to=pdf`' }]);
  if (isFile && sign?.key?.external !== undefined)
    throw invalid([
      {
        field: 'headers.accept',
        issue: 'must be `application/json` with `sign.key.external`: the answer has the bytes to sign',
      },
    ]);
}

/** Throws VALIDATION_ERROR for parts of the request that a PDF form does not have. */
export function refuseForForm(
  { data, convert, options }: Pick<GenerateRequest, 'data' | 'convert' | 'options'>,
  to: 'docx' | 'pdf',
): void {
  const ofMarks = data === undefined ? [] : optionsOfDataOnly(options).filter((name) => name !== 'onUnused');
  const details = [
    ...(to === 'pdf' ? [] : [{ field: 'query.to', issue: 'must be `pdf`: the document is a PDF' }]),
    ...ofMarks.map((name) => ({ field: `options.${name}`, issue: 'is for a DOCX: the document is a PDF' })),
    ...(convert === undefined ? [] : [{ field: 'convert', issue: 'is for a DOCX: the document is a PDF' }]),
  ];
  if (details.length > 0) throw invalid(details);
}
