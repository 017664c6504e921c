// Bytes as they travel: base64 text, and what authors give for it.

export const bytesOf = (text) => (text === null || text === undefined ? null : Uint8Array.fromBase64(text));

/** Text goes as UTF-8; an ArrayBuffer or any view of one as its bytes. */
export function base64Of(data) {
  if (typeof data === 'string') return new TextEncoder().encode(data).toBase64();
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).toBase64();
  return new Uint8Array(data).toBase64();
}
