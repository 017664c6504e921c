// `crypto`: what is random. There are no algorithms (`subtle`).

import { entropy } from 'sb:boot.js';

const LARGEST = 65_536;

export const crypto = Object.freeze({
  getRandomValues(array) {
    if (!ArrayBuffer.isView(array) || array instanceof DataView || /^Float/.test(array[Symbol.toStringTag])) {
      throw new TypeError('getRandomValues takes a typed array of integers.');
    }
    if (array.byteLength > LARGEST) throw new DOMException(`getRandomValues takes at most ${LARGEST} bytes.`, 'QuotaExceededError');
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(entropy(array.byteLength));
    return array;
  },

  randomUUID() {
    const bytes = entropy(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  },
});
