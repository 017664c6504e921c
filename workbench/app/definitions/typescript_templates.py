"""The new definitions in TypeScript that are no tools, as their twins in Python."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.domain.definitions import DefinitionKind

TYPESCRIPT_SOURCES: Mapping[DefinitionKind, str] = {
    DefinitionKind.PROMPT: """// What the model is told first.

import {{ definePrompt }} from '@standardagents/spec';

export default definePrompt({{
  name: '{name}',
  toolDescription: 'Say what for another model would call this prompt.',
  prompt: `
You help whoever writes to you. Answer in one sentence.
`.trim(),
  model: 'offline',
  includeChat: true,
  includePastTools: true,
  tools: [],
}});
""",
    DefinitionKind.AGENT: """// Who talks with whom.

import {{ defineAgent }} from '@standardagents/spec';

export default defineAgent({{
  name: '{name}',
  description: 'Say what the agent is for.',
  sideA: {{ prompt: '{name}', maxSteps: 20 }},
  sideB: {{ human: true }},
}});
""",
    DefinitionKind.MODEL: """// A model by what it is used for, so that another can take its place here.

import {{ defineModel }} from '@standardagents/spec';

// The others: human (you write the answers), openai, anthropic, google, openrouter, and openai-compatible with a
// baseUrl. Their keys are variables, such as OPENAI_API_KEY.
export default defineModel({{
  name: '{name}',
  provider: 'scripted',
}});
""",
    DefinitionKind.HOOK: """// What happens before a request: an agent or a prompt lists this hook by its id.

import {{ defineHook }} from '@standardagents/spec';

export default defineHook({{
  hook: 'filter_messages',
  id: '{name}',
  execute: async (state, messages) => messages.filter((message) => message.content !== '…'),
}});
""",
    DefinitionKind.HANDLER: """// Code on one side of an agent: sideB: {{ handler: '{name}' }}.

import {{ defineHandler }} from '@standardagents/spec';

export default defineHandler({{
  description: 'Say what the handler answers.',
  execute: async (state, message) => `Received ${{(message.content ?? '').length}} characters.`,
}});
""",
    DefinitionKind.EFFECT: """// What runs later, once a tool has said:
// await state.scheduleEffect('{name}', {{ text: '…' }}, delay).

import {{ defineEffect }} from '@standardagents/spec';
import {{ z }} from 'zod';

export default defineEffect(
  'Say what the effect does.',
  z.strictObject({{ text: z.string() }}),
  async (state, {{ text }}) => {{
    console.log(text);
  }},
);
""",
}
