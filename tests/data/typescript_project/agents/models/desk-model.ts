import { defineModel } from '@standardagents/spec';
import { test } from '@standardagents/test';

export default defineModel({
  name: 'desk-model',
  provider: test,
  model: 'scripts/desk.json',
  inputPrice: 0.5,
  outputPrice: 1.5,
  fallbacks: ['small-model'],
  capabilities: { supportsImages: true, supportsToolCalls: true, maxContextTokens: 128_000 },
});
