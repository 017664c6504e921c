// The state that code of `agents/` gets: the thread's methods, filled by questions to the engine (T7, T11).

import { base64Of, bytesOf } from 'workbench:bytes';
import { callView } from 'workbench:call_view';
import { runCode } from 'workbench:code';
import { own } from 'workbench:host';
import { toJson } from 'workbench:returning';
import { Scratch } from 'workbench:scratch';

const target = (name, args) => ({ name, argumentsJson: toJson(args ?? {}) });

/** The state of the running call, and what is to be done with its context at the end. */
export function makeState(identity) {
  const scratch = new Scratch(identity.context ?? {});
  const share = async () => {
    const changed = scratch.changes();
    if (changed) await own.ask('updateContext', changed);
  };
  return { state: stateOf(identity, own, scratch, share), share, unshared: () => scratch.unshared };
}

/** The thread's methods; a plain object, since a proxy would look like a promise. */
function stateOf(identity, asking, scratch, share) {
  const { ask, askNow, tell } = asking;
  const relative = async (params) => {
    const found = await ask('relative', params);
    return found === null ? null : stateOf(found, asking.of(found.threadId), new Scratch(found.context ?? {}), async () => {});
  };
  const state = {
    ...callView(identity, asking),
    threadId: identity.threadId,
    agentId: identity.agentId,
    userId: identity.userId ?? null,
    createdAt: identity.createdAt,
    terminated: identity.terminated ?? null,
    arguments: Object.freeze(identity.arguments ?? {}),
    options: Object.freeze(identity.options ?? {}),
    callId: identity.callId,
    context: scratch.values,
    execution: identity.execution ? makeExecution(identity.execution, askNow) : null,
    _notPackableRuntimeContext: {},
    ...variables(ask),
    ...messages(ask),
    ...run(ask, askNow),
    ...definitions(ask),
    ...files(ask),
    getChildThread: (reference) => relative({ reference }),
    getParentThread: () => relative({}),
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
  Object.defineProperty(state, 'children', { get: () => askNow('children', {}), enumerable: true });
  state.storage = {
    get: (key) => state.getValue(key),
    put: (key, value) => state.setValue(key, value),
    delete: (key) => state.setValue(key, null),
  };
  return withOlderNames(state, askNow);
}

const variables = (ask) => ({
  envType: (name) => ask('envType', { name }),
  setEnv: (name, value, options) => ask('setEnv', options?.type ? { name, value, type: options.type } : { name, value }),
  async getValue(key) {
    const text = await ask('getValue', { key });
    return text === null ? null : JSON.parse(text);
  },
  setValue: (key, value) => ask('setValue', { key, json: value === null || value === undefined ? null : toJson(value) }),
});

const messages = (ask) => ({
  getMessages: ({ limit = 100, offset = 0, order = 'asc', includeSilent = false, maxDepth = 0 } = {}) =>
    ask('getMessages', { limit, offset, order, includeSilent, maxDepth }),
  getMessage: (id) => ask('getMessage', { id }),
  injectMessage: (message) => ask('injectMessage', { ...message }),
  queueMessage: (message) => ask('queueMessage', { ...message }),
  updateMessage: (id, updates) => ask('updateMessage', { id, updates: { ...updates } }),
  deleteMessage: (id) => ask('deleteMessage', { id }),
});

const run = (ask, askNow) => ({
  setStatus: (status) => ask('setStatus', { status }),
  async stopSession(message = '', { failed = false, attachments = [] } = {}) {
    askNow('stopSession', { message, failed, attachments });
  },
  terminate: () => ask('terminate', {}),
  notifyParent: (content) => ask('notifyParent', { content }),
  scheduleEffect: (name, args, delay = 0) => ask('scheduleEffect', { name, argumentsJson: toJson(args ?? null), delayMs: delay }),
  getScheduledEffects: (name = null) => ask('getScheduledEffects', { name }),
  removeScheduledEffect: (id) => ask('removeScheduledEffect', { id }),
});

const definitions = (ask) =>
  Object.fromEntries([
    ...['Model', 'Prompt', 'Agent'].map((kind) => [`load${kind}`, (name) => ask(`load${kind}`, { name })]),
    ...['Model', 'Prompt', 'Agent'].map((kind) => [`get${kind}Names`, () => ask(`get${kind}Names`, {})]),
  ]);

const files = (ask) => ({
  writeFile(path, data, mimeType = null, { width, height, metadata, thumbnail } = {}) {
    const params = { path, data: base64Of(data), mimeType };
    if (width !== undefined && height !== undefined) Object.assign(params, { width, height });
    if (metadata !== undefined) params.metadata = toJson(metadata);
    if (thumbnail !== undefined) params.thumbnail = base64Of(thumbnail);
    return ask('writeFile', params);
  },
  readFile: async (path) => bytesOf(await ask('readFile', { path })),
  /** The pieces of one version of the file, to be gone through with `for await`; null when there is none. */
  async readFileStream(path) {
    const first = await ask('readFilePart', { path, index: 0 });
    if (first === null) return null;
    return {
      async *[Symbol.asyncIterator]() {
        for (let index = 0; index < first.count; index++) {
          const part = index === 0 ? first : await ask('readFilePart', { path, index, version: first.version });
          yield { data: bytesOf(part.data), index: part.index, count: part.count };
        }
      },
    };
  },
  getFileThumbnail: async (path) => bytesOf(await ask('getFileThumbnail', { path })),
  statFile: (path) => ask('statFile', { path }),
  readdirFile: (path = '/') => ask('readdirFile', { path }),
  unlinkFile: (path) => ask('unlinkFile', { path }),
  mkdirFile: (path) => ask('mkdirFile', { path }),
  rmdirFile: (path) => ask('rmdirFile', { path }),
  getFileStats: () => ask('getFileStats', {}),
  findFiles: (pattern, { type = 'file', limit = null } = {}) => ask('findFiles', { pattern, type, limit }),
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
});

/** Counters are as the call found them; what may change is asked for each time, without await. */
function makeExecution(fields, askNow) {
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
function withOlderNames(state, askNow) {
  const older = { flowId: 'flowId', currentSide: 'currentSide', turnCount: 'stepCount', stopped: 'stopped', messageHistory: 'messageHistory' };
  for (const [name, now] of Object.entries(older)) {
    Object.defineProperty(state, name, { get: () => (state.execution ? state.execution[now] : null) });
  }
  Object.defineProperty(state, 'rootState', { get: () => state });
  Object.defineProperty(state, 'agentConfig', { get: () => (state.execution ? askNow('loadAgent', { name: state.agentId }) : null) });
  return state;
}
