import { defineTool } from '@standardagents/spec';
import { z } from 'zod';

export default defineTool({
  description: 'Paint a poster',
  args: z.object({ prompt: z.string().describe('What to paint') }),
  execute: async () => ({ status: 'success', result: 'Handled by provider' }),
  executionMode: 'provider',
  executionProvider: 'openai',
});
