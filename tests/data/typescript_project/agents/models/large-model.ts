import { defineModel } from '@standardagents/spec';
import { anthropic } from '@standardagents/anthropic';

export default defineModel({
  name: 'large-model',
  provider: anthropic,
  model: 'claude-sonnet-4-5',
  capabilities: { reasoningLevels: { 0: null, 50: 'medium', 100: 'high' }, supportsStreaming: true },
  providerOptions: { temperature: 0.3 },
});
