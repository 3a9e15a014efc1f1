import { baseUrl } from '../service.ts';

export const LANGUAGES = [
  { id: 'curl', name: 'curl' },
  { id: 'typescript', name: 'TypeScript' },
  { id: 'python', name: 'Python' },
  { id: 'cli', name: 'CLI' },
] as const;
export type LanguageId = (typeof LANGUAGES)[number]['id'];

/** A call in each language, and the files that it reads beside the document. */
export type Code = Record<LanguageId, string> & { files: { name: string; text: () => string }[] };

/** A call of the service on one document. */
export interface Call {
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  /** Name of the document that is sent. */
  fileName: string;
  /** Names of further documents. */
  more?: string[];
  /** The part of the form with everything else, and its name. */
  request?: object;
  part?: 'request' | 'options';
  accept?: string;
  /** Name of the document that comes back; without one, the answer is printed. */
  output?: string;
  /** Further imports of TypeScript. */
  imports?: string[];
  /** The lines of TypeScript after the client is there. */
  typescript: string;
  cli: string;
}

/** Longer requests are a file beside the code: pictures, long tables. */
const REQUEST_CHARS_MAX = 1_500;
const REQUEST_FILE = 'request.json';

/** Returns the same call in each language. Every text runs as it is. */
export function codeOf(call: Call): Code {
  const json = call.request === undefined ? undefined : JSON.stringify(call.request, null, 2);
  const isLong = json !== undefined && json.length > REQUEST_CHARS_MAX;
  const source = { json, isLong, url: urlOf(call) };
  return {
    curl: curlOf(call, source),
    typescript: typescriptOf(call, isLong),
    python: pythonOf(call, source),
    cli: commandOf(call.cli),
    files: isLong ? [{ name: REQUEST_FILE, text: () => json }] : [],
  };
}

/** The command finds the service and the key in the environment. */
export const commandOf = (command: string): string =>
  `export SCRIPTORIUM_URL=${shellWord(baseUrl)} SCRIPTORIUM_API_KEY="$KEY"\n${command}`;

interface Source {
  json: string | undefined;
  isLong: boolean;
  url: string;
}

function urlOf({ path, query = {} }: Call): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${baseUrl}${path}${search === '' ? '' : `?${search}`}`;
}

/** Quotes a word for POSIX shells, if it must be. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Names with such characters must be in quotes for curl. */
const formFile = (name: string): string =>
  /[";,\\]/.test(name) ? `file=@"${name.replace(/["\\]/g, '\\$&')}"` : `file=@${name}`;

function curlOf(
  { fileName, more = [], part = 'request', accept, output }: Call,
  { json, isLong, url }: Source,
): string {
  const first = ['curl -s -H "Authorization: Bearer $KEY"', ...(accept ? [`-H 'Accept: ${accept}'`] : [])];
  const request = isLong
    ? [`-F '${part}=<${REQUEST_FILE};type=application/json'`]
    : json === undefined
      ? []
      : [`--form-string ${part}=${shellWord(json)}`];
  const last = [...(output === undefined ? [] : [`-o ${shellWord(output)}`]), shellWord(url)].join(' ');
  const files = [fileName, ...more].map((name) => `-F ${shellWord(formFile(name))}`);
  return [first.join(' '), ...files, ...request, last].join(' \\\n  ');
}

/** A text as a literal of TypeScript or Python. */
export const quoted = (text: string): string => JSON.stringify(text);

/** A value as a literal of TypeScript. */
export const literal = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');

function typescriptOf({ typescript, output, imports = [] }: Call, isLong: boolean): string {
  const names = [...(isLong ? ['readFile'] : []), ...(output === undefined ? [] : ['writeFile'])];
  return [
    ...(names.length === 0 ? [] : [`import { ${names.join(', ')} } from 'node:fs/promises';`]),
    ...imports,
    "import { Scriptorium } from '@scriptorium/client';",
    '',
    `const client = new Scriptorium({ baseUrl: ${quoted(baseUrl)}, apiKey: process.env.KEY });`,
    ...(isLong ? [`const request = JSON.parse(await readFile('${REQUEST_FILE}', 'utf8'));`] : []),
    typescript,
    ...(output === undefined ? [] : [`await writeFile(${quoted(output)}, made.bytes);`]),
  ].join('\n');
}

function pythonOf(
  { fileName, more = [], part = 'request', accept, output }: Call,
  { json, isLong, url }: Source,
): string {
  const headers = [
    `"Authorization": "Bearer " + os.environ["KEY"]`,
    ...(accept ? [`"Accept": ${quoted(accept)}`] : []),
    `"Content-Type": "multipart/form-data; boundary=" + edge`,
  ];
  const requestText = isLong
    ? `open("${REQUEST_FILE}", encoding="utf-8").read()`
    : json === undefined
      ? undefined
      : `r'''${json.replaceAll("'", '\\u0027')}'''`;
  const documents = [fileName, ...more].flatMap((name, at) => [
    `document = open(${quoted(name)}, "rb").read()`,
    `body ${at === 0 ? '=' : '+='} part('name="file"; filename=${quoted(asciiOf(name)).replaceAll("'", '')}', document)`,
  ]);
  return [
    'import os, urllib.request, uuid',
    '',
    'edge = uuid.uuid4().hex',
    'def part(head, content):',
    '    return f"--{edge}\\r\\nContent-Disposition: form-data; {head}\\r\\n\\r\\n".encode() + content + b"\\r\\n"',
    '',
    ...documents,
    ...(requestText === undefined ? [] : [`body += part('name="${part}"', ${requestText}.encode())`]),
    'body += f"--{edge}--\\r\\n".encode()',
    `call = urllib.request.Request(${quoted(url)}, body, {${headers.join(', ')}})`,
    'answer = urllib.request.urlopen(call).read()',
    output === undefined ? 'print(answer.decode())' : `open(${quoted(output)}, "wb").write(answer)`,
  ].join('\n');
}

/** The name that the service sees: it only needs the ending. */
const asciiOf = (name: string): string => name.replace(/[^\w. -]/g, '_');
