// What may be done twice: an idempotent call is tried again when it fails for a moment. Its schema is plain JSON Schema.

import { TransientError } from '@grok/agent-sdk';
import { defineTool } from '@grok/agent-sdk/tools';
import { PICKUPS, type Pickup } from '../lib/pickups';

export default defineTool({
  description: 'Confirm a pickup with its courier. Gives the pickup as it is now.',
  inputSchema: {
    type: 'object',
    properties: { number: { type: 'integer', minimum: 1, description: 'What book_pickup gave' } },
    required: ['number'],
    additionalProperties: false,
  },
  effect: 'idempotent',
  dryRunResult: { number: 0, confirmed: true },
  async execute({ number }, ctx) {
    const booked: Pickup[] = (await ctx.host.kv.get(PICKUPS)) ?? [];
    // Plain JSON Schema is shown to the model, but not enforced before the call.
    const pickup = booked.find((one) => one.number === number);
    if (pickup === undefined) throw new RangeError(`No pickup ${number} among ${booked.length}. Book one with book_pickup.`);
    const line = `lines/${pickup.courier}`;
    if ((await ctx.host.kv.get(line)) === null) {
      await ctx.host.kv.set(line, 'rang');
      throw new TransientError(`The line of the ${pickup.courier} is busy.`);
    }
    await ctx.host.kv.delete(line);
    pickup.confirmed = true;
    await ctx.host.kv.set(PICKUPS, booked);
    return pickup;
  },
});
