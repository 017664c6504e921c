import { definePrompt } from '@standardagents/spec';

export default definePrompt({
  name: 'house_rules',
  toolDescription: 'The rules of the house',
  prompt: 'Be brief. Never promise a bike that is out.',
  model: 'desk-model',
});
