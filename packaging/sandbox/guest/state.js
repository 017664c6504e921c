// The state that code of `agents/` gets: the thread's methods, filled by questions to the engine (T7, T11).

import { runCode } from 'workbench:code';
import { ask, askNow, tell } from 'workbench:host';
import { toJson } from 'workbench:returning';
import { Scratch } from 'workbench:scratch';

const bytesOf = (text) => (text === null || text === undefined ? null : Uint8Array.fromBase64(text));

const target = (name, args) => ({ name, argumentsJson: toJson(args ?? {}) });

/** The thread's methods; a plain object, since a proxy would look like a promise. */
export function makeState(identity) {
  const scratch = new Scratch(identity.context ?? {});
  const share = () => {
    const changed = scratch.changes();
    return changed ? ask('updateContext', changed) : undefined;
  };
  const state = {
    threadId: identity.threadId,
    agentId: identity.agentId,
    userId: identity.userId ?? null,
    createdAt: identity.createdAt,
    terminated: identity.terminated ?? null,
    arguments: Object.freeze(identity.arguments ?? {}),
    options: Object.freeze(identity.options ?? {}),
    callId: identity.callId,
    workspaceDir: identity.workspaceDir ?? '.',
    context: scratch.values,
    execution: identity.execution ? makeExecution(identity.execution) : null,
    _notPackableRuntimeContext: {},
    ...variables,
    ...messages,
    ...run,
    ...definitions,
    ...files,
    queueTool(name, args) {
      askNow('queueTool', target(name, args));
    },
    async invokeTool(name, args) {
      await share();
      const { context, ...result } = await ask('invokeTool', target(name, args));
      if (context) scratch.take(context);
      return result;
    },
    emit(event, data) {
      tell('emit', { event: String(event), data: toJson(data ?? null) });
    },
    runCode,
    log(text) {
      tell('log', { stream: 'log', text: `${text}\n` });
    },
  };
  state.storage = {
    get: (key) => state.getValue(key),
    put: (key, value) => state.setValue(key, value),
    delete: (key) => state.setValue(key, null),
  };
  return { state: withOlderNames(state), share, unshared: () => scratch.unshared };
}

const variables = {
  env: (name) => ask('env', { name }),
  envType: (name) => ask('envType', { name }),
  setEnv: (name, value, options) => ask('setEnv', options?.type ? { name, value, type: options.type } : { name, value }),
  async getValue(key) {
    const text = await ask('getValue', { key });
    return text === null ? null : JSON.parse(text);
  },
  setValue: (key, value) => ask('setValue', { key, json: value === null || value === undefined ? null : toJson(value) }),
};

const messages = {
  getMessages: ({ limit = 100, offset = 0, order = 'asc', includeSilent = false, maxDepth = 0 } = {}) =>
    ask('getMessages', { limit, offset, order, includeSilent, maxDepth }),
  getMessage: (id) => ask('getMessage', { id }),
  injectMessage: (message) => ask('injectMessage', { ...message }),
  queueMessage: (message) => ask('queueMessage', { ...message }),
  updateMessage: (id, updates) => ask('updateMessage', { id, updates: { ...updates } }),
  deleteMessage: (id) => ask('deleteMessage', { id }),
};

const run = {
  setStatus: (status) => ask('setStatus', { status }),
  async stopSession(message = '', { failed = false, attachments = [] } = {}) {
    await ask('stopSession', { message, failed, attachments });
  },
  terminate: () => ask('terminate', {}),
  children: () => ask('children', {}),
  notifyParent: (content) => ask('notifyParent', { content }),
  scheduleEffect: (name, args, delay = 0) => ask('scheduleEffect', { name, argumentsJson: toJson(args ?? null), delayMs: delay }),
  getScheduledEffects: (name = null) => ask('getScheduledEffects', { name }),
  removeScheduledEffect: (id) => ask('removeScheduledEffect', { id }),
};

const definitions = Object.fromEntries([
  ...['Model', 'Prompt', 'Agent'].map((kind) => [`load${kind}`, (name) => ask(`load${kind}`, { name })]),
  ...['Model', 'Prompt', 'Agent'].map((kind) => [`get${kind}Names`, () => ask(`get${kind}Names`, {})]),
]);

const files = {
  writeFile(path, data, mimeType = null) {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
    return ask('writeFile', { path, data: bytes.toBase64(), mimeType });
  },
  readFile: async (path) => bytesOf(await ask('readFile', { path })),
  statFile: (path) => ask('statFile', { path }),
  readdirFile: (path = '/') => ask('readdirFile', { path }),
  unlinkFile: (path) => ask('unlinkFile', { path }),
  mkdirFile: (path) => ask('mkdirFile', { path }),
  rmdirFile: (path) => ask('rmdirFile', { path }),
  getFileStats: () => ask('getFileStats', {}),
  findFiles: (pattern) => ask('findFiles', { pattern }),
  /** The pattern is matched here, where one that never ends costs one call. */
  async grepFiles(pattern, { path = '/', limit } = {}) {
    const expression = new RegExp(pattern);
    const found = [];
    for (const file of await ask('grepFiles', { path })) {
      if (limit !== undefined && found.length >= limit) break;
      const bytes = bytesOf(await ask('readFile', { path: file.path }));
      if (bytes === null || bytes.includes(0)) continue;
      const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
      const matching = lines.map((line, index) => [index + 1, line]).filter(([, line]) => expression.test(line));
      if (matching.length) {
        found.push({ path: file.path, name: file.name, matches: matching.map(([, line]) => line), lineNumbers: matching.map(([number]) => number) });
      }
    }
    return found;
  },
};

/** Counters are as the call found them; what may change is asked for each time, without await. */
function makeExecution(fields) {
  const stopped = () => askNow('stopped', {});
  return {
    ...fields,
    get stopped() {
      return stopped().stopped;
    },
    get stoppedBy() {
      return stopped().stoppedBy ?? undefined;
    },
    get messageHistory() {
      return askNow('messageHistory', {});
    },
    forceTurn(side) {
      askNow('forceTurn', { side });
    },
    stop() {
      askNow('stop', {});
    },
    abortSignal: {
      get aborted() {
        return stopped().stopped;
      },
      throwIfAborted() {
        if (this.aborted) throw new DOMException('The run is to end.', 'AbortError');
      },
    },
  };
}

/** What earlier versions had on the state itself (T11). */
function withOlderNames(state) {
  const older = { flowId: 'flowId', currentSide: 'currentSide', turnCount: 'stepCount', stopped: 'stopped', messageHistory: 'messageHistory' };
  for (const [name, now] of Object.entries(older)) {
    Object.defineProperty(state, name, { get: () => (state.execution ? state.execution[now] : null) });
  }
  Object.defineProperty(state, 'rootState', { get: () => state });
  Object.defineProperty(state, 'agentConfig', { get: () => (state.execution ? askNow('loadAgent', { name: state.agentId }) : null) });
  return state;
}
