// The twin of close_day in TypeScript, by code that is handed over: it runs by itself, and reads notes only.

import { defineTool } from '@standardagents/spec';
import { z } from 'zod';

const COUNT_WORDS = `
import { list, read } from 'notes';

export default async function () {
  const words: Record<string, number> = {};
  for (const path of await list()) {
    words[path] = (await read(path)).split(/\\s+/).filter(Boolean).length;
    report(path);
  }
  return words;
}`;

export default defineTool({
  description: 'Run a small TypeScript module over the notes of the desk. Without one it counts their words.',
  args: z.strictObject({
    code: z
      .string()
      .default(COUNT_WORDS)
      .describe("A module whose default export is called; it may import { list, read } from 'notes'")
      .meta({ contentMediaType: 'text/typescript' }),
  }),
  execute: async (state, { code }) => {
    const list = async () => (await state.findFiles('/notes/*')).map(({ path }) => path);
    const read = async (path: string) => {
      if (!path.startsWith('/notes/')) throw new RangeError(`${path} is no note.`);
      return new TextDecoder().decode((await state.readFile(path)) ?? new Uint8Array());
    };
    const run = state.runCode(code, {
      imports: { notes: { list, read } },
      filename: 'reckoning.ts',
      report: (value) => state.emit('progress', { message: String(value) }),
    });
    const { status, result, error } = await run;
    if (status !== 'success') return { status: 'error', error: `${error.name}: ${error.message}`, stack: error.stack };
    return { status: 'success', result: JSON.stringify(result) };
  },
});
