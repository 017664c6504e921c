// TextEncoder and TextDecoder: UTF-8, as the web has it.

const NAMES = ['utf-8', 'utf8', 'unicode-1-1-utf-8'];

export class TextEncoder {
  get encoding() {
    return 'utf-8';
  }

  encode(text = '') {
    // Each half of a surrogate pair that stands alone becomes the replacement character.
    const bytes = unescape(encodeURIComponent(String(text).toWellFormed()));
    return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
  }

  encodeInto(text, target) {
    let read = 0;
    let written = 0;
    for (const character of String(text)) {
      const bytes = this.encode(character);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      read += character.length;
      written += bytes.length;
    }
    return { read, written };
  }
}

export class TextDecoder {
  #fatal;
  #keepsMark;
  #held = new Uint8Array();
  #isBegun = false;

  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    if (!NAMES.includes(String(label).trim().toLowerCase())) throw new RangeError(`Only UTF-8 is decoded here, not ${label}.`);
    this.#fatal = fatal;
    this.#keepsMark = ignoreBOM;
  }

  get encoding() {
    return 'utf-8';
  }

  get fatal() {
    return this.#fatal;
  }

  get ignoreBOM() {
    return this.#keepsMark;
  }

  decode(input = new Uint8Array(), { stream = false } = {}) {
    const given = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
    const bytes = new Uint8Array(this.#held.length + given.length);
    bytes.set(this.#held);
    bytes.set(given, this.#held.length);
    const { text, used } = decoded(bytes, this.#fatal, stream);
    this.#held = bytes.slice(used);
    const first = !this.#isBegun && text.length > 0;
    this.#isBegun = stream && (this.#isBegun || text.length > 0);
    return first && !this.#keepsMark && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
}

/** Text and how many bytes it took; with `open` the end may lack bytes that are still to come. */
function decoded(bytes, fatal, open) {
  const parts = [];
  let units = [];
  let at = 0;
  while (at < bytes.length) {
    const [point, size] = next(bytes, at);
    if (point === INCOMPLETE && open) break;
    if (point < 0 && fatal) throw new TypeError('The bytes are no UTF-8.');
    units.push(point < 0 ? 0xfffd : point);
    at += size;
    if (units.length === 8192) {
      parts.push(String.fromCodePoint(...units));
      units = [];
    }
  }
  parts.push(String.fromCodePoint(...units));
  return { text: parts.join(''), used: at };
}

const WRONG = -1;
const INCOMPLETE = -2;

/** The code point at a place and its size; for what is none, WRONG or INCOMPLETE and how much of it is skipped. */
function next(bytes, at) {
  const first = bytes[at];
  if (first < 0x80) return [first, 1];
  const more = first >= 0xc2 && first <= 0xdf ? 1 : first >= 0xe0 && first <= 0xef ? 2 : first >= 0xf0 && first <= 0xf4 ? 3 : 0;
  if (more === 0) return [WRONG, 1];
  let low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  let high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  let point = first & (0x3f >> more);
  for (let index = 1; index <= more; index++) {
    if (at + index >= bytes.length) return [INCOMPLETE, index];
    const byte = bytes[at + index];
    if (byte < low || byte > high) return [WRONG, index];
    point = (point << 6) | (byte & 0x3f);
    low = 0x80;
    high = 0xbf;
  }
  return [point, more + 1];
}
