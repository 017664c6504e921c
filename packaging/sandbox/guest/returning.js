// What a function returned, told apart by its shape and made ready to send (D7, D8).

// `failure` stands in what `invokeTool` gives: a tool may hand on what another one failed with.
const RESULT_KEYS = ['status', 'result', 'error', 'stack', 'attachments', 'failure'];
const ENVELOPE_KEYS = ['content', 'isError', 'structuredContent'];

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** The answer as the host reads it; `remark` hears what JSON empties. Throws TypeError for what is no JSON, and for a wrong result. */
export function returned(value, dialect, remark) {
  if (value === undefined || value === null) return { answer: 'returned', shape: 'none' };
  if (typeof value === 'string') return { answer: 'returned', shape: 'text', text: whole(value) };
  if (dialect === 'standard-agents' && isResult(value)) return toolResult(value);
  if (isEnvelope(value)) {
    return { answer: 'returned', shape: 'envelope', isError: value.isError === true, json: toJson(value, remark) };
  }
  return { answer: 'returned', shape: 'json', json: toJson(value, remark) };
}

const EMPTIED = [
  [Map, 'a Map', 'Return Object.fromEntries(it).'],
  [Set, 'a Set', 'Return [...it].'],
  [Promise, 'a promise', 'Await it first.'],
];

/** JSON text. Throws TypeError, with the place, for what JSON would lose without a word; the first of each kind that
 * becomes {} is told to `remark`. */
export function toJson(value, remark = () => {}) {
  const places = new Map();
  const untold = new Set(EMPTIED);
  const text = JSON.stringify(value, function (key, item) {
    const place = places.has(this) ? `${places.get(this)}${Array.isArray(this) ? `[${key}]` : `.${key}`}` : 'the value';
    if (item !== null && typeof item === 'object') places.set(item, place);
    if (typeof item === 'number' && !Number.isFinite(item)) throw new TypeError(`${place} is ${item}, which is no JSON.`);
    if (typeof item === 'bigint') throw new TypeError(`${place} is the big integer ${item}n, which is no JSON. Write it as text.`);
    if (typeof item === 'function' || typeof item === 'symbol') throw new TypeError(`${place} is a ${typeof item}, which is no JSON.`);
    for (const kind of untold) {
      if (!(item instanceof kind[0])) continue;
      untold.delete(kind);
      remark(`${place} is ${kind[1]}, of which JSON makes {}. ${kind[2]}`);
    }
    return item;
  });
  return whole(text ?? 'null');
}

function isResult(value) {
  return isObject(value) && (value.status === 'success' || value.status === 'error') && Object.keys(value).every((key) => RESULT_KEYS.includes(key));
}

function isEnvelope(value) {
  if (!isObject(value) || !Array.isArray(value.content)) return false;
  if (value.content.length === 0) return Object.keys(value).every((key) => ENVELOPE_KEYS.includes(key));
  return value.content.every((block) => isObject(block) && typeof block.type === 'string');
}

function toolResult(value) {
  const isError = value.status === 'error';
  const field = isError ? 'error' : 'result';
  for (const name of [field, 'stack']) {
    if (value[name] !== undefined && value[name] !== null && typeof value[name] !== 'string') {
      throw new TypeError(`${name} of the result must be text, not ${kindOf(value[name])}. Write JSON.stringify(…) around it.`);
    }
  }
  return {
    answer: 'returned',
    shape: 'tool_result',
    isError,
    text: whole(value[field] ?? (isError ? value.result : undefined) ?? ''),
    stack: whole(value.stack ?? ''),
    isHandedOn: value.failure !== undefined,
    attachments: (value.attachments ?? []).map(attachment),
  };
}

function attachment(value, index) {
  const place = `attachments[${index}]`;
  if (!isObject(value)) throw new TypeError(`${place} must be an attachment, not ${kindOf(value)}.`);
  const fields = { name: required(value, 'name', place), mimeType: required(value, 'mimeType', place) };
  for (const side of ['width', 'height']) fields[side] = value[side] ?? null;
  if (typeof value.data === 'string') return { ...fields, data: whole(value.data) };
  if (value.data !== undefined && value.data !== null) throw new TypeError(`${place}.data must be base64 text, not ${kindOf(value.data)}.`);
  return { ...fields, path: required(value, 'path', place) };
}

function required(fields, name, place) {
  if (typeof fields[name] !== 'string' || fields[name] === '') throw new TypeError(`${place} needs ${name} as text.`);
  return whole(fields[name]);
}

function whole(text) {
  if (!text.isWellFormed()) throw new TypeError('The text holds half of a surrogate pair, which cannot be stored.');
  return text;
}

const kindOf = (value) => (value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value);
