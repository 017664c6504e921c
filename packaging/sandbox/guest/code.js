// `state.runCode` of TypeScript tools: code in a sandbox of its own, whose functions run here (X1, X2).

import { ask, askNow } from 'workbench:host';

const WORDS = new Map([[Infinity, 'Infinity'], [-Infinity, '-Infinity']]);

/** A promise of the result that can be ended, and whose reports can be read as they come. */
export function runCode(source, { report, ...options } = {}) {
  const functions = [];
  const reports = [];
  let wake = () => {};
  let isOver = false;
  const run = askNow('runCode', { source: String(source), options: encoded(options, functions) });
  const read = async () => {
    try {
      for (;;) {
        const message = await ask('runCodeNext', { run });
        if (message.call) serve(run, message.call, functions);
        else if ('report' in message) {
          const value = decoded(message.report);
          reports.push(value);
          wake();
          await report?.(value);
        } else return { ...message.done, result: decoded(message.done.result), reports: message.done.reports.map(decoded) };
      }
    } finally {
      isOver = true;
      wake();
    }
  };
  return Object.assign(read(), {
    terminate(reason) {
      if (!isOver) askNow('runCodeTerminate', { run, reason });
    },
    reports: {
      async *[Symbol.asyncIterator]() {
        for (let at = 0; ; at++) {
          while (at >= reports.length) {
            if (isOver) return;
            await new Promise((resolve) => {
              wake = resolve;
            });
          }
          yield reports[at];
        }
      },
    },
  });
}

async function serve(run, call, functions) {
  let outcome;
  try {
    outcome = { value: encoded(await functions[call.function](...decoded(call.arguments)), functions) };
  } catch (error) {
    outcome = { error: { name: String(error?.name ?? 'Error'), message: String(error?.message ?? error) } };
  }
  await ask('runCodeAnswer', { run, number: call.number, outcome });
}

/** JSON, with a tag for what JSON lacks; a function is kept, and its number goes. */
function encoded(value, functions) {
  switch (typeof value) {
    case 'undefined':
      return { $: 'undefined' };
    case 'function':
      return { $: 'function', value: functions.push(value) - 1 };
    case 'bigint':
      return { $: 'bigint', value: String(value) };
    case 'number':
      if (Object.is(value, -0)) return { $: 'number', value: '-0' };
      return Number.isFinite(value) ? value : { $: 'number', value: WORDS.get(value) ?? 'NaN' };
    case 'symbol':
      throw new TypeError('A symbol cannot be handed to code.');
    case 'object':
      break;
    default:
      return value;
  }
  if (value === null) return null;
  if (value instanceof Uint8Array) return { $: 'bytes', value: value.toBase64() };
  if (value instanceof Date) return { $: 'date', value: value.toISOString() };
  if (Array.isArray(value)) return value.map((item) => encoded(item, functions));
  const pairs = Object.entries(value).map(([key, item]) => [key, encoded(item, functions)]);
  return '$' in value ? { $: 'object', value: pairs } : Object.fromEntries(pairs);
}

function decoded(value) {
  if (Array.isArray(value)) return value.map(decoded);
  if (value === null || typeof value !== 'object') return value;
  switch (value.$) {
    case undefined:
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decoded(item)]));
    case 'bytes':
      return Uint8Array.fromBase64(value.value);
    case 'date':
      return new Date(value.value);
    case 'bigint':
      return BigInt(value.value);
    case 'number':
      return Number(value.value);
    case 'object':
      return Object.fromEntries(value.value.map(([key, item]) => [key, decoded(item)]));
    default:
      return undefined;
  }
}
