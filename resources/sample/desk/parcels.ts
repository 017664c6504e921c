// The desk's book of parcels, for the tools in TypeScript: the same durable value that desk/parcels.py keeps.

export const BOOK = 'parcels';

export interface Parcel {
  code: string;
  name: string;
  city: string;
  weight_g: number;
  refunded_cents: number;
}

export type Book = Record<string, Parcel>;

/** Words for a code that is not in the book: what was looked for, and what to do. */
export function missing(book: Book, code: string): string {
  const codes = Object.keys(book);
  if (codes.length === 0) return `No parcel ${code}: the book is empty. Register one with register_parcel first.`;
  return `No parcel ${code} among ${codes.length}. The last one is ${codes.at(-1)}.`;
}
