import { defineHook } from '@standardagents/spec';

export default defineHook({
  hook: 'after_tool_call_success',
  id: 'note_hires',
  execute: async (state, call, result) => {
    const seen = (await state.getValue<string[]>('seen')) ?? [];
    await state.setValue('seen', [...seen, call.function?.name ?? call.name]);
    return result;
  },
});
