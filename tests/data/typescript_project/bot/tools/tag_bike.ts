import { defineTool, TransientError } from '@grok/agent-sdk/tools';

let attempts = 0;

export default defineTool({
  description: 'Tag a bike; its schema is plain JSON Schema, so nothing is checked before.',
  inputSchema: {
    type: 'object',
    properties: { bikeId: { type: 'string' }, colour: { enum: ['red', 'blue'] } },
    required: ['bikeId'],
  } as const,
  effect: 'idempotent',
  async execute(input: { bikeId?: string; colour?: string; fail?: boolean }, ctx) {
    attempts += 1;
    if (input.fail) throw new TransientError('the tagger is warming up');
    console.debug('attempt', attempts);
    return `${ctx.toolCallId.startsWith('tool_tag_bike_')} ${typeof input.bikeId} ${input.colour}`;
  },
});
