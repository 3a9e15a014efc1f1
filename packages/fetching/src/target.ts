/** Presigned URLs of object stores are shorter. */
const URL_LENGTH_MAX = 4096;
const PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

/** A URL that is parsed once, so that the check and the connection use the same host. */
export interface FetchTarget {
  isSecure: boolean;
  /** A name in lower case without trailing dots, or an address in canonical form, IPv6 without brackets. */
  host: string;
  port: number;
  /** `https://host:port`. Parsing it again returns the same host. */
  origin: string;
  /** Path and query. */
  path: string;
}

/** Parses a URL, or the location of a redirect (WHATWG URL standard). Returns a string with the defect, for the log. */
export function parseTarget(text: string, base?: FetchTarget): FetchTarget | string {
  if (text.length > URL_LENGTH_MAX) return `the URL is longer than ${URL_LENGTH_MAX} characters`;
  const url = URL.parse(text, base === undefined ? undefined : base.origin + base.path);
  if (url === null) return 'the URL is malformed';
  const usualPort = PORTS[url.protocol];
  if (usualPort === undefined) return `the scheme ${url.protocol} is not supported`;
  if (url.username !== '' || url.password !== '') return 'the URL contains a user name or password';
  // The setter parses again: `127.0.0.1..` without its dots is an address. All trailing dots are removed, since a name with
  // one dot resolves too, but would differ from the name on a list.
  url.hostname = url.hostname.replace(/\.+$/, '');
  return {
    isSecure: url.protocol === 'https:',
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? usualPort : Number(url.port),
    origin: url.origin,
    path: url.pathname + url.search,
  };
}
