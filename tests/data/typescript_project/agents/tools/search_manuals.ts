import { defineTool } from '@standardagents/spec';
import { z } from 'zod';

export default defineTool({
  description: 'Search the manuals',
  args: z.object({ query: z.string() }),
  tenvs: z.object({ manualStoreId: z.string().default('shelf').describe('Where the manuals are') }),
  execute: async (state, args) => ({
    status: 'success',
    result: `${args.query} in ${await state.env('manualStoreId')}`,
  }),
});
