import { definePrompt } from '@standardagents/spec';
import { z } from 'zod';

export default definePrompt({
  name: 'hire_desk',
  toolDescription: 'Talks with whoever wants a bike',
  prompt: [
    { type: 'text', content: 'You hire bikes out to {{customer}} in ' },
    { type: 'env', property: 'TOWN' },
    { type: 'text', content: '.\n' },
    { type: 'include', prompt: 'house_rules' },
  ],
  model: 'desk-model',
  includeChat: true,
  includePastTools: true,
  parallelToolCalls: false,
  toolChoice: 'auto',
  tools: [
    'find_bike',
    'hire_bike',
    'take_note',
    'search_manuals',
    { name: 'check_out', options: { till: 2 } },
    { name: 'summarise', includeTextResponse: true, includeToolCalls: false, initUserMessageProperty: 'text' },
  ],
  variables: [{ name: 'TOWN', type: 'text', required: true, description: 'Where the shop is' }],
  env: { TOWN: 'Ghent' },
  reasoning: { effort: 'low' },
  recentImageThreshold: 4,
  providerOptions: { temperature: 0.2 },
  hooks: ['hide_phone_numbers', 'note_hires'],
});
