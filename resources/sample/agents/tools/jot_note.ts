// The twin of write_note in TypeScript: a progress argument, a file of the thread, an event of the tool's own.

import { defineTool } from '@standardagents/spec';
import { z } from 'zod';

export default defineTool({
  description: 'Add a note about a parcel or a day, as write_note does.',
  args: z.strictObject({
    summary: z.string().max(60).describe('What this note is about, e.g. noting a dented corner'),
    topic: z.string().regex(/^[A-Za-z0-9-]{1,40}$/).describe('A tracking code, or a word such as today'),
    text: z.string().describe('The note itself, Markdown'),
  }),
  progressArgument: 'summary',
  execute: async (state, { summary, topic, text }) => {
    const path = `/notes/${topic}.md`;
    const earlier = await state.readFile(path);
    const before = earlier === null ? '' : new TextDecoder().decode(earlier);
    await state.writeFile(path, `${before}## ${summary}\n\n${text}\n\n`, 'text/markdown');
    state.emit('note_written', { path });
    return { status: 'success', result: `Noted in ${path}.` };
  },
});
