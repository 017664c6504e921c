import { defineTool } from '@standardagents/spec';
import { z } from 'zod/v4';
import { fleet } from '../../lib/fleet.js';

export default defineTool({
  description: 'Run a module that works out a tariff, in a sandbox of its own.',
  args: z.object({ code: z.string().describe('A module whose export `tariff` takes a number of days') }),
  annotations: { agentbuilder: { codemode: { codeArgument: 'code', language: 'typescript' } } },
  execute: async (state, args) => {
    const run = state.runCode(args.code, {
      execute: { fn: 'tariff', args: [3] },
      imports: { fleet: { price: async (id: string) => fleet.find(id)?.perDay ?? 0 } },
      globals: { discount: 0.5 },
      modules: { './round.js': 'export const round = (n) => Math.round(n);' },
      language: 'typescript',
      filename: 'tariff.ts',
      memoryLimitBytes: 64 * 1024 * 1024,
      report: (value) => state.emit('tariff', value),
    });
    const done = await run;
    if (done.status !== 'success') return { status: 'error', error: `${done.status}: ${done.error.message}` };
    return { status: 'success', result: JSON.stringify({ result: done.result, logs: done.logs.length }) };
  },
});
