// Bounds in time: in a thread that looks at an instant of the past, `timeArgs` must not be later than that.

import { prompt } from '@grok/agent-sdk';
import { defineTool } from '@grok/agent-sdk/tools';
import { z } from 'zod';
import { PICKUPS, type Pickup } from '../lib/pickups';

export default defineTool({
  description: prompt`
    List the pickups between two instants, each with its courier and its parcels.
    Both are ISO 8601 with a zone, such as 2026-03-02T00:00:00Z.
  `,
  inputSchema: z.strictObject({
    since: z.iso.datetime({ offset: true }).describe('The first instant'),
    until: z.iso.datetime({ offset: true }).describe('The first instant that is too late'),
  }),
  effect: 'read',
  timeArgs: ['since', 'until'],
  async execute({ since, until }, ctx) {
    const booked: Pickup[] = (await ctx.host.kv.get(PICKUPS)) ?? [];
    const [from, to] = [Date.parse(since), Date.parse(until)];
    return booked.filter(({ at }) => from <= Date.parse(at) && Date.parse(at) < to);
  },
});
