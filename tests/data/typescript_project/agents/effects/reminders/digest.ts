import { defineEffect } from '@standardagents/spec';
import { z } from 'zod';

export default defineEffect('Send the digest of the day', z.object({ to: z.string() }), async (state, args) => {
  await state.setValue('digest', `sent to ${args.to}`);
});
