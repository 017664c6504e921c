import { defineHook } from '@standardagents/spec';

const hidden = (text: string) => text.replace(/\b\d{9}\b/g, '•••');

export default defineHook({
  hook: 'prefilter_llm_history',
  id: 'hide_phone_numbers',
  execute: async (_state, messages) =>
    messages.map((message) =>
      message.role === 'user' && typeof message.content === 'string' ? { ...message, content: hidden(message.content) } : message,
    ),
});
