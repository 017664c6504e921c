// `fetch` for definition files: the host asks for it, where the project allows that (X4).

import { ask } from 'workbench:host';

const NO_BODY = new Set([101, 204, 205, 304]);

export class Headers {
  #fields = new Map();

  constructor(given) {
    if (given === undefined || given === null) return;
    const pairs = typeof given[Symbol.iterator] === 'function' ? given : Object.entries(given);
    for (const [name, value] of pairs) this.append(name, value);
  }

  append(name, value) {
    const key = String(name).toLowerCase();
    const before = this.#fields.get(key);
    this.#fields.set(key, before === undefined ? String(value).trim() : `${before}, ${String(value).trim()}`);
  }

  set(name, value) {
    this.#fields.set(String(name).toLowerCase(), String(value).trim());
  }

  get(name) {
    return this.#fields.get(String(name).toLowerCase()) ?? null;
  }

  has(name) {
    return this.#fields.has(String(name).toLowerCase());
  }

  delete(name) {
    this.#fields.delete(String(name).toLowerCase());
  }

  forEach(callback, self) {
    for (const [name, value] of this) callback.call(self, value, name, this);
  }

  entries() {
    return [...this.#fields].sort(([a], [b]) => (a < b ? -1 : 1))[Symbol.iterator]();
  }

  *keys() {
    for (const [name] of this) yield name;
  }

  *values() {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator]() {
    return this.entries();
  }
}

/** What a request and a response share: a body that is read once. */
class Body {
  #bytes;
  #used = false;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  get bodyUsed() {
    return this.#used;
  }

  async bytes() {
    if (this.#used) throw new TypeError('The body was read already.');
    this.#used = this.#bytes !== null;
    return this.#bytes ?? new Uint8Array();
  }

  async arrayBuffer() {
    return (await this.bytes()).slice().buffer;
  }

  async text() {
    return new TextDecoder().decode(await this.bytes());
  }

  async json() {
    return JSON.parse(await this.text());
  }

  /** The bytes without reading them, for a copy or for sending. */
  _peek() {
    if (this.#used) throw new TypeError('The body was read already.');
    return this.#bytes;
  }
}

export class Request extends Body {
  constructor(input, options = {}) {
    const base = input instanceof Request ? input : undefined;
    const [bytes, type] = options.body !== undefined ? encoded(options.body) : [base?._peek() ?? null, undefined];
    super(bytes);
    this.url = base ? base.url : String(new URL(String(input)));
    this.method = (options.method ?? base?.method ?? 'GET').toUpperCase();
    this.headers = new Headers(options.headers ?? base?.headers);
    this.redirect = options.redirect ?? base?.redirect ?? 'follow';
    this.signal = options.signal ?? base?.signal ?? null;
    if (type !== undefined && !this.headers.has('content-type')) this.headers.set('content-type', type);
    if (bytes !== null && (this.method === 'GET' || this.method === 'HEAD')) throw new TypeError(`A ${this.method} request has no body.`);
  }

  clone() {
    return new Request(this);
  }
}

export class Response extends Body {
  constructor(body = null, { status = 200, statusText = '', headers, url = '', redirected = false } = {}) {
    const [bytes, type] = encoded(body);
    super(bytes);
    this.status = status;
    this.statusText = statusText;
    this.ok = status >= 200 && status <= 299;
    this.headers = new Headers(headers);
    this.url = url;
    this.redirected = redirected;
    this.type = 'basic';
    if (type !== undefined && !this.headers.has('content-type')) this.headers.set('content-type', type);
  }

  static json(value, options = {}) {
    const headers = new Headers(options.headers);
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    return new Response(JSON.stringify(value), { ...options, headers });
  }

  clone() {
    const { status, statusText, headers, url, redirected } = this;
    return new Response(this._peek(), { status, statusText, headers, url, redirected });
  }
}

export async function fetch(input, options) {
  const request = new Request(input, options);
  const { signal } = request;
  signal?.throwIfAborted();
  const body = request._peek();
  let answer;
  try {
    const asked = ask('fetch', {
      url: request.url,
      method: request.method,
      headers: [...request.headers],
      body: body === null ? null : body.toBase64(),
      redirect: request.redirect,
    });
    answer = await (signal ? Promise.race([asked, aborted(signal)]) : asked);
  } catch (error) {
    signal?.throwIfAborted();
    throw Object.assign(new TypeError(`fetch failed: ${error.message}`, { cause: error }), { code: error.code });
  }
  const bytes = NO_BODY.has(answer.status) || request.method === 'HEAD' ? null : Uint8Array.fromBase64(answer.body);
  return new Response(bytes, answer);
}

/** Never answers; fails when the signal says so. The host breaks off what nobody waits for when the call ends. */
const aborted = (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

/** The bytes of a body and the content type that its kind brings. */
function encoded(body) {
  if (body === null || body === undefined) return [null, undefined];
  if (body instanceof URLSearchParams) return [new TextEncoder().encode(String(body)), 'application/x-www-form-urlencoded;charset=UTF-8'];
  if (ArrayBuffer.isView(body)) return [new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice(), undefined];
  if (body instanceof ArrayBuffer) return [new Uint8Array(body).slice(), undefined];
  if (typeof body === 'object') throw new TypeError('A body is text, bytes or URLSearchParams; JSON.stringify(…) makes text of an object.');
  return [new TextEncoder().encode(String(body)), 'text/plain;charset=UTF-8'];
}
