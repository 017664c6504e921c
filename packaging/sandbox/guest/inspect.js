// Says a value in a line or a few, for console: bounded in depth, width and length, whatever the value does.

const DEPTH = 4, ITEMS = 100, MEMBERS = 60, TEXT = 100_000;

const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const { apply, ownKeys } = Reflect;
const { isArray } = Array;
const { stringify } = JSON;
const { slice, includes } = String.prototype;
const { test } = RegExp.prototype;
const toText = String;
const isView = ArrayBuffer.isView;
const mapForEach = Map.prototype.forEach, setForEach = Set.prototype.forEach;
const mapSize = getOwnPropertyDescriptor(Map.prototype, 'size').get;
const setSize = getOwnPropertyDescriptor(Set.prototype, 'size').get;
const dateNumber = Date.prototype.getTime, dateText = Date.prototype.toISOString;
const errorText = Error.prototype.toString;
const regexpText = RegExp.prototype.toString;
const NativeError = Error, NativeAggregateError = AggregateError, NativeDate = Date, NativeMap = Map, NativeSet = Set, NativePromise = Promise, NativeRegExp = RegExp;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

const cut = (text) => (text.length > TEXT ? `${apply(slice, text, [0, TEXT])}… (${text.length} characters)` : text);

const isIdentifier = (key) => apply(test, IDENTIFIER, [key]);

const nameOf = (value) => {
  const prototype = getPrototypeOf(value);
  if (prototype === null) return '[no prototype]';
  const owner = getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  const name = typeof owner === 'function' ? getOwnPropertyDescriptor(owner, 'name')?.value : '';
  return typeof name === 'string' && name !== 'Object' ? name : '';
};

const joined = (open, parts, close) => {
  if (parts.text === '') return open + close;
  return parts.long ? `${open}\n${parts.indent}${parts.text}\n${parts.outdent}${close}` : `${open} ${parts.text} ${close}`;
};

// Parts of a list or an object, on one line while they are few and short.
const gather = (level) => {
  const indent = '  '.repeat(level + 1);
  return {
    text: '', count: 0, long: false, indent, outdent: '  '.repeat(level), pieces: [],
    add(piece) { this.pieces[this.count++] = piece; },
    done() {
      let width = 0, lines = false;
      for (let i = 0; i < this.count; i++) { width += this.pieces[i].length + 2; lines ||= apply(includes, this.pieces[i], ['\n']); }
      this.long = width > 76 || lines;
      for (let i = 0; i < this.count; i++) this.text += (i ? (this.long ? `,\n${indent}` : ', ') : '') + this.pieces[i];
      return this;
    },
  };
};

const primitive = (value, quoted) => {
  if (typeof value === 'string') return quoted ? cut(stringify(value)) : cut(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (value === 0 && 1 / value < 0) return '-0';
  return toText(value);
};

const member = (owner, key, above) => {
  const found = getOwnPropertyDescriptor(owner, key);
  if (!found) return 'undefined';
  if ('value' in found) return inspectIn(found.value, above, true);
  return found.get ? (found.set ? '[Getter/Setter]' : '[Getter]') : '[Setter]';
};

const members = (value, parts, above, skipIndexes) => {
  const keys = ownKeys(value);
  let shown = 0;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (!getOwnPropertyDescriptor(value, key)?.enumerable) continue;
    if (skipIndexes && typeof key === 'string' && key >= '0' && key < ':') continue;
    if (shown++ === MEMBERS) { parts.add('…'); break; }
    const label = typeof key === 'symbol' ? `[${toText(key)}]` : isIdentifier(key) ? key : stringify(key);
    parts.add(`${label}: ${member(value, key, above)}`);
  }
};

const listed = (value, above) => {
  const parts = gather(above.level);
  const shown = value.length > ITEMS ? ITEMS : value.length;
  for (let i = 0; i < shown; i++) parts.add(i in value ? inspectIn(value[i], above, true) : '<empty>');
  if (value.length > shown) parts.add(`… ${value.length - shown} more`);
  members(value, parts, above, true);
  const name = nameOf(value);
  return (name && name !== 'Array' ? `${name}(${value.length}) ` : '') + joined('[', parts.done(), ']');
};

const collected = (value, above, size, each, show) => {
  const parts = gather(above.level);
  let seen = 0;
  apply(each, value, [(item, key) => { if (seen++ < ITEMS) parts.add(show(item, key)); }]);
  if (seen > ITEMS) parts.add(`… ${seen - ITEMS} more`);
  return `${nameOf(value)}(${size}) ` + joined('{', parts.done(), '}');
};

const errorIn = (value, above) => {
  const { stack } = value;
  let text = apply(errorText, value, []);
  if (typeof stack === 'string' && stack) text += `\n${stack[stack.length - 1] === '\n' ? apply(slice, stack, [0, -1]) : stack}`;
  for (const key of value instanceof NativeAggregateError ? ['errors', 'cause'] : ['cause']) {
    const found = getOwnPropertyDescriptor(value, key);
    if (found && 'value' in found) text += `\n[${key}]: ${inspectIn(found.value, above, true)}`;
  }
  return text;
};

const objectIn = (value, above) => {
  if (typeof value === 'function') return `[Function: ${getOwnPropertyDescriptor(value, 'name')?.value || 'anonymous'}]`;
  if (isArray(value) || (isView(value) && !(value instanceof DataView))) return listed(value, above);
  if (value instanceof NativeError) return errorIn(value, above);
  if (value instanceof NativeDate) return apply(dateNumber, value, []) === apply(dateNumber, value, []) ? apply(dateText, value, []) : 'Invalid Date';
  if (value instanceof NativeRegExp) return apply(regexpText, value, []);
  if (value instanceof NativeMap) return collected(value, above, apply(mapSize, value, []), mapForEach, (item, key) => `${inspectIn(key, above, true)} => ${inspectIn(item, above, true)}`);
  if (value instanceof NativeSet) return collected(value, above, apply(setSize, value, []), setForEach, (item) => inspectIn(item, above, true));
  if (value instanceof NativePromise) return 'Promise { … }';
  const parts = gather(above.level);
  members(value, parts, above, false);
  const name = nameOf(value);
  return (name ? `${name} ` : '') + joined('{', parts.done(), '}');
};

const inspectIn = (value, above, quoted) => {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return primitive(value, quoted);
  for (let at = above; at; at = at.above) if (at.value === value) return '[Circular]';
  const level = above ? above.level + 1 : 0;
  if (level > DEPTH) return isArray(value) ? '[Array]' : '[Object]';
  try {
    return objectIn(value, { value, above, level });
  } catch {
    return '[cannot be shown]';
  }
};

export const inspect = (value) => inspectIn(value, null, false);
