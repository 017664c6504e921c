// `process.env` of tools under `bot/`: the project's variables, and nothing else of a process (X3).

import { askNow, isThere } from 'workbench:host';

const value = (name) => (typeof name === 'string' && isThere() ? (askNow('environment', { name }) ?? undefined) : undefined);

const env = new Proxy(Object.create(null), {
  get: (_, name) => value(name),
  has: (_, name) => value(name) !== undefined,
  ownKeys: () => [],
  set(_, name) {
    throw new TypeError(`process.env.${String(name)} cannot be set here.`);
  },
});

/** For this run; tools under `agents/` have no process. */
export function install() {
  globalThis.process = Object.freeze({ env });
}
