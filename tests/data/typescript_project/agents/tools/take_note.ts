import { defineTool } from '@standardagents/spec';
import { z } from 'zod';

export default defineTool({
  description: 'Note something for the rest of the conversation',
  args: z.object({
    topic: z.enum(['customer', 'bike', 'route']),
    dataJson: z.string().describe('What to note, as JSON text'),
  }),
  execute: async (state, args) => {
    const data: unknown = JSON.parse(args.dataJson);
    await state.setValue(`context:${args.topic}`, data);
    await state.injectMessage({ role: 'system', content: `Noted ${args.topic}: ${JSON.stringify(data)}`, silent: true });
    const { messages, total, hasMore } = await state.getMessages({ limit: 20, offset: 0, order: 'desc', includeSilent: true });
    const agent = await state.loadAgent<{ name: string }>(state.agentId);
    const { execution } = state;
    return {
      status: 'success',
      result: JSON.stringify({
        noted: messages[0].content,
        counted: total >= messages.length && !hasMore,
        agent: agent.name,
        side: execution?.currentSide,
        last: execution?.messageHistory.at(-1)?.role,
        path: execution?.promptPath,
        aborted: execution?.abortSignal.aborted,
      }),
    };
  },
});
