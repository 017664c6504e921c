import { defineTool } from '@standardagents/spec';
import * as z from 'zod';

const contact = z.object({ name: z.string(), phone: z.string().nullable() });

export default defineTool({
  description: 'Open a case about damage',
  args: z.object({
    title: z.string().min(5).max(200).describe('Title'),
    urgency: z.enum(['low', 'medium', 'high']).default('medium'),
    parts: z.array(z.string()).optional().describe('Damaged parts'),
    costs: z.record(z.string(), z.number()).optional(),
    found: z.union([z.literal('shop'), z.literal('road')]).default('shop'),
    contact: contact.optional(),
    nothing: z.null().optional(),
    insured: z.boolean(),
  }),
  async execute(state, args) {
    const total = Object.values(args.costs ?? {}).reduce((sum, one) => sum + one, 0);
    return { status: 'success', result: `${args.urgency}/${args.found}: ${args.title} (${total})` };
  },
});
