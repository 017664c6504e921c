// The guest's side of the bridge: starts the author's code and carries calls, reports, log lines and the result out.
// What it uses is taken before an author's code runs, so nothing done to the built-ins can reach it.
import { entropy, random, send, setHooks } from 'sb:native';
import { inspect } from 'sb:inspect.js';

const ASK_CALL = 2, SEND_CALL = 3, SEND_RESULT = 4, SEND_REPORT = 5, SEND_LOG = 6;
const RUN = 0, SETTLE = 1;

const { create, defineProperty, getOwnPropertyNames } = Object;
const { apply } = Reflect;
const { isArray } = Array;
const { join } = Array.prototype;
const { forEach: forEachOfMap } = Map.prototype, { forEach: forEachOfSet } = Set.prototype;
const NativeError = Error, NativeAggregateError = AggregateError, NativeMap = Map, NativePromise = Promise, NativeTypeError = TypeError, NativeReferenceError = ReferenceError;
const toText = String;

// ---- errors

const read = (value, key) => {
  try {
    return value[key];
  } catch {
    return undefined;
  }
};

const words = (value) => {
  try {
    return toText(value);
  } catch {
    return '(no words)';
  }
};

const append = (list, index, value) => defineProperty(list, index, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

// `left` is how many more errors are told, of those that caused it and those that it gathers.
const toldError = (error, left = { __proto__: null, count: 16 }) => {
  if (!(error instanceof NativeError)) {
    return { __proto__: null, name: 'Error', message: inspect(error), stack: '', thrown: true };
  }
  const told = {
    __proto__: null,
    name: words(read(error, 'name')),
    message: words(read(error, 'message')),
    stack: words(read(error, 'stack') ?? ''),
  };
  const cause = read(error, 'cause');
  if (cause !== undefined && left.count-- > 0) told.cause = toldError(cause, left);
  const gathered = error instanceof NativeAggregateError ? read(error, 'errors') : undefined;
  if (isArray(gathered)) {
    told.errors = [];
    for (let i = 0; i < read(gathered, 'length') && left.count-- > 0; i++) append(told.errors, i, toldError(read(gathered, i), left));
  }
  return told;
};

const set = (error, key, value) => defineProperty(error, key, { __proto__: null, value, writable: true, configurable: true });

const asError = (error, { name, message, code }) => {
  set(error, 'name', name);
  set(error, 'message', message);
  if (code !== undefined) set(error, 'code', code);
  return error;
};

// ---- host functions

const waiting = create(null);
let next = 1;

const hostFunction = (number, name, blocking) => {
  const made = blocking
    ? (...args) => {
        const answer = send(ASK_CALL, 0, { __proto__: null, number, args });
        if (answer.ok) return answer.value;
        throw asError(new NativeError(), answer.error);
      }
    : (...args) => {
        const error = new NativeError(); // its trace says where the call stands
        return new NativePromise((resolve, reject) => {
          const id = next++;
          send(SEND_CALL, id, { __proto__: null, number, args });
          waiting[id] = { __proto__: null, resolve, reject, error };
        });
      };
  return defineProperty(made, 'name', { __proto__: null, value: name, configurable: true });
};

const settle = (id, answer) => {
  const call = waiting[id];
  delete waiting[id];
  if (answer.ok) call.resolve(answer.value);
  else call.reject(asError(call.error, answer.error));
};

// ---- what leaves

const plain = (value) => {
  if (value instanceof NativeError) return toldError(value);
  let all = true, result;
  if (value instanceof NativeMap) {
    result = create(null);
    apply(forEachOfMap, value, [(item, key) => {
      all &&= typeof key === 'string';
      if (all) result[key] = item;
    }]);
  } else {
    result = [];
    let count = 0;
    apply(forEachOfSet, value, [(item) => append(result, count++, item)]);
  }
  return all ? result : null;
};

export const report = (value) => send(SEND_REPORT, 0, value);
export const log = (level, text) => send(SEND_LOG, 0, { __proto__: null, level, text });

// ---- a run

let imported = create(null);
export const taken = (specifier) => imported[specifier];

const exportOf = (module, { entry, fn, optional }) => {
  if (fn in module) return module[fn];
  if (optional) return undefined;
  const names = getOwnPropertyNames(module);
  const others = names.length ? `it exports ${apply(join, names, [', '])}` : 'it exports nothing';
  throw new NativeReferenceError(`${entry} has no export '${fn}'; ${others}`);
};

const run = async (asked) => {
  imported = asked.imports;
  for (const name of getOwnPropertyNames(asked.globals)) {
    defineProperty(globalThis, name, { __proto__: null, value: asked.globals[name], writable: true, enumerable: false, configurable: true });
  }
  const found = exportOf(await import(asked.entry), asked);
  return typeof found === 'function' ? await apply(found, undefined, asked.args) : await found;
};

const start = async (asked) => {
  try {
    send(SEND_RESULT, 0, { __proto__: null, ok: true, value: await run(asked) });
  } catch (error) {
    send(SEND_RESULT, 0, { __proto__: null, ok: false, error: toldError(error) });
  }
};

const dispatch = (kind, id, message) => {
  if (kind === RUN) start(message);
  else if (kind === SETTLE) settle(id, message);
};

export { entropy };

setHooks(dispatch, plain, BigInt, hostFunction);
set(Math, 'random', random);
