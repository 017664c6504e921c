import { prompt } from '@grok/agent-sdk';
import { defineTool } from '@grok/agent-sdk/tools';
import { z } from 'zod';

export default defineTool({
  description: prompt`
    Inspect a bike before it goes out.
    Prefer this over guessing from its age alone.
  `,
  inputSchema: z.object({ pageUrl: z.string().url() }),
  effect: 'read',
  async execute({ pageUrl }) {
    return { host: new URL(pageUrl).hostname, notes: prompt.lines`
      Brakes: ${'good'}.
        Pads: new.
    ` };
  },
});
