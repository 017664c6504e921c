import { defineTool } from '@standardagents/spec';
import { z } from 'zod';

export default defineTool({
  description: 'Check a bike, hire it, and tell what came of it',
  args: z.object({ bikeId: z.string(), force: z.boolean().default(false) }),
  uses: ['hire_bike', 'weigh_bike'],
  execute: async (state, args) => {
    const weighed = await state.invokeTool('weigh_bike', { bike_id: args.bikeId });
    const refused = await state.invokeTool('shop_time', {});
    const thrown = (() => {
      try {
        state.queueTool('shop_time', {});
        return null;
      } catch (error) {
        return (error as Error).name;
      }
    })();
    state.context.weight = weighed.result;
    const hired = await state.invokeTool('hire_bike', { doing: 'hiring', bikeId: args.bikeId });
    return { status: hired.status, result: [weighed.result, refused.status, thrown, hired.result].join(' | '), error: hired.error };
  },
});
