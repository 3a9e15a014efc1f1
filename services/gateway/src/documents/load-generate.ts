import { AppError, renamed } from '@scriptorium/contracts/errors';
import { documentsOfData, imagesOfData, withPlaces } from '@scriptorium/docx-generate/values';
import type { ImagePlace } from '@scriptorium/docx-template/fields';
import { invalid } from '@scriptorium/shared/http/validation';
import type { SigningKey } from '@scriptorium/signatures/sign-request';
import type { BatchHead } from '../requests/batch-request.ts';
import { checkData } from '../requests/data-value.ts';
import { fieldValuesOf, imagesOf } from '../requests/field-values.ts';
import { type Content, contentOf, type GenerateRequest } from '../requests/generate-request.ts';
import type { NamedFiles } from '../requests/load-files.ts';
import type { LoadedImages } from '../requests/load-images.ts';
import { loadWithFiles } from '../requests/load-request.ts';
import { APPEARANCE_IMAGE, checkedKey, signingOf } from '../requests/signing.ts';
import type { LoadTools } from './operation.ts';

/** The path of the image in the appearance of the signature. */
const SIGN_IMAGE = `sign.${APPEARANCE_IMAGE}`;

type Sign = NonNullable<GenerateRequest['sign']>;

/** The bytes of the jobs of a request, by blob name. */
type Inputs = { source: Buffer; content: Buffer; images?: Buffer; signing?: Buffer; appearance?: Buffer };

/** Loads the document and the images of a request, and makes the inputs of its jobs. Throws the errors of both. */
export async function loadGenerateInputs(
  request: GenerateRequest,
  { loading, seal, response }: Pick<LoadTools, 'loading' | 'seal' | 'response'>,
): Promise<Inputs> {
  const { document, sign } = request;
  const content = contentOf(request);
  const key = sign && within('sign', () => checkedKey(sign, seal, response));
  const filling = filesToFill(content);
  const image = sign?.appearance?.image;
  const named =
    image === undefined ? filling : { ...filling, images: new Map([...filling.images, [SIGN_IMAGE, image]]) };
  const { source, images } = await loadWithFiles(document, named, loading, response);
  return {
    source,
    content: Buffer.from(JSON.stringify(filledBy(content, images.places))),
    ...(filling.images.size + filling.documents.size > 0 && { images: images.bytes }),
    ...(sign && key && signingInputs(sign, key, images)),
  };
}

/** Loads what all rows of a batch need: the template, and how to sign. Throws the errors of both. */
export async function loadBatchInputs(
  { document, sign }: BatchHead,
  { loading, seal, response }: Pick<LoadTools, 'loading' | 'seal' | 'response'>,
): Promise<Omit<Inputs, 'content' | 'images'>> {
  const key = sign && within('sign', () => checkedKey(sign, seal, response));
  const image = sign?.appearance?.image;
  const named: NamedFiles = {
    images: new Map(image === undefined ? [] : [[SIGN_IMAGE, image]]),
    documents: new Map(),
  };
  const { source, images } = await loadWithFiles(document, named, loading, response);
  return { source, ...(sign && key && signingInputs(sign, key, images)) };
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

/** The signer gets the bytes of its own image only. */
function signingInputs(
  sign: Sign,
  key: SigningKey,
  { bytes, places }: LoadedImages,
): Pick<Inputs, 'signing' | 'appearance'> {
  const place = places.get(SIGN_IMAGE);
  const own: ImagePlace | undefined = place && { start: 0, bytes: place.bytes };
  return {
    signing: Buffer.from(JSON.stringify(signingOf(sign, key, own))),
    ...(place && { appearance: bytes.subarray(place.start, place.start + place.bytes) }),
  };
}

/** Runs a check that other operations make on a whole body, on the part of the body with this name. */
function within<Result>(part: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw error instanceof AppError ? renamed(error, (field) => `${part}.${field}`) : error;
  }
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
