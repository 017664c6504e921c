import { defineAgent } from '@standardagents/builder';

export default defineAgent({
  name: 'echo_agent',
  sideA: { handler: 'answer_back' },
  sideB: { human: true },
});
