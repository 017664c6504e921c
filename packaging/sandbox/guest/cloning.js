// structuredClone.

const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

export function structuredClone(value) {
  return cloned(value, new Map());
}

function cloned(value, seen) {
  if (typeof value === 'function' || typeof value === 'symbol') throw new DOMException(`A ${typeof value} cannot be cloned.`, 'DataCloneError');
  if (value === null || typeof value !== 'object') return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (made) => {
    seen.set(value, made);
    return made;
  };
  if (value instanceof Date) return keep(new Date(value.getTime()));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (ArrayBuffer.isView(value)) {
    const buffer = cloned(value.buffer, seen);
    return keep(value instanceof DataView ? new DataView(buffer, value.byteOffset, value.byteLength) : new value.constructor(buffer, value.byteOffset, value.length));
  }
  if (value instanceof Map) {
    const made = keep(new Map());
    for (const [key, item] of [...value]) made.set(cloned(key, seen), cloned(item, seen));
    return made;
  }
  if (value instanceof Set) {
    const made = keep(new Set());
    for (const item of [...value]) made.add(cloned(item, seen));
    return made;
  }
  if (value instanceof Error) {
    const made = keep(new (ERRORS[value.name] ?? Error)(value.message));
    if ('cause' in value) made.cause = cloned(value.cause, seen);
    return made;
  }
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) {
    throw new DOMException(`A ${value.constructor.name} cannot be cloned.`, 'DataCloneError');
  }
  const made = keep(Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) made[key] = cloned(value[key], seen);
  return made;
}
