import { definePrompt } from '@standardagents/spec';
import { z } from 'zod';

const requiredSchema = z.object({ text: z.string().describe('What to sum up') });

const summarise = definePrompt({
  name: 'summarise',
  toolDescription: 'Sum a text up in a few words',
  prompt: 'Sum it up.',
  model: 'small-model',
  requiredSchema,
});

export { summarise as default };
