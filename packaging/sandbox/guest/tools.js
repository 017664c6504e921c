// The entry of a definition file: describe what it defines, call it, or evaluate one of its functions.

import { markOf } from 'workbench:definitions';
import { described, isZod } from 'workbench:describing';
import { makeContext } from 'workbench:context';
import { returned } from 'workbench:returning';
import { makeState } from 'workbench:state';
import { tell } from 'workbench:host';
import { isSteady } from 'workbench:watching';
import { inspect } from 'sb:inspect.js';

const MOST_STACKS = 16;
const LATER = new Set([408, 425, 429]);
const BROKEN = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'UND_ERR_CONNECT_TIMEOUT']);

/** { raw, isSteady } or { problem: { code, message } } for the loaded module. */
export function describe(module) {
  const problem = problemOf(module);
  return problem === undefined ? { raw: described(module.default), isSteady: isSteady() } : { problem };
}

function problemOf(module) {
  if (!('default' in module)) return { code: 'no-definition', message: 'The file has no default export.' };
  if (markOf(module.default) === undefined) {
    return { code: 'no-definition', message: 'The default export is not made by a define… call.' };
  }
  return undefined;
}

/** Run `execute` (D4); `text` is JSON of one object, or for a hook and a handler of a list with what comes after the state. */
export async function call(module, dialect, text, identity) {
  const problem = problemOf(module);
  if (problem !== undefined) return { answer: 'raised', kind: 'load_error', type: problem.code, message: problem.message, stack: '', transient: false };
  const definition = module.default;
  const argument = JSON.parse(text);
  const { kind } = markOf(definition);
  let shared;
  try {
    const values = kind === 'hook' || kind === 'handler' ? argument : [await parsed(definition, dialect, argument)];
    let result;
    if (dialect === 'agent-sdk') {
      result = await definition.execute(...values, makeContext(identity));
    } else {
      shared = makeState(identity);
      result = await definition.execute(shared.state, ...values);
    }
    return returned(result, dialect, (words) => tell('log', { stream: 'log', text: `${words}\n` }));
  } catch (error) {
    return raised(error);
  } finally {
    if (shared) {
      await shared.share();
      for (const [key, why] of Object.entries(shared.unshared())) {
        tell('log', { stream: 'log', text: `state.context[${JSON.stringify(key)}] lasts for this call only. ${why}\n` });
      }
    }
  }
}

/** Call a function-valued field with the input, which is JSON text. */
export async function evaluate(module, dialect, field, text) {
  try {
    const value = module.default[field];
    if (typeof value !== 'function') throw new TypeError(`The definition has no function ${field}.`);
    return returned(await value(await parsed(module.default, dialect, JSON.parse(text))), 'agent-sdk');
  } catch (error) {
    return raised(error);
  }
}

class Refused extends Error {}

async function parsed(definition, dialect, argument) {
  const schema = (dialect === 'agent-sdk' ? (definition.inputSchema ?? definition.args) : (definition.args ?? definition.inputSchema)) ?? null;
  if (!isZod(schema)) return argument;
  const outcome = await schema.safeParseAsync(argument);
  if (outcome.success) return outcome.data;
  throw new Refused(outcome.error.issues.map(problem).join('\n'));
}

/** A problem that zod found, as the host tells its own. */
function problem({ path, message }) {
  const place = path.map((part) => `/${String(part)}`).join('') || '(the arguments)';
  return `- ${place}: ${message}${/[.!?]$/.test(message) ? '' : '.'}`;
}

function raised(thrown) {
  const error = thrown instanceof Error ? thrown : new Error(typeof thrown === 'string' ? thrown : `The tool threw ${String(thrown)}.`);
  const kind = error instanceof Refused ? 'invalid_arguments' : error.name === 'MissingVariable' ? 'missing_variable' : 'tool_error';
  return {
    answer: 'raised',
    kind,
    type: error.name || 'Error',
    message: error.message || gathered(error).map((one) => one.message).join('; ') || `${error.name} without a message`,
    stack: error instanceof Refused ? '' : stacksOf(error).join('\n\n'),
    transient: isTransient(error),
  };
}

/** The stack of an error behind those that it came of. */
function stacksOf(error, seen = new Set()) {
  if (!(error instanceof Error) || seen.has(error) || seen.size === MOST_STACKS) return [];
  seen.add(error);
  const before = [error.cause, ...gathered(error)].flatMap((one) => stacksOf(one, seen));
  const head = error.message ? `${error.name}: ${error.message}` : error.name;
  return [...before, `${head}\n${error.stack ?? ''}`.trimEnd()];
}

/** What an AggregateError holds, as of Promise.any; whatever was thrown there. */
function gathered(error) {
  const errors = error instanceof AggregateError && Array.isArray(error.errors) ? error.errors.slice(0, MOST_STACKS) : [];
  return errors.map((one) => (one instanceof Error ? one : Object.assign(new Error(inspect(one)), { stack: '' })));
}

/** Time-out, connection refused or reset, a status that means 'later', or TransientError; also as the cause (C9). */
function isTransient(error) {
  const seen = new Set();
  for (let link = error; link !== null && typeof link === 'object' && !seen.has(link); link = link.cause) {
    seen.add(link);
    if (['TransientError', 'TimeoutError'].includes(link.name) || BROKEN.has(link.code)) return true;
    for (const holder of [link, link.response]) {
      for (const status of [holder?.status, holder?.statusCode]) {
        if (typeof status === 'number' && (LATER.has(status) || (status >= 500 && status <= 599))) return true;
      }
    }
  }
  return false;
}
