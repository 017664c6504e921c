// A definition in the raw form that all hosts share: as written, not judged.

import { z } from 'zod';
import { markOf } from 'workbench:definitions';

const SCHEMAS = {
  tool: ['args', 'inputSchema', 'outputSchema', 'tenvs'],
  effect: ['args'],
  prompt: ['requiredSchema'],
};
const DEEPEST = 100;

/** { kind, stack, fields, schemas, execute }; `stack` tells the host where the define call stands. */
export function described(definition) {
  const { kind, stack } = markOf(definition);
  const names = SCHEMAS[kind] ?? [];
  const fields = {};
  const schemas = {};
  for (const [name, value] of Object.entries(definition)) {
    if (value === undefined) continue;
    if (names.includes(name)) {
      if (value !== null) schemas[name] = captured(value);
    } else if (name !== 'execute') {
      fields[name] = kind === 'model' && name === 'provider' ? provider(value, definition, fields) : written(value);
    }
  }
  return { kind, stack, fields, schemas, execute: executable(definition.execute) };
}

export const isZod = (value) => value !== null && typeof value === 'object' && '_zod' in value;

function provider(value, definition, fields) {
  const client = typeof value === 'function' ? value.workbenchProvider : undefined;
  if (client === undefined) return written(value);
  for (const name of ['baseUrl', 'keyVariable']) {
    if (client[name] !== undefined && definition[name] === undefined) fields[name] = client[name];
  }
  return client.provider;
}

function executable(execute) {
  if (execute === undefined || execute === null) return null;
  if (typeof execute !== 'function') return { $notJson: typeName(execute) };
  return { async: true, parameters: parameterCount(execute), line: null };
}

/** Every parameter counts, one with a default too; all there can be where the text of the function does not tell. */
function parameterCount(execute) {
  const text = Function.prototype.toString.call(execute);
  if (ONE_NAME.test(text)) return 1;
  let list = PARAMETERS.exec(text)?.[1];
  for (let before; list !== before; ) list = (before = list).replace(/\{[^{}[\]]*\}|\[[^{}[\]]*\]/g, 'x'); // taken apart, it is one
  if (list === undefined || list.includes('...') || /\barguments\b|\[native code\]/.test(text)) return MOST_PARAMETERS;
  return list.split(',').filter((name) => name.trim()).length;
}

const MOST_PARAMETERS = 9;
const ONE_NAME = /^(?:async\s+)?[\w$]+\s*=>/;
// No text, no comment and no call in it, which may hold anything.
const PARAMETERS = /^(?:async\b)?\s*(?:function\b)?\s*\*?\s*[\w$]*\s*\(([^()'"`/]*)\)/;

function captured(value) {
  if (isZod(value)) {
    try {
      return zodSchema(value);
    } catch (error) {
      return { error: `The zod schema gives no JSON Schema: ${error.message}` };
    }
  }
  if (value !== null && typeof value === 'object' && '_def' in value) return { error: 'The schema is one of zod 3; schemas need zod 4.' };
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    const plain = written(value);
    const strange = findMarker(plain);
    return strange ? { error: `The schema is not JSON: ${strange}.` } : { source: 'plain', schema: plain };
  }
  return { error: `Expected a zod object or a JSON Schema, found ${typeName(value)}.` };
}

/** What is input: a default is not required. `lost` names what JSON Schema cannot say, with the place. */
function zodSchema(value) {
  const lost = [];
  const schema = z.toJSONSchema(value, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema: part, jsonSchema: told, path }) => {
      const { type, coerce } = part._zod.def;
      if (type === 'date' && coerce) {
        Object.assign(told, { type: 'string', format: 'date-time' });
      } else if (UNSAID.has(type)) {
        lost.push({ place: `/${path.join('/')}`, what: UNSAID.get(type) });
      }
      for (const check of part._zod.def.checks ?? []) {
        if (check._zod?.def?.check === 'custom') lost.push({ place: `/${path.join('/')}`, what: 'a refinement' });
      }
    },
  });
  delete schema.$schema;
  return { source: 'model', schema, lost };
}

const UNSAID = new Map([
  ['bigint', 'a bigint'], ['symbol', 'a symbol'], ['undefined', 'undefined'], ['void', 'void'], ['date', 'a Date'],
  ['map', 'a Map'], ['set', 'a Set'], ['nan', 'NaN'], ['custom', 'a custom check'], ['function', 'a function'],
  ['file', 'a file'], ['promise', 'a promise'], ['transform', 'a transform'],
]);

function findMarker(value, place = 'it') {
  if (value === null || typeof value !== 'object') return undefined;
  if ('$notJson' in value) return `${place} is ${value.$notJson}`;
  if ('$function' in value) return `${place} is a function`;
  for (const [key, item] of Object.entries(value)) {
    const found = findMarker(item, place === 'it' ? key : `${place}.${key}`);
    if (found) return found;
  }
  return undefined;
}

/** The value as JSON; a function or anything else that is none is a marker in its place. */
function written(value, depth = 0) {
  if (depth > DEEPEST) return { $notJson: typeName(value) };
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $notJson: String(value) };
  if (typeof value === 'function') return { $function: true };
  if (Array.isArray(value)) return value.map((item) => written(item, depth + 1));
  if (typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(entries.map(([key, item]) => [key, written(item, depth + 1)]));
  }
  return { $notJson: typeName(value) };
}

const typeName = (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'object' ? (value.constructor?.name ?? 'object') : typeof value);
