// URL and URLSearchParams, as the web has them for the addresses that tools deal with.

import { hostToAscii } from 'workbench:punycode';

const PORTS = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };
const SHAPE = /^([a-z][a-z0-9+.-]*:)?(\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/i;
const AUTHORITY = /^(?:([^@]*)@)?(\[[0-9a-f:.]+\]|[^:]*)(?::(\d*))?$/i;
const IN_PATH = /[^\x21\x24-\x3b\x3d\x40-\x5f\x61-\x7a\x7c\x7e%]/gu;
const IN_QUERY = /[^\x21\x24-\x3b\x3d\x3f-\x7e%]/gu;
const IN_SPECIAL_QUERY = /[^\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e%]/gu;
const IN_FRAGMENT = /[^\x21\x23-\x3b\x3d\x3f-\x5f\x61-\x7e%]/gu;
const IN_USER = /[^\x21\x24\x26-\x2e\x30-\x39\x41-\x5a\x5f\x61-\x7a\x7e%]/gu;
const NOT_OF_HOSTS = /[\x00-\x20#%/:<>?@[\\\]^|\x7f]/;

// What encodeURIComponent leaves alone is escaped, too, where it is asked for.
const percent = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
const escaped = (text, set) => text.toWellFormed().replace(set, percent);
const quoted = (text, scheme) => escaped(text, isSpecial(scheme) ? IN_SPECIAL_QUERY : IN_QUERY);
const isSpecial = (scheme) => Object.hasOwn(PORTS, scheme);

export class URL {
  #parts;
  #query;

  constructor(given, base) {
    const from = base === undefined ? undefined : base instanceof URL ? base.#parts : parsed(String(base));
    this.#parts = parsed(String(given), from);
  }

  static canParse(given, base) {
    return URL.parse(given, base) !== null;
  }

  static parse(given, base) {
    try {
      return new URL(given, base);
    } catch {
      return null;
    }
  }

  get href() {
    const { scheme, hasHost, path, query, fragment } = this.#parts;
    const user = this.username || this.password ? `${this.username}${this.password ? `:${this.password}` : ''}@` : '';
    // Without a host a path of two slashes would be read as one.
    const dot = !hasHost && path.startsWith('//') ? '/.' : '';
    return `${scheme}${hasHost ? `//${user}${this.host}` : dot}${path}${query}${fragment}`;
  }

  set href(given) {
    this.#change(parsed(String(given)));
  }

  get origin() {
    if (this.protocol === 'blob:') return URL.parse(this.pathname)?.origin ?? 'null';
    return isSpecial(this.protocol) && this.protocol !== 'file:' ? `${this.protocol}//${this.host}` : 'null';
  }

  get protocol() {
    return this.#parts.scheme;
  }

  set protocol(given) {
    const scheme = `${String(given).split(':')[0].toLowerCase()}:`;
    if (/^[a-z][a-z0-9+.-]*:$/.test(scheme) && isSpecial(scheme) === isSpecial(this.protocol)) {
      this.#parts.scheme = scheme;
      if (this.#parts.port === PORTS[scheme]) this.#parts.port = '';
    }
  }

  get username() {
    return this.#parts.username;
  }

  set username(given) {
    if (this.#parts.host) this.#parts.username = escaped(String(given), IN_USER);
  }

  get password() {
    return this.#parts.password;
  }

  set password(given) {
    if (this.#parts.host) this.#parts.password = escaped(String(given), IN_USER);
  }

  get host() {
    return `${this.#parts.host}${this.#parts.port ? `:${this.#parts.port}` : ''}`;
  }

  set host(given) {
    const found = AUTHORITY.exec(String(given).split(/[/?#]/)[0]);
    if (!found || !this.#parts.hasHost) return;
    this.hostname = found[2];
    if (found[3]) this.port = found[3];
  }

  get hostname() {
    return this.#parts.host;
  }

  set hostname(given) {
    if (!this.#parts.hasHost) return;
    try {
      this.#parts.host = hostOf(String(given), this.protocol);
    } catch {
      // a name that is none changes nothing
    }
  }

  get port() {
    return this.#parts.port;
  }

  set port(given) {
    const digits = /^\d*/.exec(String(given))[0];
    if (this.#parts.host && (digits !== '' || String(given) === '')) this.#parts.port = portOf(digits, this.protocol);
  }

  get pathname() {
    return this.#parts.path;
  }

  set pathname(given) {
    if (this.#parts.isOpaque) return;
    this.#parts.path = pathOf(String(given).replace(/[?#]/g, encodeURIComponent), this.protocol, '/');
  }

  get search() {
    return this.#parts.query === '?' ? '' : this.#parts.query;
  }

  set search(given) {
    const text = String(given).replace(/^\?/, '');
    this.#parts.query = text === '' ? '' : `?${quoted(text.replace(/#/g, '%23'), this.protocol)}`;
    this.#query?._refill(this.search);
  }

  get searchParams() {
    this.#query ??= new URLSearchParams(this.search)._tellingOf((text) => {
      this.#parts.query = text === '' ? '' : `?${text}`;
    });
    return this.#query;
  }

  get hash() {
    return this.#parts.fragment === '#' ? '' : this.#parts.fragment;
  }

  set hash(given) {
    const text = String(given).replace(/^#/, '');
    this.#parts.fragment = text === '' ? '' : `#${escaped(text, IN_FRAGMENT)}`;
  }

  toString() {
    return this.href;
  }

  toJSON() {
    return this.href;
  }

  #change(parts) {
    this.#parts = parts;
    this.#query?._refill(this.search);
  }
}

/** { scheme, hasHost, username, password, host, port, path, isOpaque, query, fragment }. Throws TypeError. */
function parsed(text, base) {
  const refuse = () => Object.assign(new TypeError(`Invalid URL: ${text}`), { code: 'ERR_INVALID_URL' });
  const clean = text.replace(/^[\x00-\x20]+|[\x00-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
  const special = isSpecial((/^[a-z][a-z0-9+.-]*:/i.exec(clean)?.[0] ?? base?.scheme ?? '').toLowerCase());
  const [, given, , authority, path, query, fragment] = SHAPE.exec(special ? forwards(clean) : clean);
  let scheme = given?.toLowerCase();
  if (scheme === undefined && base === undefined) throw refuse();
  const isRelative = scheme === undefined || (scheme === base?.scheme && isSpecial(scheme) && authority === undefined && !path.startsWith('/'));
  scheme ??= base.scheme;
  const tail = { query: query === undefined ? '' : `?${quoted(query.slice(1), scheme)}`, fragment: fragment === undefined ? '' : `#${escaped(fragment.slice(1), IN_FRAGMENT)}` };
  const nobody = { username: '', password: '', host: '', port: '' };
  if (authority !== undefined || (isSpecial(scheme) && !isRelative)) {
    const whole = authority ?? path.replace(/^\/+/, '').split('/')[0];
    const rest = authority === undefined ? path.replace(/^\/+/, '').slice(whole.length) : path;
    const found = AUTHORITY.exec(whole.replace(/.*@/, (user) => user.slice(0, -1).replace(/@/g, '%40') + '@'));
    if (!found || (scheme !== 'file:' && isSpecial(scheme) && found[2] === '')) throw refuse();
    const [username, ...password] = (found[1] ?? '').split(':');
    try {
      return { scheme, hasHost: true, username: escaped(username, IN_USER), password: escaped(password.join(':'), IN_USER), host: hostOf(found[2], scheme), port: portOf(found[3] ?? '', scheme), path: pathOf(rest, scheme, isSpecial(scheme) ? '/' : ''), isOpaque: false, ...tail };
    } catch {
      throw refuse();
    }
  }
  if (isRelative && base !== undefined) {
    if (base.isOpaque) {
      if (path !== '' || query !== undefined || fragment === undefined) throw refuse();
      return { ...base, fragment: tail.fragment };
    }
    if (path === '') return { ...base, query: query === undefined ? base.query : tail.query, fragment: tail.fragment };
    const joined = path.startsWith('/') ? path : base.path.replace(/[^/]*$/, '') + path;
    return { ...base, path: pathOf(joined, scheme, '/'), ...tail };
  }
  const isOpaque = !path.startsWith('/');
  return { scheme, hasHost: false, ...nobody, path: isOpaque ? path.replace(/[^\x20-\x7e]/gu, encodeURIComponent) : pathOf(path, scheme, ''), isOpaque, ...tail };
}

/** Backslashes before the query are slashes. */
function forwards(text) {
  const end = text.search(/[?#]/);
  return end < 0 ? text.replace(/\\/g, '/') : text.slice(0, end).replace(/\\/g, '/') + text.slice(end);
}

function hostOf(text, scheme) {
  if (text.startsWith('[')) return text.toLowerCase();
  if (!isSpecial(scheme)) return escaped(text, /[^\x21-\x7e]/gu);
  const host = hostToAscii(decodeURIComponent(text));
  if (NOT_OF_HOSTS.test(host)) throw new TypeError('no host');
  return host === 'localhost' && scheme === 'file:' ? '' : host;
}

function portOf(text, scheme) {
  if (text === '') return '';
  const port = Number(text);
  if (port > 65_535) throw new TypeError('no port');
  return String(port) === PORTS[scheme] ? '' : String(port);
}

/** The path without `.` and `..`. */
function pathOf(text, scheme, least) {
  const segments = escaped(text, IN_PATH).split('/');
  const kept = [];
  segments.forEach((segment, index) => {
    const plain = segment.replace(/%2e/gi, '.');
    const isLast = index === segments.length - 1;
    if (plain === '..') {
      if (kept.length > 1) kept.pop();
      if (isLast) kept.push('');
    } else if (plain === '.') {
      if (isLast) kept.push('');
    } else kept.push(segment);
  });
  const path = kept.join('/');
  return path === '' ? least : path.startsWith('/') || !isSpecial(scheme) ? path : `/${path}`;
}

const unescaped = (text) => {
  const bytes = [];
  const plain = text.replace(/\+/g, ' ');
  for (let at = 0; at < plain.length; ) {
    if (plain[at] === '%' && /^[0-9a-f]{2}$/i.test(plain.slice(at + 1, at + 3))) {
      bytes.push(parseInt(plain.slice(at + 1, at + 3), 16));
      at += 3;
    } else {
      const character = String.fromCodePoint(plain.codePointAt(at));
      bytes.push(...new TextEncoder().encode(character));
      at += character.length;
    }
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
};

const formed = (text) =>
  encodeURIComponent(text.toWellFormed()).replace(/%20/g, '+').replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

export class URLSearchParams {
  #pairs = [];
  #tell = () => {};

  constructor(given = '') {
    if (typeof given === 'object' && given !== null) {
      const pairs = typeof given[Symbol.iterator] === 'function' ? [...given] : Object.entries(given);
      for (const pair of pairs) {
        const both = [...pair];
        if (both.length !== 2) throw new TypeError('Each pair has a name and a value.');
        this.#pairs.push(both.map(String));
      }
    } else this._refill(String(given));
  }

  get size() {
    return this.#pairs.length;
  }

  append(name, value) {
    this.#pairs.push([String(name), String(value)]);
    this.#changed();
  }

  delete(name, value) {
    this.#pairs = this.#pairs.filter(([key, item]) => key !== String(name) || (value !== undefined && item !== String(value)));
    this.#changed();
  }

  get(name) {
    return this.#pairs.find(([key]) => key === String(name))?.[1] ?? null;
  }

  getAll(name) {
    return this.#pairs.filter(([key]) => key === String(name)).map(([, value]) => value);
  }

  has(name, value) {
    return this.#pairs.some(([key, item]) => key === String(name) && (value === undefined || item === String(value)));
  }

  set(name, value) {
    const first = this.#pairs.find(([key]) => key === String(name));
    if (first) {
      first[1] = String(value);
      this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== String(name));
    } else this.#pairs.push([String(name), String(value)]);
    this.#changed();
  }

  sort() {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed();
  }

  forEach(callback, self) {
    for (const [name, value] of this) callback.call(self, value, name, this);
  }

  *entries() {
    for (const [name, value] of this.#pairs) yield [name, value];
  }

  *keys() {
    for (const [name] of this.#pairs) yield name;
  }

  *values() {
    for (const [, value] of this.#pairs) yield value;
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  toString() {
    return this.#pairs.map(([name, value]) => `${formed(name)}=${formed(value)}`).join('&');
  }

  _refill(text) {
    const parts = text.replace(/^\?/, '').split('&').filter((part) => part !== '');
    this.#pairs = parts.map((part) => {
      const end = part.indexOf('=');
      return end < 0 ? [unescaped(part), ''] : [unescaped(part.slice(0, end)), unescaped(part.slice(end + 1))];
    });
  }

  _tellingOf(tell) {
    this.#tell = tell;
    return this;
  }

  #changed() {
    this.#tell(this.toString());
  }
}
