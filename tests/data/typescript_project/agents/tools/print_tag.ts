import { defineTool } from '@standardagents/spec';
import { z } from 'zod';

// One grey pixel.
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADBwIAMCbHYQAAAABJRU5ErkJggg==';

export default defineTool({
  description: 'Print the tag of a bike as a picture.',
  args: z.object({ bikeId: z.string() }),
  execute: async (_state, args) => ({
    status: 'success',
    result: `Tag of ${args.bikeId}`,
    attachments: [{ name: `${args.bikeId}.png`, mimeType: 'image/png', data: PIXEL, width: 1, height: 1 }],
  }),
});
