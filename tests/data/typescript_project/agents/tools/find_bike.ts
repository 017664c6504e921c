import { defineTool } from '@standardagents/spec';
import { z } from 'zod';
import plural from 'plural-words';
import { Fleet, KINDS, fleet } from '../../lib';

export default defineTool({
  description: 'Look for bikes that can be hired. Returns a line for each.',
  args: z.object({
    kind: z.enum(KINDS).optional().describe('Only bikes of this kind'),
    minSize: z.number().int().min(40).max(70).default(40).describe('Smallest frame in cm'),
    limit: z.number().optional().default(10).describe('Max results'),
  }),
  execute: async (state, args) => {
    const found = fleet.ofKind(args.kind, args.minSize);
    return {
      status: 'success',
      result: [`${plural(found.length, 'bike')}:`, ...found.slice(0, args.limit).map(Fleet.describe)].join('\n'),
    };
  },
});
