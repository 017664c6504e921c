import { defineTool } from '@standardagents/spec';

export default defineTool({
  description: 'The time in the shop, in ISO format',
  execute: async () => ({
    status: 'success',
    result: new Date().toISOString(),
  }),
});
