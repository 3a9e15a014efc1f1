/** Longer than presigned addresses of object stores get. */
const URL_LENGTH_MAX = 4096;
const PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

/** A URL as it will be asked for; parsed once, so that what is checked and what is dialled are the same. */
export interface Target {
  isSecure: boolean;
  /** A name in lower case without dots at the end, or an address in its plain form, IPv6 without brackets. */
  host: string;
  port: number;
  /** `https://host:port`; whoever parses it again finds the same host. */
  origin: string;
  /** Path and query. */
  path: string;
}

/** Parses a URL, or what a redirect leads to, after WHATWG. A string says what is wrong with it, for the log. */
export function parseTarget(text: string, base?: Target): Target | string {
  if (text.length > URL_LENGTH_MAX) return `the URL is longer than ${URL_LENGTH_MAX} characters`;
  const url = URL.parse(text, base === undefined ? undefined : base.origin + base.path);
  if (url === null) return 'the URL is malformed';
  const usualPort = PORTS[url.protocol];
  if (usualPort === undefined) return `the scheme ${url.protocol} is not fetched`;
  if (url.username !== '' || url.password !== '') return 'the URL holds a user name or password';
  // Set, not cut off: what is left of `127.0.0.1..` is an address, and must be read as one here as well. All dots: with
  // one left, a name would be found all the same, and be another than the one on a list.
  url.hostname = url.hostname.replace(/\.+$/, '');
  return {
    isSecure: url.protocol === 'https:',
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? usualPort : Number(url.port),
    origin: url.origin,
    path: url.pathname + url.search,
  };
}
