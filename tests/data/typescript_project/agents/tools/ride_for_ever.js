import { defineTool } from '@standardagents/spec';

export default defineTool({
  description: 'Ride in circles until somebody says stop',
  execute: async (state) => {
    state.emit('progress', { percentage: 1, message: 'round and round' });
    let circles = 0;
    for (;;) circles += 1;
  },
});
