// The define… calls and helpers that files of `agents/` import from `@standardagents/spec` and `@standardagents/builder`.

import { DefinitionError, made } from 'workbench:definitions';

const TOOL = [
  'description', 'args', 'inputSchema', 'outputSchema', 'execute', 'variables', 'uses', 'progressArgument',
  'annotations', 'executionMode', 'executionProvider', 'tenvs', 'effect', 'dryRunResult', 'timeArgs',
  'needsApproval', 'execution', 'script',
];
const PROMPT = [
  'name', 'toolDescription', 'prompt', 'model', 'includeChat', 'includePastTools', 'parallelToolCalls', 'toolChoice',
  'requiredSchema', 'tools', 'variables', 'env', 'reasoning', 'recentImageThreshold', 'providerOptions', 'hooks',
  'exposeAsTool', 'tenvs',
];
const AGENT = [
  'name', 'title', 'description', 'sideA', 'sideB', 'maxSessionTurns', 'exposeAsTool', 'toolDescription', 'primary',
  'parentHooks', 'hooks', 'variables', 'env', 'icon', 'tags', 'packageName', 'version', 'author', 'license', 'tenvs',
];
const MODEL = [
  'name', 'provider', 'model', 'baseUrl', 'keyVariable', 'fallbacks', 'includedProviders', 'inputPrice', 'outputPrice',
  'cachedPrice', 'capabilities', 'providerOptions', 'providerTools',
];

/** D3. The older form took its parts in a row. */
export function defineTool(...given) {
  if (given.length !== 1) {
    throw new DefinitionError('defineTool(description, args, execute) is an older form. Write defineTool({ description, args, execute }).', 'old-form');
  }
  return made('tool', given[0], {
    fields: TOOL,
    sayInstead: {
      name: "leave it out: a tool's name is the name of its file",
      parameters: 'write args, a zod object',
      schema: 'write args, a zod object',
      returnSchema: 'write outputSchema (bot/tools), or check the value inside execute',
      handler: 'write execute',
      run: 'write execute',
      hooks: 'a tool has none; an agent or a prompt lists its hooks',
      options: 'static options are given where a prompt lists the tool',
    },
  });
}

export const definePrompt = (given) =>
  made('prompt', given, {
    fields: PROMPT,
    sayInstead: {
      description: 'write toolDescription, what another model reads when it can call the prompt',
      system: 'write prompt',
      text: 'write prompt',
      args: 'write requiredSchema, a zod object',
      uses: 'write tools',
      temperature: 'write providerOptions: { temperature: … }',
      execute: 'a prompt runs no code; a tool or a handler does',
    },
    older: ['subagents', 'maxImagePixels'],
  });

export const defineAgent = (given) =>
  made('agent', given, {
    fields: AGENT,
    sayInstead: {
      prompt: 'write sideA: { prompt: … }',
      model: "a side's prompt names its model",
      tools: "a side's prompt lists its tools",
      subagents: 'they belong to a side: sideA: { prompt: …, subagents: […] }',
      execute: 'an agent runs no code; a side can be a handler: sideA: { handler: … }',
    },
    older: ['type', 'endConversationTool', 'maxTurns', 'defaultPrompt', 'defaultModel'],
  });

export const defineModel = (given) =>
  made('model', given, {
    fields: MODEL,
    sayInstead: {
      apiKey: 'keys are variables: write keyVariable, the name of the variable that holds it',
      temperature: 'write providerOptions: { temperature: … }',
      id: "write model, the provider's own name of the model",
      url: 'write baseUrl',
    },
  });

/** T8. The older form took a name and a function. */
export function defineHook(...given) {
  if (given.length !== 1) {
    throw new DefinitionError('defineHook(name, function) is an older form. Write defineHook({ hook, id, execute }).', 'old-form');
  }
  return made('hook', given[0], {
    fields: ['hook', 'id', 'description', 'execute'],
    sayInstead: { name: 'write id', type: 'write hook' },
  });
}

export const defineHandler = (given) =>
  made('handler', typeof given === 'function' ? { execute: given } : given, {
    fields: ['description', 'execute', 'variables'],
    sayInstead: { name: "leave it out: a handler's name is the name of its file", handler: 'write execute' },
  });

/** `defineEffect(description, argsSchema?, handler)`: the one call that takes its parts in a row; or by name. */
export function defineEffect(...given) {
  const [first, second, third] = given;
  let fields = first;
  if (typeof first === 'string') {
    fields = { description: first, execute: third ?? second };
    if (third !== undefined) fields.args = second;
  } else if (first !== null && typeof first === 'object' && 'handler' in first) {
    const { handler, ...others } = first;
    fields = { ...others, execute: handler };
  }
  return made('effect', fields, {
    fields: ['description', 'args', 'execute', 'variables'],
    sayInstead: { name: "leave it out: an effect's name is the path of its file" },
  });
}

// Older spellings: functions that took the state first (T11).
export const queueTool = (state, name, args) => state.queueTool(name, args);
export const invokeTool = (state, name, args) => state.invokeTool(name, args);
export const emitThreadEvent = (state, event, data) => state.emit(event, data);
export const injectMessage = (state, message) => state.injectMessage(message);
export const getMessages = (state, options) => state.getMessages(options);
