import { defineTool, type ThreadState, type ToolResult } from '@standardagents/spec';
import { z } from 'zod';
import { tagCode } from 'tag-code';
import { HireState, fleet, hireKey, type Hire } from '#lib/index';

const args = z.object({
  doing: z.string().describe('What this does, in a few words'),
  bikeId: z.string().describe('The id of a bike'),
  days: z.number().int().positive().default(1),
});

async function execute(state: ThreadState, { bikeId, days }: z.infer<typeof args>): Promise<ToolResult> {
  const bike = fleet.find(bikeId);
  if (!bike) return { status: 'error', error: `There is no bike ${bikeId}` };
  if ((await state.getValue<Hire>(hireKey(bikeId)))?.state === HireState.Open) {
    return { status: 'error', error: `${bikeId} is hired already` };
  }

  for (const [index, message] of ['Checking brakes', 'Pumping tyres'].entries()) {
    state.emit('progress', { current: index + 1, total: 2, message });
  }
  const hire: Hire = { bikeId, days, state: HireState.Open };
  await state.setValue(hireKey(bikeId), hire);
  state.queueTool('print_tag', { bikeId });
  return { status: 'success', result: `Hired ${tagCode(bikeId)} for ${days} days: ${bike.perDay * days} cents` };
}

export default defineTool<ThreadState, typeof args>({
  description: 'Hire a bike out.',
  args,
  execute,
  uses: ['print_tag'] as const,
  progressArgument: 'doing',
  annotations: { hire: { icon: 'bike', columns: [1, 2] } },
});
