// The twin of find_parcel in TypeScript: a zod schema, a durable value, and a failure that says what to do next.

import { defineTool } from '@standardagents/spec';
import { z } from 'zod';

import { BOOK, missing, type Book } from '../../desk/parcels';

export default defineTool({
  description: 'Look up one parcel by its tracking code, as find_parcel does. Gives JSON.',
  args: z.strictObject({
    code: z.string().describe('Tracking code, such as PD-0001'),
  }),
  execute: async (state, { code }) => {
    const book = ((await state.getValue(BOOK)) ?? {}) as Book;
    const parcel = book[code];
    if (parcel === undefined) return { status: 'error', error: missing(book, code) };
    return { status: 'success', result: JSON.stringify(parcel) };
  },
});
