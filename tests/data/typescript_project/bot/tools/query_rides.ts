import { defineTool } from '@grok/agent-sdk/tools';
import { z } from 'zod';

export default defineTool({
  description: 'Rides between two instants.',
  inputSchema: z.object({ since: z.string(), until: z.string() }),
  effect: 'read',
  timeArgs: ['since', 'until'],
  async execute({ since, until }) {
    return [since, until].map((text) => new Date(text).getTime());
  },
});
