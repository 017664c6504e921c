// One tool, two effects: looking is a read, anything else a write, as a function of the checked input says.

import { defineTool } from '@grok/agent-sdk/tools';
import { z } from 'zod';

const SHELVES = 'shelves';

export default defineTool({
  description: 'Look at the shelves, put a parcel on one, or take it off. Gives what lies where afterwards.',
  inputSchema: z.strictObject({
    action: z.enum(['look', 'put', 'take']),
    code: z.string().optional().describe('Tracking code; to put or take'),
    shelf: z.string().regex(/^[A-F][1-9]$/).optional().describe('A row and a place, such as B4; to put'),
  }),
  effect: ({ action }) => (action === 'look' ? 'read' : 'write'),
  dryRunResult: ({ action, code, shelf }) => ({ would: [action, code, shelf].filter(Boolean).join(' ') }),
  async execute({ action, code, shelf }, ctx) {
    const lying: Record<string, string> = (await ctx.host.kv.get(SHELVES)) ?? {};
    if (action === 'look') return lying;
    if (code === undefined) throw new TypeError(`To ${action} a parcel, name its code.`);
    if (action === 'take') delete lying[code];
    else if (shelf === undefined) throw new TypeError('To put a parcel somewhere, name the shelf.');
    else lying[code] = shelf;
    await ctx.host.kv.set(SHELVES, lying);
    return lying;
  },
});
