import { defineModel } from '@standardagents/spec';
import { test } from '@standardagents/test';

export default defineModel({ name: 'small-model', provider: test, model: 'scripts/small.json' });
