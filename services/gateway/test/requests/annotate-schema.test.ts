import { describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { FIELD_TYPES, FIELDS_MAX } from '@scriptorium/docx-template/fields';
import { fieldsSchema, type TemplateField } from '@scriptorium/docx-template/inspect';
import { loadConfig } from '@scriptorium/shared/config';
import { createFetcher } from '@scriptorium/shared/fetch/fetcher';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import { validate } from '@scriptorium/shared/http/validation';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { annotateRequest } from '../../src/requests/annotate-request.ts';
import { BASE64_ISSUE } from '../../src/requests/base64.ts';
import { imagesOf } from '../../src/requests/field-values.ts';
import { loadImages } from '../../src/requests/load-images.ts';
import { candidatesOf, type JsonSchema } from '../rigs/candidates.ts';

const document = { base64: 'UEs=' };
const loading = {
  fetcher: createFetcher(loadConfig(z.object(fetchSettings), { FETCH: 'off' })),
  signal: new AbortController().signal,
  imageBytesMax: 1e6,
  imagesBytesMax: 1e6,
};

/** The schema covers neither the content of an image nor the response of a URL. */
const CONTENT_ISSUES = new Set([BASE64_ISSUE, 'is empty']);

/** Returns whether the gateway accepts a request with these fields, regardless of the content of images. */
async function isTaken(fields: unknown[]): Promise<boolean> {
  try {
    const request = validate(annotateRequest, { document, fields });
    await loadImages(
      new Map([...imagesOf(request.fields)].filter(([, url]) => !/^https?:/i.test(url))),
      loading,
    );
    return true;
  } catch (error) {
    if (error instanceof AppError)
      return error.details?.every(({ issue }) => CONTENT_ISSUES.has(issue)) ?? false;
    throw error;
  }
}

/** Returns the schema of inspect for a template with one field of this type. */
function schemaOf(type: TemplateField['type']) {
  const field: TemplateField = {
    id: 'a',
    names: ['a'],
    count: 1,
    type,
    location: { part: 'word/document.xml', place: 'body', level: 'block' },
    current: '',
    options: { control: 'rich text' },
  };
  return new Ajv2020({ strict: false }).compile(fieldsSchema([field]));
}

const shown = (value: unknown): string => {
  const json = JSON.stringify(value);
  return json.length <= 100 ? json : `${json.slice(0, 100)}… (${json.length} characters)`;
};

describe.each(FIELD_TYPES.map((fieldType) => [fieldType.type, fieldType] as const))(
  'a field of type %s',
  (type, { value, options }) => {
    const isValid = schemaOf(type);
    const jsonOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
    const parts = { value: jsonOf(value), options: jsonOf(options) };
    const fieldWith = (value: unknown) => ({ id: 'a', type, value });
    // Annotate treats a text with an array as a table.
    const isText = (value: unknown) => type !== 'text' || !Array.isArray(value);
    const values = [...candidatesOf(parts.value, 'value')].map((candidate) => candidate.value);
    const sample = values.find((value) => isText(value) && isValid([fieldWith(value)]));

    test.each(Object.entries(parts))(
      'is accepted by annotate if and only if the schema of inspect accepts its %s',
      async (part, schema) => {
        const answers = new Map<string, Set<boolean>>();
        const differences: string[] = [];
        for (const candidate of candidatesOf(schema, part)) {
          if (part === 'value' && !isText(candidate.value)) continue;
          const fields = [{ ...fieldWith(sample), [part]: candidate.value }];
          const taken = await isTaken(fields);
          if (taken !== isValid(fields))
            differences.push(
              `annotate ${taken ? 'takes' : 'refuses'} ${candidate.at} of ${shown(candidate.value)}`,
            );
          const seen = answers.get(candidate.at) ?? new Set();
          answers.set(candidate.at, seen.add(taken));
        }
        expect(differences).toEqual([]);
        // Otherwise the candidates would prove nothing.
        for (const [at, seen] of answers) expect([at, seen.size]).toEqual([at, 2]);
      },
    );

    test('may occur as often as annotate accepts fields', async () => {
      for (const count of [1, FIELDS_MAX, FIELDS_MAX + 1]) {
        const fields = Array(count).fill(fieldWith(sample));
        expect([count, isValid(fields)]).toEqual([count, await isTaken(fields)]);
      }
    });
  },
);
