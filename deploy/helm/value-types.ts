import type { Schema } from './operator-settings.ts';

export const text: Schema = { type: 'string' };
export const matching = (pattern: string): Schema => ({ type: 'string', pattern });
/** An empty value has a default or is optional. */
export const textOrNone = (pattern: string): Schema => matching(`^(${pattern})?$`);
/** The name of an object of Kubernetes, and a key of a Secret or a ConfigMap. */
export const NAME = '[a-z0-9]([-.a-z0-9]*[a-z0-9])?';
const KEY = '[-._a-zA-Z0-9]+';
export const objectName = matching(`^${NAME}$`);
export const nameOrNone = textOrNone(NAME);
export const key = matching(`^${KEY}$`);
export const keyOrNone = textOrNone(KEY);
/** Without the scheme that browsers need. */
export const registry = textOrNone('[A-Za-z0-9][-._A-Za-z0-9]*(:[0-9]+)?(/[-._a-z0-9]+)*');
export const tag = textOrNone('[A-Za-z0-9_][-._A-Za-z0-9]{0,127}');
export const imageName = matching('^[A-Za-z0-9][-._A-Za-z0-9:/@]*$');
export const networks: Schema = { type: 'array', items: matching('^[0-9a-fA-F.:]+/[0-9]{1,3}$') };
export const flag: Schema = { type: 'boolean' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const positive: Schema = { type: 'integer', minimum: 1 };
export const percent: Schema = { type: 'integer', minimum: 1, maximum: 100 };
export const countOrPercent: Schema = { anyOf: [count, { type: 'string', pattern: '^[0-9]+%$' }] };
export const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };
export const memory: Schema = { type: 'string', pattern: '^[1-9][0-9]*(Ki|Mi|Gi)$' };
export const redisMemory: Schema = { type: 'string', pattern: '^[1-9][0-9]*(kb|mb|gb)$' };
export const idOrNull: Schema = { type: ['integer', 'null'], minimum: 1 };
/** Defined by Kubernetes and checked by its API server. */
export const anyObject: Schema = { type: 'object' };
export const objects: Schema = { type: 'array', items: anyObject };
export const texts: Schema = { type: 'array', items: text };
export const ports: Schema = { type: 'array', items: port, minItems: 1 };
export const textMap: Schema = { type: 'object', additionalProperties: text };
/** Objects of Kubernetes in a list; each has these texts. */
export const objectsWith = (...names: string[]): Schema => ({
  type: 'array',
  items: {
    type: 'object',
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string', minLength: 1 }])),
  },
});
/** Kubernetes defines the rest. */
export const probe: Schema = {
  type: 'object',
  properties: {
    initialDelaySeconds: count,
    ...Object.fromEntries(
      ['periodSeconds', 'timeoutSeconds', 'successThreshold', 'failureThreshold'].map((name) => [
        name,
        positive,
      ]),
    ),
  },
};

/** An object with only these properties. */
export const only = (properties: Schema): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
});
/** The same, of which none may be removed by `null`. */
export const whole = (properties: Schema): Schema => ({
  ...only(properties),
  required: Object.keys(properties),
});
export const oneOf = (...values: string[]): Schema => ({ enum: values });
export const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` });
