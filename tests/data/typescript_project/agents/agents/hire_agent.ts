import { defineAgent } from '@standardagents/spec';

export default defineAgent({
  name: 'hire_agent',
  title: 'The hire desk',
  description: 'Hires bikes out',
  sideA: { prompt: 'hire_desk', label: 'Desk', stopOnResponse: true, maxSteps: 12 },
  sideB: { human: true },
  env: { DESK: '4' },
  icon: '/bike.svg',
  primary: true,
});
