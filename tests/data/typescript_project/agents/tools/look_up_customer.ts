import { defineTool, ThreadState } from '@standardagents/spec';
import { queueTool, emitThreadEvent } from '@standardagents/builder';
import { z } from 'zod';

/** Written for an earlier version: flat names on the state, helpers that take it, and `storage`. */
export default defineTool({
  description: 'Look up a customer',
  args: z.object({
    customerId: z.string().optional().describe('Customer ID'),
    email: z.email().optional().describe('Email'),
  }),
  execute: async (state: ThreadState, args) => {
    if (!args.customerId && !args.email) {
      return { status: 'error', error: 'Either customerId or email is required' };
    }
    const database = await state.env('DATABASE_URL');
    const key = `customer:${args.customerId ?? args.email}`;
    const cached = await state.storage.get(key);
    if (cached) return { status: 'success', result: `cached: ${JSON.stringify(cached)}` };

    const customer = { id: args.customerId ?? 'c-9', database, asked: state.arguments.userId ?? null };
    await state.storage.put(key, customer);
    await state.setEnv('LAST_CUSTOMER', customer.id, { type: 'text' });
    queueTool(state.rootState, 'shop_time', {});
    await emitThreadEvent(state, 'customer_found', { id: customer.id });
    return {
      status: 'success',
      result: JSON.stringify({
        ...customer,
        types: [await state.envType('DATABASE_URL'), await state.envType('LAST_CUSTOMER')],
        older: [state.flowId, state.currentSide, state.turnCount, state.stopped],
      }),
    };
  },
  variables: [
    { name: 'DATABASE_URL', type: 'secret', required: true, scoped: false, description: 'Where customers are' },
  ],
});
