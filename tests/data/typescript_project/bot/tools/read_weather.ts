import { defineTool } from '@grok/agent-sdk/tools';
import { z } from 'zod';

const Weather = z.object({ city: z.string(), temperatureC: z.number() });

export default defineTool({
  description: 'Read the current weather.',
  inputSchema: z.object({ city: z.string(), broken: z.boolean().optional() }),
  outputSchema: Weather,
  effect: ({ city }) => (city === 'Nowhere' ? 'write' : 'read'),
  async execute({ city, broken }) {
    if (broken) return { content: [{ type: 'text', text: 'no sensor' }], isError: true };
    const weather: z.infer<typeof Weather> = { city, temperatureC: 21 };
    return { content: [{ type: 'text', text: JSON.stringify(weather) }], structuredContent: weather };
  },
});
