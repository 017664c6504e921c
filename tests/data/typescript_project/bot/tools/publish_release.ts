import { defineTool } from '@grok/agent-sdk/tools';
import { z } from 'zod';
import { publish } from '../lib/registry';

export default defineTool({
  description: 'Publish a release.',
  inputSchema: z.object({ version: z.string(), draft: z.boolean().default(false) }),
  effect: 'write',
  needsApproval: ({ draft }) => !draft,
  dryRunResult: ({ version }) => ({ published: false, version }),
  async execute({ version }, ctx) {
    return { ...(await publish(version)), approvedBy: ctx.approvedBy ?? null };
  },
});
