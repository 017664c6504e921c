import { defineHandler } from '@standardagents/spec';

export default defineHandler({
  description: 'Says what it heard',
  execute: async (state, message) => `I heard: ${message.content}`,
});
