// The context that tools of `bot/tools` get beside their input.

import { ask } from 'workbench:host';

export function makeContext(identity) {
  return {
    toolCallId: identity.callId,
    session: Object.freeze({ id: identity.threadId, ...(identity.session ?? {}) }),
    approvedBy: identity.approvedBy,
    workspaceDir: identity.workspaceDir ?? '.',
    stateRoot: identity.stateRoot ?? '.',
    env: (name) => ask('env', { name }),
  };
}
