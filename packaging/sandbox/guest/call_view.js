// The call as its code sees it: its session, who allowed it, and what all sessions share. For `ctx` and `state`.

import { base64Of, bytesOf } from 'workbench:bytes';
import { toJson } from 'workbench:returning';

const TAGS = 'artifacts/tags';
const parsed = (text) => (text === null || text === undefined ? null : JSON.parse(text));
const auth = (fields) => Object.freeze({ principal: 'local', attributes: {}, ...fields });

export function callView(identity, asking) {
  const { ask } = asking;
  const session = identity.session ?? { id: identity.threadId };
  const handle = (fields) =>
    fields === null || fields === undefined
      ? null
      : { ...fields, send: (message) => ask('sendTo', { channel: fields.channel, id: fields.id, message }).then(() => undefined) };
  return {
    toolCallId: identity.callId,
    session: Object.freeze({ channel: '', mode: 'live', ...session, auth: auth(session.auth) }),
    approvedBy: identity.approvedBy ? auth(identity.approvedBy) : undefined,
    workspaceDir: identity.workspaceDir ?? '.',
    stateRoot: identity.stateRoot ?? '.',
    host: host(ask),
    artifacts: artifacts(ask),
    env: (name) => ask('env', { name }),
    send: async (channel, message, { key = '', agent = null, auth = null } = {}) =>
      handle(await ask('sendTo', { channel, message, key, agent, auth })),
    getSession: async (channel, id) => handle(await ask('getSession', { channel, id })),
  };
}

function host(ask) {
  const connection = (name) => ({
    tools: () => ask('connectionTools', { connection: name }),
    call: async (tool, args) => parsed(await ask('callConnection', { connection: name, tool, argumentsJson: toJson(args ?? {}) })),
  });
  return {
    kv: {
      get: async (key) => parsed(await ask('hostValue', { key })),
      set: (key, value) => ask('setHostValue', { key, json: toJson(value ?? null) }),
      delete: (key) => ask('setHostValue', { key, json: 'null' }),
      list: (prefix = '') => ask('hostKeys', { prefix }),
    },
    files: files((method, params) => ask('hostFile', { method, ...params }), (path) => path),
    reminders: {
      set: (message, { delay }) => ask('setReminder', { message, delay }),
      list: () => ask('reminders', {}),
      cancel: (id) => ask('cancelReminder', { id }),
    },
    github: connection('github'),
    slack: connection('slack'),
    mcp: connection,
  };
}

/** Files by a question, their places by `place`. */
function files(ask, place) {
  return {
    write: (path, data, mimeType = null) => ask('writeFile', { path: place(path), data: base64Of(data), mimeType }),
    read: async (path) => bytesOf(await ask('readFile', { path: place(path) })),
    delete: (path) => ask('unlinkFile', { path: place(path) }),
    list: (pattern = '*') => ask('findFiles', { pattern: place(pattern) }),
  };
}

/** Files of the session under `/artifacts`, and their tags as one of its values. */
function artifacts(ask) {
  const place = (path) => (path.startsWith('/artifacts/') ? path : `/artifacts/${path.replace(/^\/+/, '')}`);
  const known = async () => parsed(await ask('getValue', { key: TAGS })) ?? {};
  return {
    ...files(ask, place),
    async tag(path, ...tags) {
      const at = place(path);
      if ((await ask('statFile', { path: at })) === null) throw new Error(`There is no artifact ${at}.`);
      const all = await known();
      all[at] = [...new Set([...(all[at] ?? []), ...tags])].sort();
      await ask('setValue', { key: TAGS, json: toJson(all) });
      return all[at];
    },
    async tagged(tag) {
      return Object.entries(await known()).filter(([, tags]) => tags.includes(tag)).map(([path]) => path).sort();
    },
  };
}
